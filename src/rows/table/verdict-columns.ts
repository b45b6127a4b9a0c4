import { distinctNames } from '../../model/distinct-names.js';
import { emptyVerdict, type JobResults, type ListRow, type RowVerdict, suppressedVerdict } from '../../model/job.js';

/** The columns of a verdict. */
export const verdictColumns: readonly string[] = [
  'mailvet_status',
  'mailvet_sub_status',
  'mailvet_confidence',
  'mailvet_safe_to_send',
  'mailvet_did_you_mean',
];

/** The names of all columns that are added to a list; with several email columns, once for each, with its name as a prefix. */
export function addedColumnsOf({
  columns,
  emailColumns = [],
}: Pick<JobResults, 'columns' | 'emailColumns'>): readonly string[] {
  if (emailColumns.length <= 1) return verdictColumns;
  const names = distinctNames(columns);
  return emailColumns.flatMap((at) => verdictColumns.map((name) => prefixedColumn(names[at] ?? '', name)));
}

/** The name of an added column that belongs to one of several email columns. */
export function prefixedColumn(column: string, ours: string): string {
  return `${column}_${ours}`;
}

/** Collects the added cells of a row with several addresses; null until its last one. */
export function createPartJoiner(): (row: ListRow, cells: readonly string[]) => readonly string[] | null {
  let joined: string[] = [];
  return ({ part }, cells) => {
    if (part === undefined) return cells;
    joined = part.index === 0 ? [...cells] : [...joined, ...cells];
    return part.index === part.of - 1 ? joined : null;
  };
}

/** True for a column that an earlier run added. */
export function isVerdictColumn(name: string): boolean {
  return verdictColumns.some((ours) => name === ours || name.endsWith(`_${ours}`));
}

/** The cells of a verdict; empty while there is none. */
export function verdictCells(verdict: RowVerdict | null): string[] {
  if (verdict === null) return ['', '', '', '', ''];
  const { status, sub_status, confidence, safe_to_send, did_you_mean } = verdict;
  // A row that is not vetted.
  if (status === emptyVerdict.status || status === suppressedVerdict.status) return [status, '', '', '', ''];
  return [status, sub_status, String(confidence), String(safe_to_send), did_you_mean ?? ''];
}

/** Where the verdict of a row is written. */
interface VerdictPlacement {
  /** The header with the added columns. */
  columns: readonly string[];
  /** True if all added cells follow the input's own. */
  isAppended: boolean;
  /** A row with the added cells; extra cells of a long row go last. */
  merge(cells: readonly string[], verdict: readonly string[]): readonly string[];
}

/** Places added cells in the columns of an earlier run with the same name, and after the input's own if there is none. */
export function placeVerdict(columns: readonly string[], added: readonly string[]): VerdictPlacement {
  const replacedBy = columns.map((name) => added.indexOf(name));
  const appended = added.map((_, index) => index).filter((index) => !replacedBy.includes(index));
  const isAppended = appended.length === added.length;
  return {
    columns: [...columns, ...appended.map((index) => added[index] ?? '')],
    isAppended,
    merge: (cells, verdict) => {
      if (isAppended) return appendCells(cells, columns.length, verdict);
      const merged = replacedBy.map((place, index) => (place === -1 ? cells[index] : verdict[place]) ?? '');
      return [...merged, ...appended.map((index) => verdict[index] ?? ''), ...cells.slice(columns.length)];
    },
  };
}

/** A row with cells added under their own headings: a short row is filled up first, and extra cells of a long row go last. */
function appendCells(cells: readonly string[], columnCount: number, added: readonly string[]): string[] {
  if (cells.length === columnCount) return cells.concat(added);
  const kept = cells.slice(0, columnCount);
  while (kept.length < columnCount) kept.push('');
  return [...kept, ...added, ...cells.slice(columnCount)];
}
