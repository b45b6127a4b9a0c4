import type { OnVerdict } from '../../jobs/queue/work-jobs.js';
import type { UsageCount, UsageStore } from '../../jobs/store/usage.js';
import { domainIn } from '../../report/result-domain.js';

/** Counts usage by owner and day. No address is kept. */
export type UsageCounter = ReturnType<typeof openUsage>;

/** Counts of one owner and day, until they are written. */
interface OwnerCounts {
  requests: number;
  verdicts: Map<string, number>;
  domains: Map<string, number>;
}

const writeIntervalMs = 5_000;
const dayMs = 24 * 60 * 60_000;
export const usageDays = 90;
/** Bounds the distinct domains between two writes; later ones are left out. */
const maxDomains = 2_000;
const maxDomainLength = 255;

/** Counts in memory and writes every few seconds. */
export function openUsage(store: UsageStore, onError: (error: unknown) => void, now: () => number = Date.now) {
  let pending = new Map<string, OwnerCounts>();
  let day = '';
  let dayEnds = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> = Promise.resolve();

  const write = (): Promise<void> => {
    if (pending.size === 0) return writing;
    const counts = countsOf(day, pending);
    pending = new Map();
    writing = writing.then(() => store.addUsage(counts)).catch(onError);
    return writing;
  };
  const startDay = (at: number): void => {
    void write();
    day = dayOf(at);
    dayEnds = Date.parse(day) + dayMs;
    const oldest = dayOf(at - usageDays * dayMs);
    writing = writing.then(() => store.pruneUsage(oldest)).catch(onError);
  };
  const countsFor = (owner: string): OwnerCounts => {
    const time = now();
    if (time >= dayEnds || time < dayEnds - dayMs) startDay(time);
    const existing = pending.get(owner);
    if (existing !== undefined) return existing;
    const created: OwnerCounts = { requests: 0, verdicts: new Map(), domains: new Map() };
    pending.set(owner, created);
    return created;
  };
  const timer = setInterval(() => void write(), writeIntervalMs).unref();
  return {
    request: (owner: string) => {
      countsFor(owner).requests++;
    },
    verdict: (owner: string, status: string, subStatus: string, domain: string) => {
      const { verdicts, domains } = countsFor(owner);
      const name = `${status} ${subStatus}`;
      verdicts.set(name, (verdicts.get(name) ?? 0) + 1);
      if (domain === '' || domain.length > maxDomainLength || subStatus === 'failed_syntax_check') return;
      const count = domains.get(domain);
      if (count !== undefined) domains.set(domain, count + 1);
      else if (domains.size < maxDomains) domains.set(domain, 1);
    },
    flush: write,
    close: () => {
      clearInterval(timer);
      return write();
    },
  };
}

/** The day in UTC, in the form 2026-11-15. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function countsOf(day: string, pending: ReadonlyMap<string, OwnerCounts>): UsageCount[] {
  return [...pending].flatMap(([owner, { requests, verdicts, domains }]) => [
    ...(requests > 0 ? [{ day, owner, kind: 'request' as const, name: '', count: requests }] : []),
    ...[...verdicts].map(([name, count]) => ({ day, owner, kind: 'verdict' as const, name, count })),
    ...mostFrequent(domains).map(([name, count]) => ({ day, owner, kind: 'domain' as const, name, count })),
  ]);
}

/** Domains of one owner in one write. */
const maxDomainsPerWrite = 200;

function mostFrequent(domains: ReadonlyMap<string, number>): [string, number][] {
  const entries = [...domains];
  return entries.length <= maxDomainsPerWrite
    ? entries
    : entries.sort((one, other) => other[1] - one[1]).slice(0, maxDomainsPerWrite);
}

export function countVerdicts(usage: UsageCounter): OnVerdict {
  return ({ owner }, email, { status, sub_status }) => usage.verdict(owner, status, sub_status, domainIn(email));
}
