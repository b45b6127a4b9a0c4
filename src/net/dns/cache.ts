import { abortable } from '../../async/abortable.js';
import { type Caller, hasHigherPriority, localCaller } from '../../async/caller.js';
import { LruMap } from '../../async/lru-map.js';
import { Question, type ResolverContext } from './question.js';
import type { RecordType } from './record-types.js';
import type { DnsAnswer, MxRecord } from './records.js';

type Negative = Exclude<DnsAnswer<never>, { state: 'found' }>;

/** A question in flight, its answer, and how many wait for it. */
type Flight<R> = { question: Question<R>; answer: Promise<DnsAnswer<R>>; waiting: number };

/** A name that was queried. It is one small object, since the garbage collector copies long-lived ones. */
class Entry<R> {
  /** Null until there is an answer. */
  answer: R[] | Negative | null = null;
  /** Whole seconds since the cache was created. */
  expiresAt = 0;
  flight: Flight<R> | null = null;
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

  /** Answers from the cache, or asks. Rejects only when aborted. */
  async ask(name: string, caller: Caller = localCaller): Promise<DnsAnswer<R>> {
    caller.signal?.throwIfAborted();
    const entry = this.entries.getOrCreate(name, () => new Entry<R>());
    const { answer } = entry;
    if (answer !== null && entry.expiresAt > this.seconds())
      return Array.isArray(answer) ? { state: 'found', records: answer } : answer;
    const flight = this.join(name, entry, caller);
    flight.waiting++;
    try {
      return await abortable(flight.answer, caller.signal);
    } finally {
      if (--flight.waiting === 0 && entry.flight === flight) {
        // The next caller sends a new query.
        entry.flight = null;
        flight.question.abandon();
      }
    }
  }

  cancelAll(): void {
    for (const { flight } of this.entries.values()) flight?.question.abandon();
  }

  private join(name: string, entry: Entry<R>, caller: Caller): Flight<R> {
    const { flight } = entry;
    if (flight !== null) {
      if (hasHigherPriority(caller, flight.question.caller)) this.context.slots.raisePriority(flight.question, caller);
      return flight;
    }
    const question = new Question(this.context, this.kind, caller);
    const started: Flight<R> = { question, answer: this.learn(name, entry, question), waiting: 0 };
    entry.flight = started;
    return started;
  }

  private async learn(name: string, entry: Entry<R>, question: Question<R>): Promise<DnsAnswer<R>> {
    const { answer, ttlSeconds } = await question.ask(name);
    // An abandoned question has no answer to keep.
    if (entry.flight?.question !== question) return answer;
    entry.flight = null;
    entry.answer = answer.state === 'found' ? answer.records : answer;
    entry.expiresAt = this.seconds() + Math.min(this.maxSeconds, lifetimeSeconds(answer, ttlSeconds));
    this.entries.setWeight(name, answer.state === 'found' ? charsOf(answer.records as (string | MxRecord)[]) : 0);
    return answer;
  }

  private seconds(): number {
    return Math.floor((this.context.now() - this.startedAt) / 1_000);
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
