import { abortable } from '../../async/abortable.js';
import type { Clock } from '../../async/clock.js';
import { LruMap } from '../../async/lru-map.js';
import type { ProbeAnswer } from './prober.js';

const maxAnswers = 5000;
/** A service that runs for months must not repeat the answer of last week. */
const answerTtlMs = 10 * 60_000;

/** Probes an address once for all callers that ask at the same time, and caches conclusive answers for ten minutes. */
export class InFlightProbes {
  private readonly known: LruMap<ProbeAnswer>;
  private readonly inFlight = new Map<string, Promise<ProbeAnswer>>();

  constructor(clock: Clock) {
    this.known = new LruMap({ maxEntries: maxAnswers, ttlMs: answerTtlMs, now: clock.elapsed });
  }

  /** The answer for an address; `ask` is called where none is cached or in flight. */
  get(address: string, ask: () => Promise<ProbeAnswer>, signal?: AbortSignal): Promise<ProbeAnswer> {
    const known = this.known.get(address);
    if (known !== undefined) return Promise.resolve(known);
    const same = this.inFlight.get(address);
    return same === undefined ? this.start(address, ask) : this.join(same, address, ask, signal);
  }

  private async join(
    same: Promise<ProbeAnswer>,
    address: string,
    ask: () => Promise<ProbeAnswer>,
    signal?: AbortSignal,
  ): Promise<ProbeAnswer> {
    try {
      return await abortable(same, signal);
    } catch (error) {
      // The first caller was aborted, this one was not.
      if (signal?.aborted === true) throw error;
      return this.get(address, ask, signal);
    }
  }

  private start(address: string, ask: () => Promise<ProbeAnswer>): Promise<ProbeAnswer> {
    const asking = ask();
    this.inFlight.set(address, asking);
    const end = () => this.inFlight.delete(address);
    asking.then((answer) => {
      end();
      if (isSettled(answer)) this.known.set(address, answer);
    }, end);
    return asking;
  }
}

function isSettled({ mailbox, catchAll }: ProbeAnswer): boolean {
  return mailbox.outcome.state !== 'unknown' && catchAll.outcome !== 'inconclusive';
}
