/** `rows` include duplicates and rows without an address. */
interface RateCounts {
  rows: number;
  duplicates: number;
  empty: number;
  suppressed: number;
  reused: number;
}

/** The rows that a rate counts: all, or only the addresses that were asked if other answers were reused. */
export function rowsForRate({ rows, duplicates, empty, suppressed, reused }: RateCounts): number {
  return reused === 0 ? rows : rows - duplicates - empty - suppressed - reused;
}
