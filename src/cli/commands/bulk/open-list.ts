import { namesAt } from '../../../model/distinct-names.js';
import { Failure } from '../../../model/failure.js';
import { limited, openRows } from '../../../rows/open-rows.js';
import type { Row, RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import type { Guards } from '../../flags/guards.js';
import { type ListOptions, type ReviewOptions, type RunOptions, suppressedNote } from '../../flags/list-flags.js';
import type { OutputOptions } from '../../flags/output-flags.js';
import { type Format, formatKind } from '../../render/rows/formats.js';

/** The options of `bulk`. */
export interface BulkOptions {
  /** The lists, in order; none for stdin. */
  paths: readonly string[];
  /** True if `-` requested stdin. */
  namesStdin: boolean;
  output: OutputOptions;
  list: ListOptions;
  run: RunOptions;
  review: ReviewOptions;
  guards: Guards;
  dryRun: boolean;
}

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
  const opened =
    paths.length === 0
      ? // A pipe may be empty; a file that is named should not be.
        await openRows({ stream: terminal.stdin.stream }, { ...options, mayBeEmpty: true, signal })
      : await openFiles(paths, (path) => openRows({ path }, { ...options, signal }));
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
  for (const [index, other] of others.entries()) requireSameColumns(first, paths[0], other, paths[index + 1]);
  async function* chunks(): AsyncGenerator<Row[]> {
    for (const { delimiter, lineEnd, chunks: own } of sources) {
      if (delimiter === first?.delimiter && lineEnd === first.lineEnd) yield* own;
      // Without their raw text, rows are written with the delimiter of the first list.
      else for await (const rows of own) yield rows.map(withoutText);
    }
  }
  const sum = (numberOf: (source: RowSource) => number): number =>
    sources.reduce((total, source) => total + numberOf(source), 0);
  const withNames = (textsOf: (source: RowSource) => string | string[]): string[] =>
    sources.flatMap((source, index) => [textsOf(source)].flat().map((text) => `${paths[index]}: ${text}`));
  return {
    ...first,
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

/** A copy: cells are parsed when they are read. */
function withoutText({ cells, email, line = 0, json, part }: Row): Row {
  return { cells, email, line, ...(json !== undefined && { json }), ...(part && { part }) };
}

/** Several lists are one if their columns have the same names, in any case, and the addresses are in the same ones. */
function requireSameColumns(first: RowSource, firstPath = '', other: RowSource, otherPath = ''): void {
  const namesOf = ({ columns }: RowSource): string => columns.join('\n').toLowerCase();
  if (namesOf(other) !== namesOf(first)) {
    throw new Failure('usage', `${otherPath} has other columns than ${firstPath}.`, { hint: 'Vet them one by one.' });
  }
  const names = ({ columns, emailColumns }: RowSource): string =>
    namesAt(columns, emailColumns)
      .map((name) => JSON.stringify(name))
      .join(' and ');
  if (String(other.emailColumns) === String(first.emailColumns)) return;
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
