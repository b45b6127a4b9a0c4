const signs: Record<string, { sign: string; ascii: string }> = {
  valid: { sign: '✔', ascii: '+' },
  risky: { sign: '▲', ascii: '!' },
  invalid: { sign: '✖', ascii: 'x' },
  unknown: { sign: '?', ascii: '?' },
};

/** The four statuses in the order in which they are always shown. */
export const statusOrder = ['valid', 'risky', 'invalid', 'unknown'] as const;

/** The sign that stands beside a status, so that color is never needed; a word that we do not know counts as unknown. */
export function signOf(status: string, unicode: boolean): string {
  const { sign, ascii } = (Object.hasOwn(signs, status) ? signs[status] : undefined) ?? { sign: '?', ascii: '?' };
  return unicode ? sign : ascii;
}
