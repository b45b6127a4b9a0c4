type Counts = Readonly<Record<'rows' | 'duplicates' | 'empty' | 'suppressed' | 'reused', number>>;

/** The rows that a rate counts: all, or only the addresses that were asked if other answers were reused. */
export function rowsForRate({ rows, duplicates, empty, suppressed, reused }: Counts): number {
  return reused === 0 ? rows : rows - duplicates - empty - suppressed - reused;
}
