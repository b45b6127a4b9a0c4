const signs: Record<string, { sign: string; ascii: string }> = {
  valid: { sign: '✔', ascii: '+' },
  risky: { sign: '▲', ascii: '!' },
  invalid: { sign: '✖', ascii: 'x' },
  unknown: { sign: '?', ascii: '?' },
};

/** The statuses in display order. */
export const statusOrder = ['valid', 'risky', 'invalid', 'unknown'] as const;

/** The symbol of a status, so that color is not needed; an unrecognized status counts as unknown. */
export function signOf(status: string, unicode: boolean): string {
  const { sign, ascii } = (Object.hasOwn(signs, status) ? signs[status] : undefined) ?? { sign: '?', ascii: '?' };
  return unicode ? sign : ascii;
}
