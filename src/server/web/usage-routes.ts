import type { UsageCount } from '../../jobs/store/usage.js';
import type { Status } from '../../model/verdict.js';
import type { OwnerUsage, ReasonCount, UsageDay, UsageView } from '../../wire/app.js';
import { dayOf, usageDays } from '../observe/usage.js';
import type { Handlers } from '../routes/router.js';
import { callerOf, isKey } from '../server-context.js';
import { ownerNames } from './job-access.js';
import type { WebContext } from './web-context.js';

const dayMs = 24 * 60 * 60_000;
const maxEntries = 20;
/** The Usage page: members and administrators see all usage, a key sees its own. */
export function usageHandlers(context: WebContext) {
  const { store, usage } = context;
  return {
    usage: async ({ request, query: { days } }) => {
      await usage.flush();
      const owner = isKey(request) ? callerOf(request).id : null;
      const kept = await store.readUsage(owner, dayOf(Date.now() - usageDays * dayMs));
      const used = kept.filter(({ kind }) => kind !== 'domain').map(({ day }) => day);
      const lastDay = Date.parse(used.sort().at(-1) ?? dayOf(Date.now()));
      const dayNames = Array.from({ length: days }, (_, at) => dayOf(lastDay - (days - 1 - at) * dayMs));
      const view = viewOf(await store.readUsage(owner, dayNames[0] ?? ''), dayNames);
      const ids = view.owners.map(({ owner }) => owner.id);
      const ownerOf = await ownerNames(context, ids);
      const withName = ({ owner, ...used }: OwnerUsage): OwnerUsage => ({
        owner: owner.kind === 'others' ? owner : ownerOf(owner.id),
        ...used,
      });
      return { ...view, owners: view.owners.map(withName) };
    },
  } satisfies Partial<Handlers>;
}

/** The view without the names of owners, which are looked up only for the owners that are shown. */
function viewOf(counts: readonly UsageCount[], dayNames: readonly string[]): UsageView {
  const days = new Map<string, UsageDay>(
    dayNames.map((day) => [day, { day, requests: 0, valid: 0, risky: 0, invalid: 0, unknown: 0 }]),
  );
  const owners = new Map<string, OwnerUsage>();
  const reasons = new Map<string, ReasonCount>();
  for (const { day: dayName, owner, kind, name, count } of counts) {
    const day = days.get(dayName);
    if (kind === 'domain' || day === undefined) continue;
    const ownerUsage = owners.get(owner) ?? {
      owner: { kind: 'key' as const, id: owner, name: '' },
      requests: 0,
      addresses: 0,
      by_day: dayNames.map(() => 0),
    };
    owners.set(owner, ownerUsage);
    if (kind === 'request') {
      day.requests += count;
      ownerUsage.requests += count;
      continue;
    }
    const [status, sub] = parseVerdict(name);
    day[status] += count;
    ownerUsage.addresses += count;
    const dayIndex = dayNames.indexOf(dayName);
    ownerUsage.by_day[dayIndex] = (ownerUsage.by_day[dayIndex] ?? 0) + count;
    addReason(reasons, status, sub, count);
  }
  const domains = counts.filter(({ kind }) => kind === 'domain').map(({ name, count }) => ({ name, count }));
  return {
    days: [...days.values()],
    owners: sumOthers([...owners.values()].sort((one, other) => other.addresses - one.addresses)),
    reasons: [...reasons.values()].sort((one, other) => other.count - one.count).slice(0, maxEntries),
    domains: domains.slice(0, maxEntries),
  };
}

function parseVerdict(text: string): [Status, string] {
  const [status = '', sub = ''] = text.split(' ');
  return [status === 'valid' || status === 'risky' || status === 'invalid' ? status : 'unknown', sub];
}

function addReason(reasons: Map<string, ReasonCount>, status: Status, code: string, count: number): void {
  if (code === '') return;
  const existing = reasons.get(code);
  if (existing !== undefined) existing.count += count;
  else reasons.set(code, { code, status, count });
}

/** Combines all but the top owners, so that totals stay right. */
function sumOthers(owners: readonly OwnerUsage[]): OwnerUsage[] {
  if (owners.length <= maxEntries) return [...owners];
  const others = owners.slice(maxEntries - 1);
  const sum = (amountOf: (usage: OwnerUsage) => number): number =>
    others.reduce((total, usage) => total + amountOf(usage), 0);
  const owner = { kind: 'others' as const, id: 'others', name: `${others.length} others` };
  const by_day = others[0]?.by_day.map((_, at) => sum((usage) => usage.by_day[at] ?? 0)) ?? [];
  const rest = { owner, requests: sum((usage) => usage.requests), addresses: sum((usage) => usage.addresses), by_day };
  return [...owners.slice(0, maxEntries - 1), rest];
}
