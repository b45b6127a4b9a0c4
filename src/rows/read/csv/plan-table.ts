import { Failure } from '../../../model/failure.js';
import type { FileReading } from '../../../model/service.js';
import type { Row } from '../../rows.js';
import { isVerdictColumn, verdictColumns, verdictColumnsOf, verdictsBehind } from '../../table/verdict-columns.js';
import type { TextSource } from '../decode/open-text.js';
import { columnsByName, findEmailColumn, listColumns } from '../email-column.js';
import { holdsAddress } from '../find-addresses.js';
import { sampleRecords, tooLong } from './csv-parser.js';
import { findHeader } from './find-header.js';
import { sniffLayout } from './sniff-csv.js';

/** What a caller may settle about what a table looks like; the rest is found out. */
export interface TableOptions extends Pick<FileReading, 'header' | 'skipRows'> {
  /** A column's name, or its number from 1; several with commas between them. */
  column?: string;
  /** The same by number, from 0; it goes before a name. */
  columns?: readonly number[];
}

/** What a table looks like, by its beginning. */
interface TablePlan {
  delimiter: string;
  /** Characters before the first record. */
  skip: number;
  /** Records above the first row: junk, and the header. */
  above: number;
  junk: number;
  /** All that stands above the header, or above the first row where there is none. */
  opening: string;
  columns: string[];
  emailColumns: readonly number[];
  hasHeader: boolean;
  headerText: string | undefined;
  lineEnd: string;
}

/** Records that are looked at: more than a sample holds, unless they are so short that looking at all of them would keep others waiting. */
const maxLookedAt = 4_000;

/** A first record that does not end within that is none. */
const longestFirst = 64 * 1024;

type Beginning = Pick<TextSource, 'sample' | 'complete' | 'name'>;

/** The beginning that was looked at last: of a list that many download at once, each of them reads the same. */
let last: { text: Beginning; wishes: string; plan: TablePlan } | null = null;

/** Looks at the beginning of a table. Wishes that it cannot meet are a Failure. */
export function planTable({ sample, complete, name }: Beginning, wishes: TableOptions): TablePlan {
  const { column, columns, header, skipRows } = wishes;
  const asked = JSON.stringify([column, columns, header, skipRows]);
  const isSame =
    last !== null && last.text.complete === complete && last.text.name === name && last.text.sample === sample;
  if (last !== null && isSame && last.wishes === asked) return last.plan;
  const plan = lookAt({ sample, complete, name }, wishes);
  last = { text: { sample, complete, name }, wishes: asked, plan };
  return plan;
}

function lookAt({ sample, complete, name }: Beginning, wishes: TableOptions): TablePlan {
  const skipped = linesAbove(sample, wishes.skipRows ?? 0);
  const layout = sniffLayout(sample.slice(skipped), name);
  const skip = skipped + layout.skip;
  const records = sampleRecords(sample.slice(skip), layout.delimiter, { most: maxLookedAt, isCut: !complete });
  const isEndless = records.length === 0 && !complete && sample.length >= longestFirst && /[^\r\n]/.test(sample);
  if (isEndless) throw tooLong(1, sample.length);
  const found = wishes.header === undefined ? findHeader(records) : { junk: 0, hasHeader: wishes.header };
  const header = found.hasHeader ? records[found.junk] : undefined;
  const junk = records.slice(0, found.junk);
  const above = found.junk + (header === undefined ? 0 : 1);
  const rows = records.slice(above);
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const columns = header?.cells ?? madeUpNames(rows, width, wishes);
  const cells = rows.map((row) => row.cells);
  const named = namedColumns(wishes, columns);
  const emailColumns = named ?? guessed(findEmailColumn(header === undefined ? null : columns, cells));
  if (named !== null) refuseWrongColumn(emailColumns, columns, cells, complete && records.length < maxLookedAt);
  return {
    ...{ delimiter: layout.delimiter, skip, above, junk: junk.length, columns, emailColumns },
    opening: `${sample.slice(0, skip)}${junk.map((row) => row.text ?? '').join('')}`,
    hasHeader: header !== undefined,
    headerText: header?.text,
    lineEnd: lineEndIn(records[0]?.text),
  };
}

/** Names for columns that have none; those of an earlier run of ours are known by what is in them. */
function madeUpNames(sample: readonly Row[], width: number, wishes: TableOptions): string[] {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `column_${index + 1}`);
  const isEven = sample.every(({ cells }) => cells.length === width);
  const { verdicts, added } = isEven ? verdictsBehind(sample.map(({ cells }) => cells)) : { verdicts: 0, added: [] };
  if (verdicts === 0) return names(width);
  const each = verdictColumns.length + added.length;
  const own = names(width - verdicts * each);
  const vetted = (namedColumns(wishes, own) ?? []).map((column) => own[column] ?? '');
  if (verdicts > 1 && vetted.length === verdicts) return [...own, ...verdictColumnsOf(vetted, added)];
  return [...names(width - each), ...verdictColumns, ...added];
}

/** The columns that the caller settled; null where that is left to us. */
function namedColumns({ columns, column }: TableOptions, names: readonly string[]): readonly number[] | null {
  return columns ?? (column === undefined ? null : columnsByName(column, names));
}

function guessed(column: number | null): readonly number[] {
  return column === null ? [] : [column];
}

const enoughRows = 3;

/** A column that is named and holds no address while another does was named by mistake. */
function refuseWrongColumn(
  emailColumns: readonly number[],
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  isWhole: boolean,
): void {
  if (!isWhole && rows.length < enoughRows) return;
  for (const column of emailColumns) {
    const filled = rows.filter((cells) => (cells[column] ?? '').trim() !== '');
    if (filled.length === 0 || filled.some((cells) => holdsAddress(cells[column] ?? ''))) continue;
    const better = columns.findIndex(
      (name, index) => !isVerdictColumn(name) && rows.some((cells) => holdsAddress(cells[index] ?? '')),
    );
    if (better === -1) continue;
    throw new Failure('usage', `The column ${JSON.stringify(columns[column])} holds no addresses.`, {
      hint: `Did you mean ${JSON.stringify(columns[better])}? The columns are: ${listColumns(columns)}.`,
    });
  }
}

/** Where the given number of lines ends. */
function linesAbove(sample: string, count: number): number {
  let at = 0;
  for (let line = 0; line < count; line++) {
    const match = /\r\n?|\n/.exec(sample.slice(at));
    if (match === null) {
      throw new Failure('usage', `--skip-rows ${count} leaves nothing of the list.`, { hint: 'Skip fewer rows.' });
    }
    at += match.index + match[0].length;
  }
  return at;
}

function lineEndIn(text = ''): string {
  return /\r*\n$|\r$/.exec(text)?.[0] ?? '\n';
}
