/** A number with separators: `12,000`. Avoids the slow first `toLocaleString` of a process. */
export function formatNumber(value: number): string {
  const [whole = '', fraction] = String(Math.round(value * 1000) / 1000).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A number with its noun: `1 credit`, `12,000 rows`. */
export function formatAmount(value: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(value)} ${value === 1 ? singular : plural}`;
}

/** A ratio as `97%`. */
export function formatPercent(ratio: number): string {
  return `${Math.round(ratio * 100)}%`;
}
