import { distinctNames } from '../../model/distinct-names.js';
import { Failure } from '../../model/failure.js';
import { emptyVerdict } from '../../model/job.js';
import type { BulkItem } from '../../model/result.js';
import { quotedName } from '../../model/text/shell-word.js';
import { statuses } from '../../model/verdict.js';
import { type CsvTable, openTable } from '../../rows/open-rows.js';
import { extractAddress } from '../../rows/read/find-addresses.js';
import { isFirstPart } from '../../rows/rows.js';
import { prefixedColumn, verdictColumns } from '../../rows/table/verdict-columns.js';

/** A result in an output. */
export interface OutputItem extends BulkItem {
  sub_status?: string;
  safe_to_send?: boolean;
  did_you_mean?: string | null;
}

/** The sub_status of an address that the service left out of its answer. */
const noAnswer = 'no_answer';

/** Whether a row has an answer; one without an address has none. */
export function isAnswer(status: string, subStatus: unknown): boolean {
  return status !== '' && status !== emptyVerdict.status && subStatus !== noAnswer;
}

export function noResultsFailure(path: string, cause?: unknown): Failure {
  return new Failure('bad_input', `${quotedName(path)} has no results of an earlier run.`, {
    hint: 'It must be the CSV, Excel (xlsx), JSON or NDJSON of an earlier run, with all its columns.',
    cause,
  });
}

/** The verdict columns by name; without a header, after those of the input. */
export async function* fromTable(path: string, column: string | undefined): AsyncGenerator<readonly OutputItem[]> {
  const table = await openTable({ path }, column === undefined ? {} : { column });
  try {
    const columnSets = findVerdictColumns(table, path, column !== undefined);
    for await (const rows of table.chunks) {
      // A row of several addresses is repeated for each of them.
      yield rows.filter(isFirstPart).flatMap(({ cells }) => columnSets.flatMap((set) => itemAt(cells, set) ?? []));
    }
  } finally {
    await table.close();
  }
}

/** The columns of the address and its verdict. */
interface VerdictColumns {
  email: number;
  verdict: readonly number[];
  /** Found by their position: other columns may follow those of the verdict. */
  isGuessed?: boolean;
}

function findVerdictColumns(table: CsvTable, path: string, isNamed: boolean): VerdictColumns[] {
  const { columns, emailColumns, hasHeader } = table;
  const all = columns.map((_, index) => index);
  const names = distinctNames(columns);
  const columnSets = (isNamed ? emailColumns : all).flatMap((email) => {
    const columnOf = (name: string): number => columns.indexOf(prefixedColumn(names[email] ?? '', name));
    const verdict = verdictColumns.map(columnOf);
    return verdict[0] === -1 ? [] : [{ email, verdict }];
  });
  if (columnSets.length > 0) return columnSets;
  const [email, ...others] = emailColumns;
  const unprefixed = verdictColumns.map((name) => columns.indexOf(name));
  const firstVerdictColumn = columns.length - emailColumns.length * verdictColumns.length;
  const hasSingleColumn = email !== undefined && others.length === 0;
  if (unprefixed[0] !== -1 && hasSingleColumn) return [{ email, verdict: unprefixed }];
  if (!hasHeader && firstVerdictColumn > 0) {
    return emailColumns.map((emailColumn, setIndex) => ({
      email: emailColumn,
      isGuessed: true,
      verdict: verdictColumns.map((_, index) => firstVerdictColumn + setIndex * verdictColumns.length + index),
    }));
  }
  if (unprefixed[0] !== -1 && others.length > 0) {
    throw new Failure('bad_input', `${quotedName(path)} has the verdicts of one column, but --column names several.`, {
      hint: 'Give the output of a run over the same columns.',
    });
  }
  throw noResultsFailure(path);
}

function itemAt(cells: readonly string[], columns: VerdictColumns): OutputItem | null {
  const { email: emailColumn, verdict, isGuessed = false } = columns;
  const [status = '', subStatus = '', confidence = '', safe = '', didYouMean = ''] = verdict.map(
    (column) => cells[column] ?? '',
  );
  const email = extractAddress(cells[emailColumn] ?? '');
  if (email === '' || !isAnswer(status, subStatus)) return null;
  if (isGuessed && !(statuses as readonly string[]).includes(status)) return null;
  const item: OutputItem = { email, status, is_valid: status === 'valid', confidence: Number(confidence) || 0 };
  // A valid address needs no reason.
  if (subStatus !== '' || status === 'valid') item.sub_status = subStatus;
  if (safe !== '') item.safe_to_send = safe === 'true';
  if (didYouMean !== '') item.did_you_mean = didYouMean;
  return item;
}
