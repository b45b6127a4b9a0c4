import type { BulkAnswer } from '../../model/result.js';
import type { ValidationService } from '../../model/service.js';
import { hasSurroundings } from '../../rows/read/find-addresses.js';
import type { Row } from '../../rows/rows.js';
import { fixedColumn } from '../../rows/table/verdict-columns.js';
import { replaceAddress } from '../../rows/write/json-verdict.js';
import { columnOf, groupByRow, type RowsWithResults, suppressedAnswer } from './rows-with-results.js';

export interface AddressColumns {
  columns: readonly string[];
  emailColumns: readonly number[];
}

/** Applies certain corrections: a row gets the corrected address and its verdict. What is around an address is removed. */
export async function fixRows(
  service: Pick<ValidationService, 'validate'>,
  batch: RowsWithResults,
  columns: AddressColumns,
  signal: AbortSignal,
): Promise<RowsWithResults> {
  const cells = batch.rows.map((row) => cellOf(row, columns));
  const fixed = await Promise.all(
    batch.answers.map(async (answer, index) => {
      const hasExtraText = hasSurroundings(cells[index] ?? '', batch.rows[index]?.email ?? '');
      return (await findCorrection(service, answer, signal)) ?? (hasExtraText ? answer.result : null);
    }),
  );
  if (fixed.every((result) => result === null)) return batch;
  const rows: Row[] = [];
  const answers: BulkAnswer[] = [];
  for (const group of groupByRow(batch)) {
    const from = rows.length;
    const corrections = fixed.slice(from, from + group.rows.length);
    rows.push(...withCorrections(group.rows, corrections, columns));
    answers.push(
      ...group.answers.map((answer, index) => withFix(answer, corrections[index] ?? null, cells[from + index] ?? '')),
    );
  }
  return { rows, answers };
}

/** Suppresses the addresses whose suggestion is on a suppression list. They stay as they are, and the suggestion is not checked. */
export function suppressCorrections(batch: RowsWithResults, isSuppressed: (email: string) => boolean): RowsWithResults {
  const answers = batch.answers.map((answer) => {
    const suggestion = correctionOf(answer);
    return suggestion !== null && isSuppressed(suggestion) ? suppressedAnswer(answer.result.email) : answer;
  });
  return { ...batch, answers };
}

/** The suggested address; null for none. */
export function suggestionOf({ result }: BulkAnswer): string | null {
  return ('did_you_mean' in result && result.did_you_mean) || null;
}

/** The suggestion for an invalid address, which may be a correction. */
function correctionOf(answer: BulkAnswer): string | null {
  return answer.result.status === 'invalid' ? suggestionOf(answer) : null;
}

/**
 * The result of the suggested address, if the correction is certain: the input is invalid, and the suggestion is
 * accepted by its mail server or, at level syntax, is part of the input.
 */
async function findCorrection(
  { validate }: Pick<ValidationService, 'validate'>,
  answer: BulkAnswer,
  signal: AbortSignal,
): Promise<BulkAnswer['result'] | null> {
  const suggestion = correctionOf(answer);
  if (suggestion === null) return null;
  // When a run is stopped, its answers are still written, and the suggestion stays one.
  const suggested = await validate(suggestion, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return null;
  });
  if (suggested === null) return null;
  const isProven =
    suggested.sub_status !== 'not_probed' || answer.result.email.toLowerCase().includes(suggestion.toLowerCase());
  return suggested.is_valid && isProven ? suggested : null;
}

function cellOf(row: Row, { emailColumns }: AddressColumns): string {
  return row.cells[columnOf(row, emailColumns)] ?? '';
}

function withFix(answer: BulkAnswer, result: BulkAnswer['result'] | null, oldCell: string): BulkAnswer {
  if (result === null) return answer;
  return { ...answer, result, added: { ...answer.added, [fixedColumn]: oldCell } };
}

/** The parts of one row with all corrections applied, without its raw text, which is outdated. */
function withCorrections(
  rows: readonly Row[],
  fixed: readonly (BulkAnswer['result'] | null)[],
  { columns, emailColumns }: AddressColumns,
): readonly Row[] {
  if (fixed.every((result) => result === null)) return rows;
  const cells = [...(rows[0]?.cells ?? [])];
  let json = rows[0]?.json;
  for (const [index, result] of fixed.entries()) {
    const row = rows[index];
    if (result === null || row === undefined || emailColumns[index] === undefined) continue;
    const column = columnOf(row, emailColumns);
    const place = { field: columns[column] ?? '', email: row.email };
    cells[column] = result.email;
    json = json === undefined ? undefined : replaceAddress(json, place, () => result.email);
  }
  return rows.map(({ email, part }, index) => ({
    cells,
    email: fixed[index]?.email ?? email,
    ...(part && { part }),
    ...(json !== undefined && { json }),
  }));
}
