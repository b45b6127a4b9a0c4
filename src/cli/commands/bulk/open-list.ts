import { count } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import { openRows } from '../../../rows/open-rows.js';
import { firstRows, sampleRows } from '../../../rows/pick-rows.js';
import type { Row, RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import type { BulkOptions } from './bulk-options.js';

/** Opens the lists as one, as far as `--limit` or `--sample` allows. */
export async function openList(
  { signal, terminal }: Context,
  { paths, list }: Pick<BulkOptions, 'paths' | 'list'>,
): Promise<RowSource> {
  const { limit, sample, ...options } = list;
  const source =
    paths.length === 0
      ? // A pipe may be empty; a file that is named should not be.
        await openRows({ stream: terminal.stdin.stream }, { ...options, mayBeEmpty: true, signal })
      : await openFiles(paths, (path) => openRows({ path }, { ...options, signal }));
  if (limit !== undefined) {
    return withPart(source, firstRows(source.chunks, limit), `--limit took the first ${count(limit)}.`);
  }
  if (sample === undefined) return source;
  return withPart(source, sampleRows(source.chunks, sample), `--sample took ${count(sample)} of them.`);
}

/** The source with a part of its rows. The summary gives the number of all rows, too. */
function withPart(source: RowSource, chunks: RowSource['chunks'], sentence: string): RowSource {
  const summarize = (): string | null => {
    const summary = source.summarize();
    return summary === null ? null : `${summary} ${sentence}`;
  };
  return { ...source, chunks, summarize };
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
    for (const source of sources) {
      const isAlike = source.delimiter === first?.delimiter && source.lineEnd === first.lineEnd;
      if (isAlike) yield* source.chunks;
      // Without their raw text, rows are written with the delimiter of the first list.
      else for await (const rows of source.chunks) yield rows.map(({ text: _, ...row }) => row);
    }
  }
  const sum = (numberOf: (source: RowSource) => number): number =>
    sources.reduce((total, source) => total + numberOf(source), 0);
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
    notes: () => sources.flatMap((source) => source.notes()),
    warnings: () => sources.flatMap((source) => source.warnings()),
    columnWarnings: () => sources.flatMap((source) => source.columnWarnings?.() ?? []),
    summarize: () => sources.flatMap((source) => source.summarize() ?? []).join(' ') || null,
    close: async () => {
      for (const source of sources) await source.close();
    },
  };
}

/** Results are written in the columns of the first list. */
function requireSameColumns(first: RowSource, firstPath = '', other: RowSource, otherPath = ''): void {
  if (other.columns.join('\n') !== first.columns.join('\n')) {
    throw new Failure('usage', `${otherPath} has other columns than ${firstPath}.`, {
      hint: 'Lists that are vetted in one run need the same columns. Vet them one by one.',
    });
  }
  const names = ({ columns, emailColumns }: RowSource): string =>
    emailColumns.map((at) => JSON.stringify(columns[at])).join(' and ');
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
