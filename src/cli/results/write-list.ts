import { formatAmount, formatNumber } from '../../model/amount.js';
import { distinctNames } from '../../model/distinct-names.js';
import { emptyVerdict } from '../../model/job.js';
import type { BulkAnswer, BulkItem, RunSummary } from '../../model/result.js';
import { quotedName } from '../../model/text/shell-word.js';
import type { StatsCollector } from '../../report/run-stats.js';
import { extractAddress } from '../../rows/read/find-addresses.js';
import { isFirstPart, type Row } from '../../rows/rows.js';
import { addressRow } from '../../rows/table/address-row.js';
import { changeColumn } from '../../rows/table/verdict-columns.js';
import type { EarlierItem } from '../../service/earlier/earlier-results.js';
import type { Context } from '../context.js';
import type { ReviewOptions } from '../flags/list-flags.js';
import type { Written } from '../render/final-summary.js';
import { formatKind, openRowWriter } from '../render/rows/formats.js';
import type { ListLayout, RowStyle } from '../render/rows/row-writer.js';
import type { ChangeTracker } from './changes.js';
import { openHashField } from './hash-field.js';
import type { OutputFile } from './output-files.js';
import { filterRows, type RowFilter, type RowsWithResults } from './rows-with-results.js';

interface WrittenList {
  layout: ListLayout & { emailColumns: readonly number[] };
  fields: readonly string[] | null;
  review: ReviewOptions;
  /** The output to compare with; null for none. */
  earlier: string | null;
  /** The requested column, which an earlier output has too. */
  column: string | undefined;
  subject: RowStyle['subject'];
  /** Also write rows without an answer. */
  keepUnanswered: boolean;
  /** Only a part of the list is read, so an address that is not in it is not gone. */
  isPart?: boolean;
  stats: StatsCollector;
}

/** The files of a list that is written. */
export interface WrittenResult {
  written: Written[];
  /** The number of rows in the standard output; null if that is a terminal, or not used. */
  stdoutRows: number | null;
  /** The earlier output of `--since`, and when it was written; null if there was none. */
  since: { path: string; at: number } | null;
}

/** Counts, compares and writes the rows of a list or a job. */
export async function createListWriter(context: Context, files: readonly OutputFile[], list: WrittenList) {
  const { review, layout, stats } = list;
  const changes =
    list.earlier === null
      ? null
      : await (await import('./changes.js')).createChangeTracker(context, list.earlier, list.column);
  const marksChanges = review.since !== undefined;
  const sheets = await Promise.all(files.map((file) => openSheet(file, list)));
  const withHashes = await openHashField(list.fields);
  const { summary } = stats;
  let leftOut = 0;
  const end = async (counts: RunSummary): Promise<void> => {
    for (const sheet of sheets) await sheet.end(counts);
  };
  const write = async (batch: RowsWithResults): Promise<void> => {
    const isComplete = list.keepUnanswered || !batch.answers.some(({ unanswered }) => unanswered);
    const answered = isComplete ? batch : filterRows(batch, (answers) => !answers.some(({ unanswered }) => unanswered));
    for (const sheet of sheets) await sheet.write(answered);
  };
  return {
    begin: async (): Promise<void> => {
      const added = review.since === undefined ? [] : [changeColumn];
      for (const sheet of sheets) await sheet.begin({ ...layout, added });
    },
    write: async (batch: RowsWithResults): Promise<void> => {
      stats.add(batch.answers);
      countEmpty(summary, batch);
      if (review.dedupe) leftOut += filterRows(batch, isDuplicateRow).rows.filter(isFirstPart).length;
      const compared = changes === null ? batch : withChanges(batch, changes);
      const written = marksChanges ? compared : batch;
      await write({ ...written, answers: withHashes(written.answers) });
    },
    /** Writes the rows that are gone, and the end of each output. */
    end: async (): Promise<WrittenResult> => {
      if (changes !== null) {
        if (!list.isPart)
          for await (const item of changes.gone()) if (review.onlyChanged) await write(goneRow(item, layout));
        Object.assign(summary, changes.counts());
      }
      await end(summary);
      const hiddenGone = Math.max(0, ...sheets.map((sheet) => sheet.hiddenGone()));
      if (hiddenGone > 0) context.note(hiddenGoneNote(hiddenGone));
      for (const sheet of sheets) for (const note of sheet.notes()) context.note(note);
      if (leftOut > 0) context.note(`--dedupe left out ${formatAmount(leftOut, 'row')}.`);
      const { stdout } = context.terminal;
      const piped = stdout.isTty ? undefined : files.find(({ output }) => output.sink === stdout);
      return {
        stdoutRows: piped?.rowCount ?? null,
        written: sheets.flatMap((sheet) => sheet.written()),
        since:
          review.since === undefined || changes?.earlierAt == null
            ? null
            : { path: review.since, at: changes.earlierAt },
      };
    },
    /** Ends the outputs of a run that stopped early. */
    stop: (): Promise<void> => end({ ...summary, incomplete: true }),
  };
}

function hiddenGoneNote(count: number): string {
  return `${formatAmount(count, 'address is', 'addresses are')} gone, and left out of the plain text; --fields email,mailvet_change shows them.`;
}

function unmarkedNote(count: number, path: string | null): string {
  const where = path === null ? 'The plain text' : quotedName(path);
  return `${where} holds addresses of every status, ${formatNumber(count)} of them not valid; --only valid leaves those out.`;
}

/** One of the outputs: the rows that belong there, in its format. */
async function openSheet(file: OutputFile, list: WrittenList) {
  const { sink, format, path } = file.output;
  const { subject, fields, review } = list;
  const kind = formatKind(format);
  // With --only-changed, stdout stays empty if nothing changed, without a heading.
  const mayStayEmpty = review.onlyChanged && path === null && (kind === 'cells' || kind === 'screen');
  const writer = await openRowWriter(format, { ...sink, subject, fields, path });
  const filter = withReview(file.includes, review);
  const isPlain = kind === 'text' && fields === null;
  let hiddenGone = 0;
  /** Addresses in plain text that are not valid, though nothing there tells them from the others. */
  let unmarkedCount = 0;
  let head: Uint8Array = new Uint8Array();
  const writeHead = async (): Promise<void> => {
    if (head.length > 0) await sink.write(head);
    head = new Uint8Array();
  };
  return {
    begin: async (layout: ListLayout): Promise<void> => {
      head = writer.begin(layout);
      if (!mayStayEmpty) await writeHead();
    },
    write: async (batch: RowsWithResults): Promise<void> => {
      const { rows, answers } = filterRows(batch, filter);
      // Plain text has a line for each address, and nothing else.
      if (isPlain) {
        const written = answers.filter(({ empty }) => !empty);
        file.rowCount += written.length;
        if (file.includes === null) unmarkedCount += written.filter(({ result }) => result.status !== 'valid').length;
        hiddenGone += answers.filter(({ added }) => added?.[changeColumn] === 'gone').length;
      } else file.rowCount += countRows(rows);
      if (rows.length > 0) await writeHead();
      await sink.write(writer.rows(rows, answers));
    },
    end: async (summary: RunSummary): Promise<void> => sink.write(await writer.end(summary)),
    /** Addresses that are gone, which the format does not show. */
    hiddenGone: (): number => hiddenGone,
    notes: (): string[] => (unmarkedCount === 0 ? [] : [unmarkedNote(unmarkedCount, path)]),
    written: (): Written[] => (path === null ? [] : [{ path, rows: file.rowCount }]),
  };
}

function countRows(rows: readonly Row[]): number {
  let count = 0;
  for (const row of rows) if (isFirstPart(row)) count++;
  return count;
}

function countEmpty(summary: RunSummary, { rows, answers }: RowsWithResults): void {
  let count = 0;
  for (const [rowIndex, { part }] of rows.entries()) {
    if (!answers[rowIndex]?.empty) continue;
    // A row of several addresses is counted once, at its last part, if all parts are empty.
    const { index, of } = part ?? { index: 0, of: 1 };
    if (index === of - 1 && answers.slice(rowIndex - index, rowIndex).every(({ empty }) => empty)) count++;
  }
  summary.empty_count += count;
}

/** Leaves out duplicates with --dedupe, and unchanged rows with --only-changed. */
function withReview(includes: RowFilter | null, { dedupe, onlyChanged }: ReviewOptions): RowFilter | null {
  if (!dedupe && !onlyChanged) return includes;
  return (answers) =>
    (includes === null || includes(answers)) &&
    !(dedupe && isDuplicateRow(answers)) &&
    !(onlyChanged && answers.every(({ added }) => (added?.[changeColumn] ?? 'same') === 'same'));
}

const isDuplicateRow: RowFilter = (answers) =>
  answers.some(({ duplicate }) => duplicate) && answers.every((each) => each.duplicate || each.empty);

function withChanges({ rows, answers }: RowsWithResults, changes: ChangeTracker): RowsWithResults {
  const marked = answers.map((answer): BulkAnswer => {
    if (answer.empty) return answer;
    if (answer.unanswered) changes.markSeen(answer.result.email);
    const change = answer.unanswered ? '' : changes.changeOf(answer.result);
    return change === '' ? answer : { ...answer, added: { ...answer.added, [changeColumn]: change } };
  });
  return { rows, answers: marked };
}

/** A row of the earlier output with its status then; nothing else of its verdict, since it was not checked. */
function goneRow({ email, status, row }: EarlierItem, layout: WrittenList['layout']): RowsWithResults {
  const goneAnswer: BulkAnswer = {
    result: { email, is_valid: false, ...emptyVerdict, status } as BulkItem,
    duplicate: false,
    empty: true,
    added: { [changeColumn]: 'gone' },
  };
  const blank: BulkAnswer = { ...goneAnswer, result: { ...goneAnswer.result, email: '', status: '' }, added: {} };
  const names = distinctNames(layout.columns);
  const cellAt = (column: number): string => row?.cells[names[column] ?? ''] ?? '';
  const foundIndex = layout.emailColumns.findIndex((column) => extractAddress(cellAt(column)) === email);
  // The list may have other columns by now.
  const emailIndex = Math.max(0, foundIndex);
  const rows = addressRow(email, layout, emailIndex).map((each): Row => {
    const cells = each.cells.map((cell, at) => (layout.emailColumns.includes(at) ? cell : cellAt(at)));
    return { ...each, cells, ...(row?.json !== undefined && { json: row.json }) };
  });
  return { rows, answers: rows.map((_, index) => (index === emailIndex ? goneAnswer : blank)) };
}

/** True if more than the counts is shown or written. */
export function needsStats(
  { terminal, quiet, json }: Context,
  { summary, report }: ReviewOptions,
  files: readonly OutputFile[],
): boolean {
  const isShown = terminal.stderr.isTty || formatKind(files[0]?.output.format) === 'screen';
  return summary !== undefined || report !== undefined || (isShown && !quiet && !json);
}
