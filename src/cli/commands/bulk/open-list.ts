import { namesAt } from '../../../model/distinct-names.js';
import { Failure } from '../../../model/failure.js';
import { limited, openRows } from '../../../rows/open-rows.js';
import type { Row, RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { suppressedNote } from '../../flags/list-flags.js';
import { type Format, formatKind } from '../../render/rows/formats.js';
import type { BulkOptions } from './bulk-options.js';

/** A list, perhaps with suppression lists. */
export interface OpenedList extends RowSource {
  isSuppressed?: (email: string) => boolean;
}

/** Opens the lists as one, limited by `--limit`. */
export async function openList(
  context: Context,
  { paths, list, run }: Pick<BulkOptions, 'paths' | 'list' | 'run'>,
): Promise<OpenedList> {
  const { signal, terminal } = context;
  const { limit, ...reading } = list;
  const budget = limit === undefined ? null : { left: limit };
  const options = { ...reading, ...(budget && { budget }) };
  // Of several lists, --sheet is about the workbooks.
  const otherFiles: Failure[] = [];
  const onNoWorkbook = (failure: Failure) => void otherFiles.push(failure);
  const opened =
    paths.length === 0
      ? // A pipe may be empty; a file that is named should not be.
        await openRows({ stream: terminal.stdin.stream }, { ...options, mayBeEmpty: true, signal })
      : await openFiles(paths, (path) => openRows({ path }, { ...options, signal, onNoWorkbook }));
  if (otherFiles[0] !== undefined && otherFiles.length === paths.length) {
    await opened.close();
    throw otherFiles[0];
  }
  const source = budget === null ? opened : limited(opened, budget);
  return run.exclude.length === 0 ? source : suppressRows(source, run.exclude, context);
}

/** Marks the rows whose addresses are on one of the suppression lists. */
async function suppressRows(source: RowSource, exclude: readonly string[], context: Context): Promise<OpenedList> {
  const { readSuppression } = await import('../../../service/suppression.js');
  const isSuppressed = await readSuppression(exclude, context).catch(async (error) => {
    await source.close();
    throw error;
  });
  let suppressed = 0;
  async function* chunks(): AsyncGenerator<Row[]> {
    for await (const rows of source.chunks) {
      for (const row of rows) {
        if (row.email === '' || !isSuppressed(row.email)) continue;
        row.isSuppressed = true;
        suppressed++;
      }
      yield rows;
    }
  }
  const summarize = (): string | null => {
    return [source.summarize() ?? [], suppressedNote(suppressed) ?? []].flat().join(' ') || null;
  };
  return { ...source, chunks: chunks(), summarize, isSuppressed };
}

async function openFiles(paths: readonly string[], open: (path: string) => Promise<RowSource>): Promise<RowSource> {
  const sources: RowSource[] = [];
  try {
    for (const path of paths) sources.push(await open(path));
    return joinLists(sources, paths);
  } catch (error) {
    for (const source of sources) await source.close();
    throw error;
  }
}

function joinLists(sources: readonly RowSource[], paths: readonly string[]): RowSource {
  const [first, ...others] = sources;
  if (first === undefined) throw new Failure('usage', 'There is no list to read.');
  if (others.length === 0) return first;
  for (const [index, other] of others.entries()) requireMergeable(first, paths[0], other, paths[index + 1]);
  const indexOf = columnFinder(sources);
  const columns = mergeColumns(sources, indexOf);
  const addsNoColumns = columns.length === first.columns.length;
  async function* chunks(): AsyncGenerator<Row[]> {
    for (const source of sources) {
      const hasSameDialect = source.delimiter === first?.delimiter && source.lineEnd === first.lineEnd;
      const toMerged =
        addsNoColumns && hasSameColumns(source, first) ? null : mapCells(source, first, columns, indexOf);
      if (hasSameDialect && toMerged === null) yield* source.chunks;
      // Without their raw text, rows are written with the delimiter and the columns of all lists.
      else
        for await (const rows of source.chunks) {
          yield rows.map(({ cells, email, line = 0, json, part }) => ({
            cells: toMerged === null ? cells : toMerged(cells),
            ...{ email, line, ...(json !== undefined && { json }), ...(part && { part }) },
          }));
        }
    }
  }
  const sum = (numberOf: (source: RowSource) => number): number =>
    sources.reduce((total, source) => total + numberOf(source), 0);
  const withNames = (textsOf: (source: RowSource) => string | string[]): string[] =>
    sources.flatMap((source, index) => [textsOf(source)].flat().map((text) => `${paths[index]}: ${text}`));
  return {
    ...(addsNoColumns ? first : withoutHeaderText(first)),
    columns,
    chunks: chunks(),
    stats: () => ({
      rows: sum((source) => source.stats().rows),
      addresses: sum((source) => source.stats().addresses),
      empty: sum((source) => source.stats().empty),
      several: sum((source) => source.stats().several),
    }),
    otherColumns: () => sumOtherColumns(sources),
    skippedLines: () => sum((source) => source.skippedLines()),
    totalBytes: sources.some(({ totalBytes }) => totalBytes === null) ? null : sum(({ totalBytes }) => totalBytes ?? 0),
    bytesRead: () => sum((source) => source.bytesRead()),
    notes: () => withNames((source) => source.notes()),
    warnings: () => withNames((source) => source.warnings()),
    columnWarnings: () => withNames((source) => source.columnWarnings?.() ?? []),
    summarize: () => withNames((source) => source.summarize() ?? []).join(' ') || null,
    close: async () => {
      for (const source of sources) await source.close();
    },
  };
}

/** The columns of the first list, and after them those that only others have. */
function mergeColumns(sources: readonly RowSource[], indexOf: ColumnFinder): string[] {
  const [{ columns = [] } = {}] = sources;
  const merged = [...columns];
  for (const { columns: others, emailColumns } of sources.slice(1)) {
    for (const [index, name] of others.entries()) {
      if (!emailColumns.includes(index) && indexOf(merged, name) === -1) merged.push(name);
    }
  }
  return merged;
}

type ColumnFinder = (columns: readonly string[], name: string) => number;

/** Finds columns by name. Case is ignored, unless a list has two names that differ only by it. */
function columnFinder(sources: readonly RowSource[]): ColumnFinder {
  const isAmbiguous = (lower: string): boolean =>
    sources.some(({ columns }) => new Set(columns.filter((each) => each.toLowerCase() === lower)).size > 1);
  return (columns, name) => {
    const lower = name.toLowerCase();
    return isAmbiguous(lower) ? columns.indexOf(name) : columns.findIndex((each) => each.toLowerCase() === lower);
  };
}

/** Puts the cells of a list into merged columns: addresses into those of the first list, others by their names. */
function mapCells(
  { columns, emailColumns }: RowSource,
  first: RowSource | undefined,
  merged: readonly string[],
  indexOf: ColumnFinder,
): (cells: readonly string[]) => string[] {
  const targetIndexes = columns.map((name, index) => {
    const email = emailColumns.indexOf(index);
    return email === -1 ? indexOf(merged, name) : (first?.emailColumns[email] ?? -1);
  });
  return (cells) => {
    const mapped = merged.map(() => '');
    for (const [index, cell] of cells.entries()) {
      const target = targetIndexes[index] ?? -1;
      if (target === -1 || mapped[target] !== '') mapped.push(cell);
      else mapped[target] = cell;
    }
    return mapped;
  };
}

function hasSameColumns(one: RowSource, other: RowSource | undefined): boolean {
  return one.columns.join('\n') === other?.columns.join('\n');
}

function withoutHeaderText({ headerText: _, ...source }: RowSource): RowSource {
  return source;
}

/** Formats whose columns have names without a header. */
const namedFormats: readonly string[] = ['json', 'ndjson'];

/** Lists with other columns are merged by name, so each needs a header, and addresses in as many columns. */
function requireMergeable(first: RowSource, firstPath = '', other: RowSource, otherPath = ''): void {
  const isSame = hasSameColumns(first, other);
  const hasNames = [first, other].every(({ format, hasHeader }) => hasHeader || namedFormats.includes(format));
  if (!isSame && (!hasNames || first.emailColumns.length !== other.emailColumns.length)) {
    throw new Failure('usage', `${otherPath} has other columns than ${firstPath}.`, {
      hint: 'Lists are merged by the names of their columns, which each of them needs in a header. Vet them one by one.',
    });
  }
  if (!isSame) return;
  const names = ({ columns, emailColumns }: RowSource): string =>
    namesAt(columns, emailColumns)
      .map((name) => JSON.stringify(name))
      .join(' and ');
  if (names(other) === names(first)) return;
  const message = `${otherPath} has its addresses in ${names(other)}, but ${firstPath} in ${names(first)}.`;
  throw new Failure('usage', message, { hint: 'Choose the column with --column, or vet them one by one.' });
}

function sumOtherColumns(sources: readonly RowSource[]): { name: string; rows: number }[] {
  const rows = new Map<string, number>();
  for (const other of sources.flatMap((source) => source.otherColumns?.() ?? [])) {
    rows.set(other.name, (rows.get(other.name) ?? 0) + other.rows);
  }
  return [...rows].map(([name, total]) => ({ name, rows: total }));
}

/** Reports the number of rows, unless a summary does, and everything unusual in them. */
export function reportInput(
  { note, warn }: Context,
  source: RowSource,
  format: Format | null,
  { hasSummary = false }: { hasSummary?: boolean } = {},
): void {
  for (const text of source.warnings()) warn(text);
  if (formatKind(format) === 'cells') for (const text of source.columnWarnings?.() ?? []) warn(text);
  for (const text of source.notes()) note(text);
  const summary = source.summarize();
  if (!hasSummary && summary !== null && source.stats().rows > 0) note(summary);
}
