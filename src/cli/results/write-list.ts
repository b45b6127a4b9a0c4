import type { BulkAnswer, RunSummary } from '../../model/result.js';
import type { ValidationService } from '../../model/service.js';
import type { StatsCollector } from '../../report/run-stats.js';
import { isFirstPart } from '../../rows/pick-rows.js';
import { addressRow } from '../../rows/table/address-row.js';
import { changeColumn, fixedColumn } from '../../rows/table/verdict-columns.js';
import type { Context } from '../context.js';
import type { ReviewOptions } from '../flags/review-flags.js';
import type { Written } from '../render/ending.js';
import { formatKind, openRowWriter } from '../render/rows/formats.js';
import type { ListLayout, RowStyle, RowWriter } from '../render/rows/row-writer.js';
import type { Sink } from '../terminal/terminal.js';
import type { Changes } from './changes.js';
import type { Output } from './output.js';
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
  subject: RowStyle['subject'];
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
  const sheets = await Promise.all(files.map((file) => openSheet(file, list)));
  const { summary } = figures;
  const end = async (counts: RunSummary): Promise<void> => {
    for (const sheet of sheets) await sheet.end(counts);
  };
  const write = async (batch: RowsWithResults): Promise<void> => {
    const isWhole = list.keepUnanswered || !batch.answers.some(({ unanswered }) => unanswered);
    const answered = isWhole ? batch : filterRows(batch, (answers) => !answers.some(({ unanswered }) => unanswered));
    for (const sheet of sheets) await sheet.write(answered);
  };
  return {
    begin: async () => {
      const added = [...(review.fix ? [fixedColumn] : []), ...(review.since === undefined ? [] : [changeColumn])];
      for (const sheet of sheets) await sheet.begin({ ...layout, added });
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
        written: sheets.flatMap(({ path, rowCount }) => (path === null ? [] : [{ path, rows: rowCount }])),
        since:
          review.since === undefined || changes?.earlierAt == null
            ? null
            : { path: review.since, at: changes.earlierAt },
      };
    },
    stop: () => end({ ...summary, incomplete: true }),
  };
}

async function openSheet({ output, includes }: OutputFile, list: WrittenList): Promise<Sheet> {
  const { sink, format, path } = output;
  const { subject, fields, raw, review } = list;
  const kind = formatKind(format);
  // With --only-changed a terminal or a pipe gets nothing where nothing changed, not even a heading.
  const mayStayEmpty = review.onlyChanged && path === null && (kind === 'cells' || kind === 'screen');
  const writer = await openRowWriter(format, { ...sink, subject, fields, raw, path });
  return new Sheet(output, writer, reviewed(includes, review), mayStayEmpty);
}

/** One of the outputs: the rows that belong there, in its format. */
class Sheet {
  readonly path: string | null;
  rowCount = 0;
  readonly #sink: Sink;
  readonly #writer: RowWriter;
  readonly #includes: RowFilter | null;
  readonly #mayStayEmpty: boolean;
  /** What comes before the first row, until it is written. */
  #head: Uint8Array = new Uint8Array();

  constructor({ sink, path }: Output, writer: RowWriter, includes: RowFilter | null, mayStayEmpty: boolean) {
    this.path = path;
    this.#sink = sink;
    this.#writer = writer;
    this.#includes = includes;
    this.#mayStayEmpty = mayStayEmpty;
  }

  async begin(layout: ListLayout): Promise<void> {
    this.#head = this.#writer.begin(layout);
    if (!this.#mayStayEmpty) await this.#writeHead();
  }

  async write(batch: RowsWithResults): Promise<void> {
    const { rows, answers } = filterRows(batch, this.#includes);
    for (const row of rows) if (isFirstPart(row)) this.rowCount++;
    if (rows.length > 0) await this.#writeHead();
    await this.#sink.write(this.#writer.rows(rows, answers));
  }

  async end(summary: RunSummary): Promise<void> {
    await this.#sink.write(this.#writer.end(summary));
  }

  async #writeHead(): Promise<void> {
    if (this.#head.length > 0) await this.#sink.write(this.#head);
    this.#head = new Uint8Array();
  }
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

/** Leaves out duplicates with --dedupe, and what is the same with --only-changed. */
function reviewed(includes: RowFilter | null, { dedupe, onlyChanged }: ReviewOptions): RowFilter | null {
  if (!dedupe && !onlyChanged) return includes;
  return (answers) =>
    (includes === null || includes(answers)) &&
    !(dedupe && answers.some(isRepeat) && answers.every((answer) => isRepeat(answer) || answer.empty)) &&
    !(onlyChanged && answers.every(({ added }) => (added?.[changeColumn] ?? 'same') === 'same'));
}

function isRepeat({ duplicate }: BulkAnswer): boolean {
  return duplicate;
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
  const isShown = terminal.stderr.isTty || formatKind(files[0]?.output.format) === 'screen';
  return summary !== undefined || report !== undefined || (isShown && !quiet);
}
