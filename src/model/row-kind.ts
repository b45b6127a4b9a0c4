/** What the rows of a list are sorted into: those to write to, those to look at, and those to remove. */
export const rowKinds = ['clean', 'review', 'rejected'] as const;

export type RowKind = (typeof rowKinds)[number];

/**
 * One of the three, by the statuses of all addresses of the row: only who has nothing but good ones is clean, and what is neither that
 * nor all bad is to be looked at; so is a row without an address or an answer.
 */
export function rowKindOf(statuses: readonly string[]): RowKind {
  if (statuses.length > 0 && statuses.every((status) => status === 'valid')) return 'clean';
  return statuses.length > 0 && statuses.every((status) => status === 'invalid') ? 'rejected' : 'review';
}
