import { createHashSet } from '../../lists/hash-set.js';
import { keyOfAddress } from '../../lists/mailbox-key.js';
import { formatAmount, formatNumber } from '../../model/amount.js';
import type { BulkAnswer, RunSummary } from '../../model/result.js';
import { quotedName } from '../../model/text/shell-word.js';
import type { StatsCollector } from '../../report/run-stats.js';
import { isFirstPart, type Row } from '../../rows/rows.js';
import type { Context } from '../context.js';
import type { ReviewOptions } from '../flags/list-flags.js';
import type { Written } from '../render/final-summary.js';
import { formatKind, openRowWriter } from '../render/rows/formats.js';
import type { ListLayout, RowStyle } from '../render/rows/row-writer.js';
import { openHashField } from './hash-field.js';
import type { OutputFile } from './output-files.js';
import { filterRows, type RowFilter, type RowsWithResults } from './rows-with-results.js';

interface WrittenList {
  layout: ListLayout & { emailColumns: readonly number[] };
  fields: readonly string[] | null;
  review: ReviewOptions;
  subject: RowStyle['subject'];
  /** Also write rows without an answer. */
  keepUnanswered: boolean;
  stats: StatsCollector;
  /** Each spelling of a mailbox was asked. */
  tellsSpellings: boolean;
}

/** The files of a list that is written. */
export interface WrittenResult {
  written: Written[];
  /** The number of rows in the standard output; null if that is a terminal, or not used. */
  stdoutRows: number | null;
}

/** Counts and writes the rows of a list or a job. */
export async function createListWriter(context: Context, files: readonly OutputFile[], list: WrittenList) {
  const { review, layout, stats } = list;
  const sheets = await Promise.all(files.map((file) => openSheet(file, list)));
  const withHashes = await openHashField(list.fields);
  const markSpelling = list.tellsSpellings ? createSpellingMarks() : null;
  const { summary } = stats;
  const byAddress = sheets[0]?.byAddress ?? false;
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
      for (const sheet of sheets) await sheet.begin(layout);
    },
    write: async ({ rows, answers }: RowsWithResults): Promise<void> => {
      const batch = { rows, answers: markSpelling === null ? answers : answers.map(markSpelling) };
      stats.add(batch.answers);
      countEmpty(summary, batch);
      if (review.dedupe) leftOut += countEntries(filterRows(batch, isDuplicateRow, byAddress).rows, byAddress);
      await write({ ...batch, answers: withHashes(batch.answers) });
    },
    /** Writes the end of each output. */
    end: async (): Promise<WrittenResult> => {
      await end(summary);
      for (const sheet of sheets) for (const note of sheet.notes()) context.note(note);
      if (leftOut > 0) context.note(`--dedupe left out ${formatAmount(leftOut, 'row')}.`);
      const { stdout } = context.terminal;
      const piped = stdout.isTty ? undefined : files.find(({ output }) => output.sink === stdout);
      return {
        stdoutRows: piped?.rowCount ?? null,
        written: sheets.flatMap((sheet) => sheet.written()),
      };
    },
    /** Ends the outputs of a run that stopped early. */
    stop: (): Promise<void> => end({ ...summary, incomplete: true }),
  };
}

/**
 * Marks answers, in the order of the list. A mail host may tell spellings of one mailbox apart (RFC 5321 §2.4), so another
 * spelling with a verdict that the mailbox has not had counts as well.
 */
function createSpellingMarks(): (answer: BulkAnswer) => BulkAnswer {
  const verdicts = createHashSet();
  return (answer) => {
    const { result, duplicate, empty, unanswered, suppressed } = answer;
    if (empty || unanswered || suppressed) return answer;
    const isNew = verdicts.add(`${keyOfAddress(result.email)}\n${result.status}`);
    if (!duplicate || !isNew || verdicts.full) return answer;
    return { ...answer, duplicate: false, respelled: true };
  };
}

/** One of the outputs: the rows that belong there, in its format. */
async function openSheet(file: OutputFile, list: WrittenList) {
  const { sink, format, path } = file.output;
  const { subject, fields, review } = list;
  const kind = formatKind(format);
  const writer = await openRowWriter(format, { ...sink, subject, fields, path });
  const { includes } = file;
  const filter: RowFilter | null = review.dedupe
    ? (entry, row) => (includes === null || includes(entry, row)) && !isDuplicateRow(entry, row)
    : includes;
  const isPlain = kind === 'text' && fields === null;
  // Only a table of the input's own columns has several addresses in a row.
  const byAddress = kind !== 'cells' || fields !== null || list.layout.emailColumns.length <= 1;
  /** Addresses in plain text that are not valid, though nothing there tells them from the others. */
  let unmarkedCount = 0;
  return {
    byAddress,
    begin: (layout: ListLayout): Promise<void> => sink.write(writer.begin(layout)),
    write: async (batch: RowsWithResults): Promise<void> => {
      const { rows, answers } = filterRows(batch, filter, byAddress);
      // Plain text has no line for an empty cell.
      const written = isPlain ? rows.filter((_, index) => !answers[index]?.empty) : rows;
      file.rowCount += countEntries(written, byAddress);
      if (isPlain && file.includes === null)
        unmarkedCount += answers.filter(({ empty, result }) => !empty && result.status !== 'valid').length;
      await sink.write(writer.rows(rows, answers));
    },
    end: async (summary: RunSummary): Promise<void> => sink.write(await writer.end(summary)),
    notes: (): string[] => {
      const where = `${path === null ? 'The plain text' : quotedName(path)} holds addresses of every status`;
      const unmarked = `${formatNumber(unmarkedCount)} of them not valid; --only valid leaves those out.`;
      return unmarkedCount === 0 ? [] : [`${where}, ${unmarked}`];
    },
    written: (): Written[] => (path === null ? [] : [{ path, rows: file.rowCount }]),
  };
}

function countEntries(rows: readonly Row[], byAddress: boolean): number {
  return byAddress ? rows.length : rows.filter(isFirstPart).length;
}

function countEmpty(summary: RunSummary, { rows, answers }: RowsWithResults): void {
  answers.forEach((answer, at) => {
    if (!answer.empty) return;
    // A row of several addresses is counted once, at its last part, if all parts are empty.
    const { index, of } = rows[at]?.part ?? { index: 0, of: 1 };
    if (index === of - 1 && answers.slice(at - index, at).every(({ empty }) => empty)) summary.empty_count++;
  });
}

/** A row whose mailboxes occurred before, whatever their spelling. */
const isDuplicateRow: RowFilter = (answers) =>
  answers.some(isRepeated) && answers.every((each) => each.empty || isRepeated(each));

function isRepeated({ duplicate, respelled }: BulkAnswer): boolean {
  return duplicate || respelled === true;
}

/** True if more than the counts is shown or written. */
export function needsStats(context: Context, { summary }: ReviewOptions, files: readonly OutputFile[]): boolean {
  return summary !== undefined || showsSummary(context, files);
}

/** Whether a run ends with a summary for readers. */
export function showsSummary({ terminal, quiet, json }: Context, files: readonly OutputFile[]): boolean {
  return !quiet && !json && (terminal.stderr.isTty || formatKind(files[0]?.output.format) === 'screen');
}
