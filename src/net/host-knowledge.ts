import { abortable } from '../async/abortable.js';
import type { Clock } from '../async/clock.js';
import { LruMap } from '../async/lru-map.js';

interface Expiry {
  ttlMs: number;
  /** How long an inconclusive answer is kept; by default it is not. */
  unsettledMs?: number;
  maxEntries: number;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long each fact holds, and how many are kept. The table in docs/architecture.md is the same. */
export const expiry = {
  mailbox_answer: { ttlMs: 10 * minuteMs, maxEntries: 5_000 },
  accepted_mailbox: { ttlMs: hourMs, maxEntries: 20_000 },
  // Unsettled answers expire before the first greylist retry, which asks again.
  control_mailbox: { ttlMs: hourMs, unsettledMs: 45 * secondMs, maxEntries: 20_000 },
  random_mailbox: { ttlMs: hourMs, unsettledMs: 45 * secondMs, maxEntries: 20_000 },
  postmaster: { ttlMs: hourMs, unsettledMs: 45 * secondMs, maxEntries: 20_000 },
  accepts_again: { ttlMs: hourMs, unsettledMs: 45 * secondMs, maxEntries: 20_000 },
  deferred_mailbox: { ttlMs: dayMs, maxEntries: 50_000 },
  host_down: { ttlMs: minuteMs, maxEntries: 20_000 },
  host_out_of_step: { ttlMs: dayMs, maxEntries: 2_000 },
  host_limits: { ttlMs: dayMs, maxEntries: 20_000 },
  accepted_sender: { ttlMs: dayMs, maxEntries: 20_000 },
  tls_ticket: { ttlMs: dayMs, maxEntries: 2_000 },
  tls_required: { ttlMs: dayMs, maxEntries: 2_000 },
  tls_without_ticket: { ttlMs: dayMs, maxEntries: 2_000 },
  port_open: { ttlMs: dayMs, maxEntries: 2 },
  port_blocked: { ttlMs: hourMs, maxEntries: 2 },
  port_blocked_for_all: { ttlMs: minuteMs, maxEntries: 2 },
  // Shorter than the minimum TTL of the DNS cache, so that a lookup barely outlives its answers.
  domain_lookup: { ttlMs: 10 * secondMs, maxEntries: 5_000 },
  resolver_trust: { ttlMs: 10 * minuteMs, unsettledMs: 10 * secondMs, maxEntries: 4_000 },
} as const satisfies Record<string, Expiry>;

export type FactKind = keyof typeof expiry;

interface LearnOptions<Value> {
  /** The signal that stops `learn`. */
  signal?: AbortSignal | undefined;
  /** Whether the answer settles the question. */
  isSettled?: (value: Value) => boolean;
}

/** The facts of one kind, by key. */
export class Facts<Value> extends LruMap<Value> {
  private readonly pending = new Map<string, { value: Promise<Value>; signal: AbortSignal | undefined }>();
  private readonly unsettledMs: number;

  constructor({ ttlMs, unsettledMs = 0, maxEntries }: Expiry, clock: Clock) {
    super({ maxEntries, ttlMs, now: clock.elapsed });
    this.unsettledMs = unsettledMs;
  }

  /** Whether the fact is known or being learned. */
  override has(key: string): boolean {
    return super.has(key) || this.pending.has(key);
  }

  /** The fact; it is learned if it is not known. */
  getOrLearn(key: string, learn: () => Promise<Value>, options?: LearnOptions<Value>): Promise<Value> {
    const fact = this.get(key);
    return fact === undefined ? this.learnOnce(key, learn, options) : Promise.resolve(fact);
  }

  /** Learns a fact that is not known. Concurrent callers share one call. */
  learnOnce(key: string, learn: () => Promise<Value>, options: LearnOptions<Value> = {}): Promise<Value> {
    const { signal, isSettled } = options;
    const pending = this.pending.get(key);
    if (pending !== undefined) {
      return abortable(pending.value, signal).catch((error: unknown) => {
        // The first caller was aborted, this one was not.
        if (pending.signal?.aborted !== true || signal?.aborted === true) throw error;
        return this.getOrLearn(key, learn, options);
      });
    }
    const value = learn();
    this.pending.set(key, { value, signal });
    const end = () => this.pending.delete(key);
    value.then((learned) => {
      end();
      if (isSettled === undefined || isSettled(learned)) this.set(key, learned);
      else if (this.unsettledMs > 0) this.set(key, learned, this.unsettledMs);
    }, end);
    return value;
  }
}

/** All that a process has learned from the network about mail hosts and domains. */
export class HostKnowledge {
  private readonly kinds = new Map<FactKind, { readonly size: number }>();

  constructor(readonly clock: Clock) {}

  /** The facts of a kind, which has one owner. */
  open<Value>(kind: FactKind): Facts<Value> {
    if (this.kinds.has(kind)) throw new Error(`The facts of the kind ${kind} have another owner.`);
    const facts = new Facts<Value>(expiry[kind], this.clock);
    this.kinds.set(kind, facts);
    return facts;
  }

  /** Facts held of each kind. */
  sizes(): ReadonlyMap<FactKind, number> {
    return new Map([...this.kinds].map(([kind, { size }]) => [kind, size]));
  }
}
