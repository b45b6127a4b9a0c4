import { hasHigherPriority } from '../../async/fair-queue.js';
import { cancel } from './cancellation.js';
import { Question, type ResolverContext } from './question.js';
import type { RecordType } from './record-types.js';
import type { DnsAnswer } from './records.js';
import type { AwaitedAnswer, Waiter } from './waiting-caller.js';

type Negative = Exclude<DnsAnswer<never>, { state: 'found' }>;

/** A name that was asked about. Small, and of as few objects as can be: what stays for long is what a garbage collector copies around. */
class Entry<R> {
  /** Null until there is an answer. */
  known: R[] | Negative | null = null;
  /** Whole seconds on the memory's clock. */
  expiresAt = 0;
  /** The one under way. */
  question: SharedQuestion<R> | null = null;
}

/** A list names one domain many times within seconds, so even a TTL of 0 is kept for the floor. */
const foundSeconds = { floor: 30, ceiling: 3_600, unsaid: 300 };
/** RFC 2308 §5 allows up to hours; a domain that someone has just set up should not stay denied. */
const absentSeconds = { floor: 30, ceiling: 300, unsaid: 60 };
/** RFC 9520 §3.2: a failure is kept, so that a dead name server is not asked for every address, but not for long. */
const failedSeconds = 10;

/**
 * The answers for one type of record, each kept for its time to live within our bounds; what was not used for long goes first.
 * Equal questions in flight are asked once; one caller's abort is its own, and the last one's calls the question off.
 */
export class DnsCache<R> {
  // Two halves: when the young one is full it becomes the old one, and what was old and unused is dropped at once.
  private young = new Map<string, Entry<R>>();
  private old = new Map<string, Entry<R>>();
  private readonly half: number;
  private readonly startedAt: number;

  constructor(
    private readonly kind: RecordType<R>,
    private readonly context: ResolverContext,
    maxEntries: number,
  ) {
    this.half = Math.max(1, Math.floor(maxEntries / 2));
    this.startedAt = context.now();
  }

  /** Answers the caller from memory, or asks. */
  ask(name: string, caller: Waiter<DnsAnswer<R>>): void {
    if (caller.isGone()) return;
    const entry = this.find(name) ?? this.keep(name, new Entry<R>());
    const { known } = entry;
    if (known !== null && entry.expiresAt > this.seconds()) {
      caller.take(Array.isArray(known) ? { state: 'found', records: known } : known);
    } else if (entry.question !== null) entry.question.join(caller);
    else {
      entry.question = new SharedQuestion(this.context, name, this.kind, this, entry);
      entry.question.join(caller);
      entry.question.start();
    }
  }

  store(entry: Entry<R>, answer: DnsAnswer<R>, ttlSeconds: number | null): void {
    entry.known = answer.state === 'found' ? answer.records : answer;
    entry.expiresAt = this.seconds() + lifetimeSeconds(answer, ttlSeconds);
  }

  cancelAll(): void {
    for (const entries of [this.young, this.old]) {
      for (const { question } of entries.values()) if (question !== null) cancel(question);
    }
  }

  private find(name: string): Entry<R> | undefined {
    const recent = this.young.get(name);
    if (recent !== undefined) return recent;
    const entry = this.old.get(name);
    return entry && this.keep(name, entry);
  }

  private keep(name: string, entry: Entry<R>): Entry<R> {
    this.young.set(name, entry);
    if (this.young.size >= this.half) {
      this.old = this.young;
      this.young = new Map();
    }
    return entry;
  }

  private seconds(): number {
    return Math.floor((this.context.now() - this.startedAt) / 1_000);
  }
}

/** A question that somebody waits for. */
class SharedQuestion<R> extends Question<R> implements AwaitedAnswer<DnsAnswer<R>> {
  private waiters: Waiter<DnsAnswer<R>>[] = [];

  constructor(
    context: ResolverContext,
    name: string,
    kind: RecordType<R>,
    private readonly memory: DnsCache<R>,
    private readonly entry: Entry<R>,
  ) {
    super(context, name, kind);
  }

  join(waiter: Waiter<DnsAnswer<R>>): void {
    const caller = waiter.caller();
    if (this.waiters.length === 0) this.caller = caller;
    else if (hasHigherPriority(caller, this.caller)) this.context.slots.raisePriority(this, caller);
    this.waiters.push(waiter);
    waiter.waitFor(this);
  }

  leave(waiter: Waiter<DnsAnswer<R>>): void {
    this.waiters = this.waiters.filter((other) => other !== waiter);
    if (this.waiters.length > 0) return;
    this.forget();
    cancel(this);
  }

  protected override answered(answer: DnsAnswer<R>, ttlSeconds: number | null): void {
    if (!this.canceled) this.memory.store(this.entry, answer, ttlSeconds);
    this.forget();
    for (const waiter of this.waiters) waiter.take(answer);
  }

  /** The next caller sends a new query. */
  private forget(): void {
    if (this.entry.question === this) this.entry.question = null;
  }
}

function lifetimeSeconds(answer: DnsAnswer<unknown>, ttlSeconds: number | null): number {
  if (answer.state === 'failed') return failedSeconds;
  const { floor, ceiling, unsaid } = answer.state === 'found' ? foundSeconds : absentSeconds;
  return Math.min(ceiling, Math.max(floor, ttlSeconds ?? unsaid));
}
