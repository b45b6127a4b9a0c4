import { formatAmount, formatNumber } from '../model/amount.js';
import { namesAt } from '../model/distinct-names.js';
import type { Row, RowSource } from './rows.js';

type Source = Omit<RowSource, 'emailColumn'>;

/** The first rows of a list. How many more were read ahead of them is not reported. */
export function takeFirst<Given extends Source>(source: Given, limit: number): Given {
  const taken = { rows: 0, addresses: 0 };
  async function* chunks(): AsyncGenerator<Row[]> {
    for await (const rows of firstRows(source.chunks, limit)) {
      taken.rows += rows.filter(startsRow).length;
      taken.addresses += rows.filter(({ email }) => email !== '').length;
      yield rows;
    }
  }
  const summarize = (): string | null => {
    // The list has no more rows.
    if (taken.rows < limit) return source.summarize();
    const first = `--limit took the first ${formatAmount(taken.rows, 'row')}`;
    if (source.summarize() === null) return `${first}.`;
    const names = namesAt(source.columns, source.emailColumns)
      .map((name) => JSON.stringify(name))
      .join(' and ');
    const place = source.columns.length > 1 ? ` in ${names}` : '';
    const addresses = formatAmount(taken.addresses, 'address', 'addresses');
    const others = (source.otherColumns?.() ?? []).map(({ name }) => JSON.stringify(name)).join(', ');
    const othersNote = others === '' ? '' : ` Other columns hold addresses that are not vetted: ${others}.`;
    return `${first}: ${addresses}${place}.${othersNote}`;
  };
  const part = (): string | null =>
    taken.rows < limit ? null : `the first ${formatAmount(taken.rows, 'row')} (--limit)`;
  return { ...source, chunks: chunks(), summarize, part };
}

/** A sample of the rows of a list. The summary also has the number of all rows. */
export function takeSample<Given extends Source>(source: Given, size: number, random?: () => number): Given {
  let all = 0;
  let taken = 0;
  async function* counted(): AsyncGenerator<Row[]> {
    for await (const rows of source.chunks) {
      all += rows.filter(startsRow).length;
      yield rows;
    }
  }
  async function* chunks(): AsyncGenerator<Row[]> {
    for await (const rows of sampleRows(counted(), size, random)) {
      taken += rows.filter(startsRow).length;
      for (const { onTaken } of rows) onTaken?.();
      yield rows;
    }
  }
  const share = (): string => `${formatNumber(taken)} of ${formatAmount(all, 'row')}`;
  const summarize = (): string | null => {
    const summary = source.summarize();
    return summary === null ? `--sample took ${share()}.` : `${summary} --sample took ${formatNumber(taken)} of them.`;
  };
  const part = (): string | null => (taken < all ? `only ${share()} (--sample)` : null);
  return { ...source, chunks: chunks(), summarize, part };
}

/** The first `limit` rows. A row of several addresses counts as one. The next row is not read: a pipe may never send it. */
export async function* firstRows(chunks: AsyncIterable<Row[]>, limit: number): AsyncGenerator<Row[]> {
  let rowCount = 0;
  if (limit === 0) return;
  for await (const chunk of chunks) {
    const last = chunk.findIndex((row) => endsRow(row) && ++rowCount === limit);
    if (last !== -1) {
      yield chunk.slice(0, last + 1);
      return;
    }
    yield chunk;
  }
}

/** A uniform random sample of rows, in the order of the list (Vitter's algorithm R). */
export async function* sampleRows(
  chunks: AsyncIterable<Row[]>,
  size: number,
  random: () => number = Math.random,
): AsyncGenerator<Row[]> {
  const chosen: { at: number; rows: Row[] }[] = [];
  let current: Row[] | null = null;
  let index = -1;
  for await (const chunk of chunks) {
    for (const row of chunk) {
      if (!startsRow(row)) {
        current?.push(row);
        continue;
      }
      index++;
      const slot = index < size ? index : Math.floor(random() * (index + 1));
      current = slot < size ? [row] : null;
      if (current !== null) chosen[slot] = { at: index, rows: current };
    }
  }
  const rows = chosen.sort((one, other) => one.at - other.at).flatMap((each) => each.rows);
  if (rows.length > 0) yield rows;
}

/** Reproducible random numbers from 0 to 1 (mulberry32 by Tommy Ettinger). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** True for the first address of a row. */
export function isFirstPart({ part }: Row): boolean {
  return part === undefined || part.index === 0;
}

/** True for the first address of a row of the list. */
function startsRow({ part, split }: Row): boolean {
  return (part ?? split ?? { index: 0 }).index === 0;
}

function endsRow({ part, split }: Row): boolean {
  const { index, of } = part ?? split ?? { index: 0, of: 1 };
  return index === of - 1;
}
