import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createBatcher } from '../../async/batcher.js';
import { lazy } from '../../async/lazy.js';
import { withTimeout } from '../../async/with-timeout.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import { openStore, type StoreLocation } from '../../jobs/store/open-store.js';
import { spellingKey, spellingMark } from '../../lists/mailbox-key.js';
import type { Bounce } from '../../model/bounce.js';
import { deliveryDays, type LearnedEvidence, type OwnDelivery } from '../../model/evidence.js';
import { Failure } from '../../model/failure.js';

/** What mail of our own showed of a mailbox, in Unix milliseconds; 0: it did not happen. All 0: it was mailed. */
export interface MailFacts {
  /** The first and the last time that it took mail since the last hard bounce. */
  first: number;
  last: number;
  bounced: number;
}

/** The mailboxes of a domain, or of all, that are on record. */
interface MailCounts {
  mailed: number;
  /** Those without a hard bounce since. */
  delivered: number;
  /** Those that took mail, and those of them that bounced after the days in which bounces come. */
  accepted: number;
  late: number;
}

const scope = 'mail';
/** The key of the counts over all domains. */
const everything = '@';
export const noFacts: MailFacts = { first: 0, last: 0, bounced: 0 };
const noCounts: MailCounts = { mailed: 0, delivered: 0, accepted: 0, late: 0 };
const dayMs = 86_400_000;
const batchSize = 20_000;
/** An address does not wait longer for what our own mail showed. */
const maxReadMs = 5_000;

/** What both say, in any order. A hard bounce takes back what was delivered before it. */
export function mergeFacts(one: MailFacts, other: MailFacts): MailFacts {
  const bounced = Math.max(one.bounced, other.bounced);
  const times = [one.first, one.last, other.first, other.last].filter((time) => time > bounced);
  const first = times.length === 0 ? 0 : Math.min(...times);
  return { first, last: Math.max(0, ...times), bounced };
}

/** What a bounce or a delivery shows; null if that is nothing, is too old, or is dated in the future. */
export function factsIn({ kind, date }: Pick<Bounce, 'kind' | 'date'>, now: number): MailFacts | null {
  if (kind !== 'delivered' && kind !== 'hard') return null;
  const isHard = kind === 'hard';
  const at = date === '' && isHard ? now : Date.parse(date);
  // Clocks differ. A bounce with an impossible date still takes back what was delivered until now.
  if (Number.isNaN(at) || now - at > deliveryDays.valid * dayMs || (!isHard && at - now > dayMs)) return null;
  const time = Math.min(at, now);
  return isHard ? { ...noFacts, bounced: time } : { first: time, last: time, bounced: 0 };
}

/** The key of an address, apart for local parts that differ in case. */
export function mailKey(email: string): string {
  return spellingKey(email, parseAddress(email));
}

/** `@example.com` */
function domainKey(key: string): string {
  const [mailbox = ''] = key.split(spellingMark);
  return mailbox.slice(mailbox.lastIndexOf('@'));
}

/**
 * What our own mail showed, in the memory of answers: facts by the keyed hash of a mailbox, and counts by that of a domain. Facts
 * count for 180 days; then `keep_answers` removes them.
 */
export function openLearned(location: StoreLocation, now: () => number = Date.now) {
  const opening = lazy(() => openStore(location).then(({ store }) => store));
  // Looking must not create a store.
  const isEmpty = (): boolean => location.address == null && !existsSync(join(location.home, 'store.db'));
  const read = async (keys: readonly string[]) => {
    const found = await (await opening.get()).findAnswers(scope, [...new Set(keys)]);
    return {
      factsOf: (key: string) => (found.get(key)?.answer ?? null) as MailFacts | null,
      countsOf: (key: string) => ({ ...noCounts, ...(found.get(key)?.answer as MailCounts | undefined) }),
    };
  };
  const find = createBatcher(
    async (keys: readonly string[]): Promise<LearnedEvidence[]> => {
      const reading = read([everything, ...keys, ...keys.map(domainKey)]);
      const late = new Failure('storage', 'The store gave no answer within 5 s.');
      const { factsOf, countsOf } = await withTimeout(reading, maxReadMs, late);
      return keys.map((key) => {
        const { delivered, mailed } = countsOf(domainKey(key));
        const facts = factsOf(key);
        const delivery = facts === null ? null : toEvidence(facts, countsOf(everything), now());
        return { ...(mailed > 0 && { deliveries: { delivered, mailed } }), ...(delivery && { delivery }) };
      });
    },
    { maxBatch: 500 },
  );
  const learnBatch = async (entries: readonly [string, MailFacts][], areClaims: boolean): Promise<void> => {
    const { factsOf, countsOf } = await read([everything, ...entries.flatMap(([key]) => [key, domainKey(key)])]);
    const counts = new Map<string, MailCounts>();
    const changed: { key: string; answer: object }[] = [];
    for (const [key, facts] of entries) {
      const before = factsOf(key);
      if (before === null && areClaims) continue;
      const answer = mergeFacts(before ?? noFacts, facts);
      if (JSON.stringify(answer) === JSON.stringify(before)) continue;
      changed.push({ key, answer });
      for (const name of [domainKey(key), everything]) {
        const current = counts.get(name) ?? countsOf(name);
        counts.set(name, updated(current, before, answer));
      }
    }
    const all = [...changed, ...[...counts].map(([key, answer]) => ({ key, answer }))];
    // Until it counts no more, it has no age that `keep_answers` would count.
    if (all.length > 0) await (await opening.get()).addAnswers(scope, all, now() + deliveryDays.valid * dayMs);
  };
  return {
    /** What was learned of an address and its domain. */
    find: async (email: string): Promise<LearnedEvidence> => (isEmpty() ? {} : find(mailKey(email))),
    /**
     * Adds facts; the same ones again change nothing. Of `claims`, which anybody can make, those count that are about mailboxes on
     * record. Returns the counts of all mailboxes.
     */
    learn: async (facts: Iterable<[string, MailFacts]>, claims: Iterable<[string, MailFacts]>): Promise<MailCounts> => {
      for (const [source, areClaims] of [[facts, false] as const, [claims, true] as const]) {
        const entries = [...source];
        for (let start = 0; start < entries.length; start += batchSize)
          await learnBatch(entries.slice(start, start + batchSize), areClaims);
      }
      return (await read([everything])).countsOf(everything);
    },
    /** Removes everything; false if there was nothing. */
    forget: async (): Promise<boolean> => !isEmpty() && (await (await opening.get()).dropAnswers(scope, null)) > 0,
    close: async (): Promise<void> => (await opening.opened())?.close(),
  };
}

/** Counts after the facts of a mailbox changed. */
function updated(counts: MailCounts, before: MailFacts | null, after: MailFacts): MailCounts {
  const isDelivered = ({ last, bounced }: MailFacts): boolean => last > 0 || bounced === 0;
  const hadMail = before !== null && before.last > 0;
  const isLate = hadMail && after.last === 0 && after.bounced - before.first >= deliveryDays.silent * dayMs;
  return {
    mailed: counts.mailed + (before === null ? 1 : 0),
    delivered: counts.delivered + Number(isDelivered(after)) - Number(before !== null && isDelivered(before)),
    accepted: counts.accepted + Number(after.last > 0 && !hadMail),
    late: counts.late + Number(isLate),
  };
}

function toEvidence(
  { first, last, bounced }: MailFacts,
  { accepted, late }: MailCounts,
  now: number,
): OwnDelivery | null {
  if (last === 0 && bounced === 0) return null;
  const day = (time: number): string | null => (time === 0 ? null : new Date(time).toISOString().slice(0, 10));
  const days = (time: number): number => (time === 0 ? 0 : Math.floor((now - time) / dayMs));
  return {
    ...{ first: day(first), last: day(last), bounced: day(bounced) },
    ...{ daysSinceFirst: days(first), daysSinceLast: days(last), accepted, late },
  };
}
