import { count } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import { openRows } from '../../../rows/open-rows.js';
import { firstRows, sampleRows } from '../../../rows/pick-rows.js';
import type { ListStats, Row, RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import type { ListOptions } from '../../flags/list-flags.js';
import type { BulkOptions } from './bulk-options.js';

/** Opens the list, or several as one, and as much of it as is wished. */
export async function openList(context: Context, { paths, list, review }: BulkOptions): Promise<RowSource> {
  const source = await openAll(context, paths, list);
  const { limit, sample } = review;
  if (limit !== undefined) {
    return { ...taking(source, `--limit took the first ${count(limit)}.`), chunks: firstRows(source.chunks, limit) };
  }
  if (sample === undefined) return source;
  return { ...taking(source, `--sample took ${count(sample)} of them.`), chunks: sampleRows(source.chunks, sample) };
}

/** More is read than is taken, and the account says both. */
function taking(source: RowSource, what: string): RowSource {
  const account = (): string | null => {
    const read = source.summarize();
    return read === null ? null : `${read} ${what}`;
  };
  return { ...source, summarize: account };
}

async function openAll(context: Context, paths: readonly string[], list: ListOptions): Promise<RowSource> {
  const { signal } = context;
  const { raw: _, ...open } = list;
  // A pipe may well have nothing to give; a file that somebody names should hold something.
  if (paths.length === 0)
    return openRows({ stream: context.terminal.stdin.stream }, { ...open, mayBeEmpty: true, signal });
  const sources: RowSource[] = [];
  try {
    for (const path of paths) sources.push(await openRows({ path }, { ...open, signal }));
    return joinLists(sources, paths);
  } catch (error) {
    for (const source of sources) await source.close();
    throw error;
  }
}

/** Several lists as one: the rows of the first, then those of the next. */
function joinLists(sources: readonly RowSource[], paths: readonly string[]): RowSource {
  const [first, ...others] = sources;
  if (first === undefined) throw new Failure('usage', 'There is no list to read.');
  if (others.length === 0) return first;
  const stranger = others.findIndex((other) => other.columns.join('\n') !== first.columns.join('\n'));
  if (stranger !== -1) {
    throw new Failure('usage', `${paths[stranger + 1]} has other columns than ${paths[0]}.`, {
      hint: 'Lists that are vetted in one run need the same columns. Vet them one by one.',
    });
  }
  refuseOtherColumn(sources, paths);
  async function* chunks(): AsyncGenerator<Row[]> {
    for (const source of sources) {
      const isAlike = source.delimiter === first?.delimiter && source.lineEnd === first.lineEnd;
      if (isAlike) yield* source.chunks;
      // As it stood, a row would bring the delimiter of its own list along.
      else for await (const rows of source.chunks) yield rows.map(({ text: _, ...row }) => row);
    }
  }
  const sum = (figure: (source: RowSource) => number): number => sources.reduce((all, each) => all + figure(each), 0);
  const figures = (): ListStats => {
    const each = sources.map((source) => source.stats());
    const total = (name: keyof ListStats): number => each.reduce((all, found) => all + found[name], 0);
    return { rows: total('rows'), addresses: total('addresses'), empty: total('empty'), several: total('several') };
  };
  return {
    ...first,
    chunks: chunks(),
    stats: figures,
    otherColumns: () => otherColumnsOf(sources),
    skippedLines: () => sum((source) => source.skippedLines()),
    totalBytes: sources.some(({ totalBytes }) => totalBytes === null) ? null : sum(({ totalBytes }) => totalBytes ?? 0),
    bytesRead: () => sum((source) => source.bytesRead()),
    notes: () => sources.flatMap((source) => source.notes()),
    warnings: () => sources.flatMap((source) => source.warnings()),
    columnWarnings: () => sources.flatMap((source) => source.columnWarnings?.() ?? []),
    summarize: () =>
      sources
        .map((source) => source.summarize())
        .filter((text) => text !== null)
        .join(' ') || null,
    close: async () => {
      for (const source of sources) await source.close();
    },
  };
}

/** What is written back is written to the columns of the first. */
function refuseOtherColumn([first, ...others]: readonly RowSource[], paths: readonly string[]): void {
  const names = ({ columns, emailColumns }: RowSource) =>
    emailColumns.map((at) => JSON.stringify(columns[at])).join(' and ');
  const at = others.findIndex((other) => first !== undefined && names(other) !== names(first));
  const [other] = others.slice(at);
  if (at === -1 || first === undefined || other === undefined) return;
  const where = `${paths[at + 1]} has its addresses in ${names(other)}, but ${paths[0]} in ${names(first)}.`;
  throw new Failure('usage', where, { hint: 'Say which to vet with --column, or vet them one by one.' });
}

function otherColumnsOf(sources: readonly RowSource[]): { name: string; rows: number }[] {
  const rows = new Map<string, number>();
  for (const other of sources.flatMap((source) => source.otherColumns?.() ?? [])) {
    rows.set(other.name, (rows.get(other.name) ?? 0) + other.rows);
  }
  return [...rows].map(([name, count]) => ({ name, rows: count }));
}
