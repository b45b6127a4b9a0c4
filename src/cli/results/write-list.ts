import type { BulkAnswer, RunSummary } from '../../model/result.js';
import type { ValidationService } from '../../model/service.js';
import type { StatsCollector } from '../../report/run-stats.js';
import { isFirstPart } from '../../rows/pick-rows.js';
import { addressRow } from '../../rows/table/address-row.js';
import { changeColumn, fixedColumn } from '../../rows/table/verdict-columns.js';
import type { Context } from '../context.js';
import type { ReviewOptions } from '../flags/review-flags.js';
import type { Written } from '../render/final-summary.js';
import { formatKind, openRowWriter } from '../render/rows/formats.js';
import type { ListLayout, RowStyle, RowWriter } from '../render/rows/row-writer.js';
import type { Sink } from '../terminal/terminal.js';
import type { ChangeTracker } from './changes.js';
import type { Output } from './output.js';
import type { OutputFile } from './output-files.js';
import { filterRows, type RowFilter, type RowsWithResults } from './rows-with-results.js';

/** What is written of a list, and how. */
interface WrittenList {
  layout: ListLayout & { emailColumns: readonly number[] };
  fields: readonly string[] | null;
  /** No cell is changed, not even one that a spreadsheet would run. */
  raw: boolean;
  review: ReviewOptions;
  /** The requested column, which an earlier output has too. */
  column: string | undefined;
  subject: RowStyle['subject'];
  /** Also write rows without an answer. */
  keepUnanswered: boolean;
  service: Pick<ValidationService, 'validate'>;
  stats: StatsCollector;
}

/** What was written of a list. */
export interface WrittenResult {
  /** The files, and how many rows each has. */
  written: Written[];
  /** The earlier output of `--since`, and when it was written; null where there was none. */
  since: { path: string; at: number } | null;
}

/** Corrects, counts, compares and writes the rows of a list or a job. */
interface ListWriter {
  begin(): Promise<void>;
  write(batch: RowsWithResults): Promise<void>;
  /** Writes the rows that are gone, and the end of each output. */
  end(): Promise<WrittenResult>;
  /** Ends the outputs of a run that stopped early. */
  stop(): Promise<void>;
}

export async function createListWriter(
  context: Context,
  files: readonly OutputFile[],
  list: WrittenList,
): Promise<ListWriter> {
  const { review, layout, service, stats } = list;
  const changes = await loadChanges(context, review.since, list.column);
  const sheets = await Promise.all(files.map((file) => openSheet(file, list)));
  const { summary } = stats;
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
      const corrected = review.fix ? await applyFixes(service, batch, layout, context.signal) : batch;
      stats.add(corrected.answers);
      countEmpty(summary, corrected);
      await write(changes === null ? corrected : withChanges(corrected, changes));
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
  return new Sheet(output, writer, withReview(includes, review), mayStayEmpty);
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

/** Counts rows without an address, which have no status. */
function countEmpty(summary: RunSummary, { rows, answers }: RowsWithResults): void {
  let empty = 0;
  for (const [at, { part }] of rows.entries()) {
    if (answers[at]?.empty && (part === undefined || isLastOfEmpty(answers, at, part))) empty++;
  }
  if (empty > 0) summary.empty_count = (summary.empty_count ?? 0) + empty;
}

/** True for the last part of a row in which all parts are empty. */
function isLastOfEmpty(
  answers: readonly BulkAnswer[],
  at: number,
  { index, of }: { index: number; of: number },
): boolean {
  return index === of - 1 && answers.slice(at - index, at).every(({ empty }) => empty);
}

async function applyFixes(
  service: WrittenList['service'],
  batch: RowsWithResults,
  layout: WrittenList['layout'],
  signal: AbortSignal,
): Promise<RowsWithResults> {
  const { fixRows } = await import('./fix.js');
  return fixRows(service, batch, layout, signal);
}

async function loadChanges(
  context: Context,
  since: string | undefined,
  column: string | undefined,
): Promise<ChangeTracker | null> {
  if (since === undefined) return null;
  const { createChangeTracker: openChanges } = await import('./changes.js');
  return openChanges(context, since, column);
}

/** Leaves out duplicates with --dedupe, and what is the same with --only-changed. */
function withReview(includes: RowFilter | null, { dedupe, onlyChanged }: ReviewOptions): RowFilter | null {
  if (!dedupe && !onlyChanged) return includes;
  return (answers) =>
    (includes === null || includes(answers)) &&
    !(dedupe && answers.some(isDuplicate) && answers.every((answer) => isDuplicate(answer) || answer.empty)) &&
    !(onlyChanged && answers.every(({ added }) => (added?.[changeColumn] ?? 'same') === 'same'));
}

function isDuplicate({ duplicate }: BulkAnswer): boolean {
  return duplicate;
}

function withChanges({ rows, answers }: RowsWithResults, changes: ChangeTracker): RowsWithResults {
  const marked = answers.map((answer): BulkAnswer => {
    if (answer.empty) return answer;
    if (answer.unanswered) changes.markSeen(answer.result.email);
    const change = answer.unanswered ? '' : changes.changeOf(answer.result);
    return change === '' ? answer : { ...answer, added: { ...answer.added, [changeColumn]: change } };
  });
  return { rows, answers: marked };
}

/** The row of an address that is gone from the list. */
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

/** True where more than the counts will be shown or written. */
export function needsStats(
  { terminal, quiet }: Context,
  { summary, report }: ReviewOptions,
  files: readonly OutputFile[],
): boolean {
  const isShown = terminal.stderr.isTty || formatKind(files[0]?.output.format) === 'screen';
  return summary !== undefined || report !== undefined || (isShown && !quiet);
}
