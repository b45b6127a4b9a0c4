import { emptyVerdict, type RowVerdict } from '../../model/job.js';
import { statuses } from '../../model/verdict.js';

/** The columns that a verdict adds to the input's own. */
export const verdictColumns: readonly string[] = [
  'mailvet_status',
  'mailvet_sub_status',
  'mailvet_confidence',
  'mailvet_safe_to_send',
  'mailvet_did_you_mean',
];

/** The column that says what changed since an earlier output. */
export const changeColumn = 'mailvet_change';
/** The column that keeps the address as it was before it was corrected. */
export const fixedColumn = 'mailvet_fixed';

/** The names of those columns, and of what else is added, where several columns of a list are vetted: each column's own stand before them. */
export function verdictColumnsOf(emailColumns: readonly string[], added: readonly string[] = []): readonly string[] {
  const ours = [...verdictColumns, ...added];
  if (emailColumns.length <= 1) return ours;
  return emailColumns.flatMap((column) => ours.map((name) => ownName(column, name)));
}

/** What a column of ours is called where it belongs to one of several. */
export function ownName(column: string, ours: string): string {
  return `${column}_${ours}`;
}

/** True for a column that an earlier run of ours added. */
export function isVerdictColumn(name: string): boolean {
  return verdictColumns.some((ours) => name === ours || name.endsWith(`_${ours}`));
}

/** What stands in those columns; nothing while there is no verdict. */
export function verdictCells(verdict: RowVerdict | null): string[] {
  if (verdict === null) return ['', '', '', '', ''];
  const { status, sub_status, confidence, safe_to_send, did_you_mean } = verdict;
  if (status === emptyVerdict.status) return [status, '', '', '', ''];
  return [status, sub_status, String(confidence), String(safe_to_send), did_you_mean ?? ''];
}

/** Where verdicts stand in a table. */
interface VerdictPlaces {
  /** The heading of the table with its verdicts. */
  columns: readonly string[];
  /** For each column of the input, which cell of the verdict takes its place; -1 where it is the input's own. */
  inside: readonly number[];
  /** The cells of the verdict that follow the input's own. */
  behind: readonly number[];
  /** A row with its verdict; what a long row has too much goes last. */
  place(cells: readonly string[], verdict: readonly string[]): readonly string[];
}

/** True where the last cells of a row are a verdict of ours: how an output without a header is known. */
export function endsInVerdict(cells: readonly string[]): boolean {
  const [status = '', , confidence = '', safe = ''] = cells.slice(-verdictColumns.length);
  if (cells.length <= verdictColumns.length) return false;
  if (status === emptyVerdict.status) return confidence === '' && safe === '';
  return (
    statuses.some((known) => known === status) && /^[01](?:\.\d+)?$/.test(confidence) && /^(?:true|false|)$/.test(safe)
  );
}

/** What may follow a verdict in an output, and how it is known. */
const endings: readonly { added: readonly string[]; fits: (cells: readonly string[]) => boolean }[] = [
  { added: [], fits: () => true },
  { added: [changeColumn], fits: ([change = '']) => isChange(change) },
  { added: [fixedColumn], fits: ([fixed = '']) => isFixed(fixed) },
  { added: [fixedColumn, changeColumn], fits: ([fixed = '', change = '']) => isFixed(fixed) && isChange(change) },
];

/** The verdicts at the end of rows that have no header: how many, and what is added to each. */
interface VerdictsBehind {
  verdicts: number;
  added: readonly string[];
}

/** Finds them; none where the rows are not of an output of ours. */
export function verdictsBehind(rows: readonly (readonly string[])[]): VerdictsBehind {
  for (const { added, fits } of endings) {
    const width = verdictColumns.length + added.length;
    const hasOneMore = (found: number): boolean =>
      rows.every((cells) => {
        const end = cells.length - found * width;
        return endsInVerdict(cells.slice(0, end - added.length)) && fits(cells.slice(end - added.length, end));
      });
    let verdicts = 0;
    while (rows.length > 0 && hasOneMore(verdicts)) verdicts++;
    if (verdicts > 0) return { verdicts, added };
  }
  return { verdicts: 0, added: [] };
}

function isChange(cell: string): boolean {
  return /^(?:new|same|gone|\w+→\w+|)$/.test(cell);
}

function isFixed(cell: string): boolean {
  return cell === '' || cell.includes('@');
}

/** The verdict takes the columns of an earlier run, which have just our names, and those that are missing follow the input's own. */
export function placeVerdict(columns: readonly string[], ours: readonly string[] = verdictColumns): VerdictPlaces {
  const inside = columns.map((name) => ours.indexOf(name));
  const behind = ours.map((_, index) => index).filter((index) => !inside.includes(index));
  return {
    columns: [...columns, ...behind.map((index) => ours[index] ?? '')],
    inside,
    behind,
    place: (cells, verdict) => {
      if (behind.length === ours.length) return widenRow(cells, columns.length, verdict);
      const own = inside.map((place, index) => (place === -1 ? cells[index] : verdict[place]) ?? '');
      return [...own, ...behind.map((index) => verdict[index] ?? ''), ...cells.slice(columns.length)];
    },
  };
}

/**
 * A row with cells added behind its columns: a short row is filled up first, and what a long row has too much goes last, so that
 * the added cells stand under their own headings either way.
 */
export function widenRow(cells: readonly string[], columnCount: number, added: readonly string[]): string[] {
  if (cells.length === columnCount) return cells.concat(added);
  const own = cells.slice(0, columnCount);
  while (own.length < columnCount) own.push('');
  return [...own, ...added, ...cells.slice(columnCount)];
}
