/**
 * The first `max` of sorted reasons, and those that one line sums up. That line never stands for a single reason, and not
 * for `several_addresses`: such cells are unknown, but not asked again.
 */
export function splitReasons<Reason extends { code: string }>(
  reasons: readonly Reason[],
  max: number,
): { shown: Reason[]; others: Reason[] } {
  const rest = reasons.slice(max).filter(({ code }) => code !== 'several_addresses');
  const others = rest.length > 1 ? rest : [];
  return { shown: reasons.filter((reason) => !others.includes(reason)), others };
}
