import { distinctNames } from '../../model/distinct-names.js';
import { Failure } from '../../model/failure.js';
import { quotedName } from '../../model/text/shell-word.js';
import { statuses } from '../../model/verdict.js';
import { type CsvTable, openTable } from '../../rows/open-rows.js';
import { extractAddress } from '../../rows/read/find-addresses.js';
import { isFirstPart, type Row } from '../../rows/rows.js';
import { prefixedColumn, verdictColumns } from '../../rows/table/verdict-columns.js';
import { isHashed } from '../address-hash.js';
import { isAnswer, noResultsFailure, type OutputItem, type ReadingOptions } from './output-item.js';
import { noAnswer, type VerdictItem } from './run-verdicts.js';

/** The verdict columns by name; without a header, after those of the input. */
export async function* fromTable(
  path: string,
  column: string | undefined,
  { withSuppressed = false }: ReadingOptions,
): AsyncGenerator<readonly OutputItem[]> {
  const table = await openTable({ path }, column === undefined ? {} : { column });
  try {
    let verdictColumnSets: VerdictColumns[] | null = null;
    const findColumnSets = (rows: readonly Row[]): VerdictColumns[] =>
      findVerdictColumns(withHashes(table, rows), path, column !== undefined);
    for await (const rows of table.chunks) {
      const found: VerdictColumns[] = verdictColumnSets ?? findColumnSets(rows);
      verdictColumnSets = found;
      // A row of several addresses is repeated for each of them.
      yield rows
        .filter(isFirstPart)
        .flatMap(({ cells }) => found.flatMap((columnSet) => itemAt(cells, columnSet, withSuppressed) ?? []));
    }
    if (verdictColumnSets === null) findColumnSets([]);
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

/** The table; if neither a name nor an address tells the email column, with the one column that has hashes of them. */
function withHashes(table: CsvTable, rows: readonly Row[]): CsvTable {
  if (table.emailColumns.length > 0) return table;
  const hashed = table.columns.flatMap((_, at) => (rows.some(({ cells }) => isHashed(cells[at] ?? '')) ? [at] : []));
  return hashed.length === 1 ? { ...table, emailColumns: hashed } : table;
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

function itemAt(cells: readonly string[], columns: VerdictColumns, withSuppressed: boolean): VerdictItem | null {
  const { email: emailColumn, verdict, isGuessed = false } = columns;
  const [status = '', subStatus = '', confidence = '', safe = '', didYouMean = ''] = verdict.map(
    (column) => cells[column] ?? '',
  );
  const cell = cells[emailColumn] ?? '';
  const email = extractAddress(cell);
  // Earlier versions judged some cells with more than an address as a whole.
  if (subStatus === 'failed_syntax_check' && email !== cell) return null;
  // The last row may be truncated within its verdict.
  if (status === '' || subStatus === noAnswer || email === '' || cells.length <= Math.max(...verdict)) return null;
  if (!isAnswer(status, withSuppressed)) return null;
  if (isGuessed && !(statuses as readonly string[]).includes(status)) return null;
  const item: VerdictItem = { email, status, is_valid: status === 'valid', confidence: Number(confidence) || 0 };
  // A valid address needs no reason.
  if (subStatus !== '' || status === 'valid') item.sub_status = subStatus;
  if (safe !== '') item.safe_to_send = safe === 'true';
  if (didYouMean !== '') item.did_you_mean = didYouMean;
  return item;
}
