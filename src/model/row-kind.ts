/** The three output files of `--clean`. */
export const rowKinds = ['clean', 'review', 'rejected'] as const;

export type RowKind = (typeof rowKinds)[number];

/** The kind of a row by the statuses of its addresses: all valid is clean, all invalid or suppressed is rejected, others are review. */
export function rowKindOf(statuses: readonly string[]): RowKind {
  if (statuses.length === 0) return 'review';
  if (statuses.every((status) => status === 'valid')) return 'clean';
  return statuses.every((status) => status === 'invalid' || status === 'suppressed') ? 'rejected' : 'review';
}
