import type { BulkAnswer, RunSummary } from '../../model/result.js';
import type { ValidationService } from '../../model/service.js';
import type { StatsCollector } from '../../report/run-stats.js';
import { addressRow } from '../../rows/table/address-row.js';
import { changeColumn, fixedColumn } from '../../rows/table/verdict-columns.js';
import type { Context } from '../context.js';
import type { Format } from '../flags/output-flags.js';
import type { ReviewOptions } from '../flags/review-flags.js';
import type { Written } from '../render/ending.js';
import type { ListLayout, RowRenderer, RowStyle } from '../render/rows/rows.js';
import type { Sink } from '../terminal/terminal.js';
import type { Changes } from './changes.js';
import type { OutputFile } from './output-files.js';
import { filterRows, type RowFilter, type RowsWithResults } from './rows-with-results.js';

/** A list whose results are written. */
interface WrittenList {
  layout: ListLayout & { emailColumns: readonly number[] };
  fields: readonly string[] | null;
  /** No cell is changed, not even one that a spreadsheet would run. */
  raw: boolean;
  review: ReviewOptions;
  /** The column with the addresses of an earlier output, where it was named. */
  column: string | undefined;
  openRenderer(format: Format, style: RowStyle): Promise<RowRenderer>;
  /** Whether rows that nobody has answered for yet are written, too. */
  keepUnanswered: boolean;
  service: Pick<ValidationService, 'validate'>;
  /** Counts what is written. */
  figures: StatsCollector;
}

/** What was written of a list. */
export interface WrittenResult {
  /** The files, with how many rows each got. */
  written: Written[];
  /** The earlier output that it was compared with, and when that was written; null where there was none. */
  since: { path: string; at: number } | null;
}

/** Corrects, counts, compares and writes the rows of a list, wherever its answers come from. */
interface ListWriter {
  begin(): Promise<void>;
  write(batch: RowsWithResults): Promise<void>;
  /** All rows came by: what is gone follows, and the figures. */
  end(): Promise<WrittenResult>;
  /** The run stopped before its end. */
  stop(): Promise<void>;
}

export async function openListWriter(
  context: Context,
  files: readonly OutputFile[],
  list: WrittenList,
): Promise<ListWriter> {
  const { review, layout, service, figures } = list;
  const changes = await changesSince(context, review.since, list.column);
  const sheets = await openSheets(files, list);
  const { summary } = figures;
  const end = async (counts: RunSummary): Promise<void> => {
    for (const { sink, renderer } of sheets) await sink.write(renderer.end?.(counts) ?? '');
  };
  const write = async (batch: RowsWithResults): Promise<void> => {
    const isWhole = list.keepUnanswered || !batch.answers.some(({ unanswered }) => unanswered);
    const answered = isWhole ? batch : filterRows(batch, (answers) => !answers.some(({ unanswered }) => unanswered));
    for (const sheet of sheets) {
      const { sink, renderer, wants, place, isTabbed } = sheet;
      const { rows: wanted, answers } = filterRows(answered, wants);
      const rows = isTabbed ? wanted.map(({ text: _, ...row }) => row) : wanted;
      for (const { part } of rows) if (part === undefined || part.index === 0) place.rows++;
      if (rows.length > 0) await writeHead(sheet);
      await sink.write(renderRows(renderer, { rows, answers }));
    }
  };
  return {
    begin: async () => {
      for (const sheet of sheets) {
        const shown = layoutOn(sheet.sink, list);
        sheet.head = sheet.renderer.begin?.(sheet.isTabbed ? tabbed(shown) : shown) ?? '';
        if (!sheet.mayStayEmpty) await writeHead(sheet);
      }
    },
    write: async (batch) => {
      const sure = review.fix ? await fixed(service, batch, layout, context.signal) : batch;
      figures.add(sure.answers);
      countEmpty(summary, sure);
      await write(changes === null ? sure : withChanges(sure, changes));
    },
    end: async () => {
      if (changes !== null) {
        for await (const { email } of changes.gone()) if (review.onlyChanged) await write(goneRow(email, layout));
        Object.assign(summary, changes.counts());
      }
      await end(summary);
      return {
        written: sheets.flatMap(({ place: { path, rows } }) => (path === null ? [] : [{ path, rows }])),
        since:
          review.since === undefined || changes?.earlierAt == null
            ? null
            : { path: review.since, at: changes.earlierAt },
      };
    },
    stop: () => end({ ...summary, incomplete: true }),
  };
}

/** Rows without an address, which are in none of the five counts. */
function countEmpty(summary: RunSummary, { rows, answers }: RowsWithResults): void {
  let empty = 0;
  for (const [at, { part }] of rows.entries()) {
    if (answers[at]?.empty && (part === undefined || isLastOfEmpty(answers, at, part))) empty++;
  }
  if (empty > 0) summary.empty_count = (summary.empty_count ?? 0) + empty;
}

/** True at the last address of a row that has none. */
function isLastOfEmpty(
  answers: readonly BulkAnswer[],
  at: number,
  { index, of }: { index: number; of: number },
): boolean {
  return index === of - 1 && answers.slice(at - index, at).every(({ empty }) => empty);
}

async function fixed(
  service: WrittenList['service'],
  batch: RowsWithResults,
  layout: WrittenList['layout'],
  signal: AbortSignal,
): Promise<RowsWithResults> {
  const { fixRows } = await import('./fix.js');
  return fixRows(service, batch, layout, signal);
}

async function changesSince(
  context: Context,
  since: string | undefined,
  column: string | undefined,
): Promise<Changes | null> {
  if (since === undefined) return null;
  const { openChanges } = await import('./changes.js');
  return openChanges(context, since, column);
}

/** Where rows are written, as what, and which. */
function openSheets(files: readonly OutputFile[], { fields, raw, review, layout, openRenderer }: WrittenList) {
  return Promise.all(
    files.map(async ({ output: { sink, format, path }, includes: wants }) => ({
      sink,
      place: { path, rows: 0 },
      head: '',
      // Who wants to hear of changes hears nothing where there are none.
      mayStayEmpty: review.onlyChanged && path === null && (format === 'csv' || format === 'table'),
      // A name that promises tabs, for a list that has none: it is written anew.
      isTabbed: /\.(?:tsv|tab)$/i.test(path ?? '') && layout.delimiter !== '\t',
      renderer: await openRenderer(format, { ...sink, fields, raw }),
      wants: reviewed(wants, review),
    })),
  );
}

function renderRows({ row: render }: RowRenderer, { rows, answers }: RowsWithResults): string {
  let text = '';
  for (let at = 0; at < rows.length; at++) {
    const [row, answer] = [rows[at], answers[at]];
    if (row !== undefined && answer !== undefined) text += render(row, answer);
  }
  return text;
}

/** Once: what comes before the first row. */
async function writeHead(sheet: { sink: Sink; head: string }): Promise<void> {
  if (sheet.head !== '') await sheet.sink.write(sheet.head);
  sheet.head = '';
}

function reviewed(wants: RowFilter | null, { dedupe, onlyChanged }: ReviewOptions): RowFilter | null {
  if (!dedupe && !onlyChanged) return wants;
  return (answers) =>
    (wants === null || wants(answers)) &&
    !(dedupe && answers.some(isRepeat) && answers.every((answer) => isRepeat(answer) || answer.empty)) &&
    !(onlyChanged && answers.every(({ added }) => (added?.[changeColumn] ?? 'same') === 'same'));
}

function isRepeat({ duplicate }: BulkAnswer): boolean {
  return duplicate;
}

/** With the columns of ours beside the verdict's. A mark at its beginning is not for a screen. */
function layoutOn({ isTty }: Sink, { layout, review }: WrittenList): ListLayout {
  const added = [...(review.fix ? [fixedColumn] : []), ...(review.since === undefined ? [] : [changeColumn])];
  return isTty ? { ...layout, added, opening: layout.opening?.replace('\ufeff', '') ?? '' } : { ...layout, added };
}

/** With tabs between the cells, and without a line that names another delimiter. */
function tabbed({ headerText: _, opening = '', ...layout }: ListLayout): ListLayout {
  return { ...layout, delimiter: '\t', opening: opening.replace(/^(\ufeff?)"?sep=.*(?:\r\n?|\n)/i, '$1') };
}

function withChanges({ rows, answers }: RowsWithResults, changes: Changes): RowsWithResults {
  const marked = answers.map((answer): BulkAnswer => {
    if (answer.empty) return answer;
    if (answer.unanswered) changes.pass(answer.result.email);
    const change = answer.unanswered ? '' : changes.of(answer.result);
    return change === '' ? answer : { ...answer, added: { ...answer.added, [changeColumn]: change } };
  });
  return { rows, answers: marked };
}

/** What is gone is counted; as a row it comes only to those who want nothing but changes, for the list does not hold it. */
function goneRow(email: string, layout: WrittenList['layout']): RowsWithResults {
  const gone: BulkAnswer = {
    result: { email, status: '', is_valid: false, confidence: 0 },
    duplicate: false,
    empty: true,
    added: { [changeColumn]: 'gone' },
  };
  const blank: BulkAnswer = { ...gone, result: { ...gone.result, email: '' }, added: {} };
  const rows = addressRow(email, layout);
  return { rows, answers: rows.map((_, index) => (index === 0 ? gone : blank)) };
}

/** Whether somebody will look at more than the counts. */
export function wantsFigures(
  { terminal, quiet }: Context,
  { summary, report }: ReviewOptions,
  files: readonly OutputFile[],
): boolean {
  const isShown = terminal.stderr.isTty || files[0]?.output.format === 'table';
  return summary !== undefined || report !== undefined || (isShown && !quiet);
}
