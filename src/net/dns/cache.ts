import { hasHigherPriority } from '../../async/caller.js';
import { LruMap } from '../../async/lru-map.js';
import { cancel } from './cancellation.js';
import { Question, type ResolverContext } from './question.js';
import type { RecordType } from './record-types.js';
import type { DnsAnswer, MxRecord } from './records.js';
import type { AwaitedAnswer, Waiter } from './waiter.js';

type Negative = Exclude<DnsAnswer<never>, { state: 'found' }>;

/** A name that was queried. It is one small object, since the garbage collector copies long-lived ones. */
class Entry<R> {
  /** Null until there is an answer. */
  answer: R[] | Negative | null = null;
  /** Whole seconds since the cache was created. */
  expiresAt = 0;
  /** The question in flight. */
  question: SharedQuestion<R> | null = null;
}

/** A list names one domain many times within seconds, so even a TTL of 0 is raised to the minimum. */
const foundSeconds = { min: 30, max: 3_600, default: 300 };
/** RFC 2308 §5 allows hours, but a domain that was just set up should not stay denied. */
const absentSeconds = { min: 30, max: 300, default: 60 };
/** RFC 9520 §3.2: a failure is cached briefly, so that a dead name server is not queried for every address. */
const failedSeconds = 10;
/** The limit for each record type. A hostile zone may fill every answer. */
const maxChars = 16 * 1024 * 1024;

/**
 * The answers for one record type, each kept for its TTL within our bounds. Equal questions in flight are asked once; an abort by one
 * caller does not affect the others, and the abort of the last caller cancels the question.
 */
export class DnsCache<R> {
  private readonly entries: LruMap<Entry<R>>;
  private readonly startedAt: number;

  constructor(
    private readonly kind: RecordType<R>,
    private readonly context: ResolverContext,
    maxEntries: number,
    private readonly maxSeconds = foundSeconds.max,
  ) {
    this.entries = new LruMap({ maxEntries, maxWeight: maxChars });
    this.startedAt = context.now();
  }

  /** Answers the waiter from the cache, or asks. */
  ask(name: string, waiter: Waiter<DnsAnswer<R>>): void {
    if (waiter.rejectIfAborted()) return;
    const entry = this.entries.getOrCreate(name, () => new Entry<R>());
    const { answer } = entry;
    if (answer !== null && entry.expiresAt > this.seconds()) {
      waiter.settle(Array.isArray(answer) ? { state: 'found', records: answer } : answer);
    } else if (entry.question !== null) entry.question.join(waiter);
    else {
      entry.question = new SharedQuestion(this.context, name, this.kind, this, entry);
      entry.question.join(waiter);
      entry.question.start();
    }
  }

  store(name: string, entry: Entry<R>, answer: DnsAnswer<R>, ttlSeconds: number | null): void {
    entry.answer = answer.state === 'found' ? answer.records : answer;
    entry.expiresAt = this.seconds() + Math.min(this.maxSeconds, lifetimeSeconds(answer, ttlSeconds));
    const chars = answer.state === 'found' ? charsOf(answer.records as (string | MxRecord)[]) : 0;
    this.entries.setWeight(name, chars);
  }

  cancelAll(): void {
    for (const { question } of this.entries.values()) if (question !== null) cancel(question);
  }

  private seconds(): number {
    return Math.floor((this.context.now() - this.startedAt) / 1_000);
  }
}

/** A question with the callers that wait for it. */
class SharedQuestion<R> extends Question<R> implements AwaitedAnswer<DnsAnswer<R>> {
  private waiters: Waiter<DnsAnswer<R>>[] = [];

  constructor(
    context: ResolverContext,
    private readonly key: string,
    kind: RecordType<R>,
    private readonly cache: DnsCache<R>,
    private readonly entry: Entry<R>,
  ) {
    super(context, key, kind);
  }

  join(waiter: Waiter<DnsAnswer<R>>): void {
    const { caller } = waiter;
    if (this.waiters.length === 0) this.caller = caller;
    else if (hasHigherPriority(caller, this.caller)) this.context.slots.raisePriority(this, caller);
    this.waiters.push(waiter);
    waiter.waitFor(this);
  }

  leave(waiter: Waiter<DnsAnswer<R>>): void {
    this.waiters = this.waiters.filter((other) => other !== waiter);
    if (this.waiters.length > 0) return;
    this.clearInFlight();
    cancel(this);
  }

  protected override onAnswered(answer: DnsAnswer<R>, ttlSeconds: number | null): void {
    if (!this.canceled) this.cache.store(this.key, this.entry, answer, ttlSeconds);
    this.clearInFlight();
    for (const waiter of this.waiters) waiter.settle(answer);
  }

  /** The next caller sends a new query. */
  private clearInFlight(): void {
    if (this.entry.question === this) this.entry.question = null;
  }
}

function charsOf(records: readonly (string | MxRecord)[]): number {
  return records.reduce((sum, record) => sum + (typeof record === 'string' ? record : record.exchange).length, 0);
}

function lifetimeSeconds(answer: DnsAnswer<unknown>, ttlSeconds: number | null): number {
  if (answer.state === 'failed') return failedSeconds;
  const bounds = answer.state === 'found' ? foundSeconds : absentSeconds;
  return Math.min(bounds.max, Math.max(bounds.min, ttlSeconds ?? bounds.default));
}
