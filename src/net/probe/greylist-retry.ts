import { type Clock, sleep, systemClock } from '../../async/clock.js';
import { nextRetryMs } from './greylist-schedule.js';
import type { ProbeAnswer, Prober } from './prober.js';

interface GreylistRetryOptions {
  /** Retries end this long after the first refusal; 0: there are none. */
  waitMs: number;
  clock?: Clock;
  /** 0..1, for the jitter. */
  random?: () => number;
}

/**
 * Retries greylisted addresses with the same sender and source address, by which a greylist identifies us. No session is held
 * meanwhile, and `onDeferred` notifies the caller that the answer will take minutes.
 */
export function withGreylistRetry(prober: Prober, options: GreylistRetryOptions): Prober {
  const { waitMs, clock = systemClock, random = Math.random } = options;
  if (waitMs <= 0) return prober;
  return {
    async probe(request, caller) {
      let answer = await prober.probe(request, caller);
      if (request.patient === false) return answer;
      const refusedAt = clock.elapsed();
      for (;;) {
        const hint = retryHint(answer);
        if (hint === null) return answer;
        const sinceFirstMs = clock.elapsed() - refusedAt;
        const hostDelayMs = Math.max(0, hint * 1000 - clock.now());
        const delayMs = nextRetryMs({ sinceFirstMs, hostDelayMs, maxWaitMs: waitMs, random });
        if (delayMs === null) return answer;
        request.onDeferred?.(Math.ceil((clock.now() + delayMs) / 1000));
        await sleep(clock, delayMs, caller?.signal);
        answer = await prober.probe(request, caller);
      }
    },
    close: () => prober.close(),
  };
}

/** The Unix second from which a retry makes sense (0: any), or null if waiting does not help. */
function retryHint({ mailbox, catchAll }: ProbeAnswer): number | null {
  if (mailbox.outcome.state === 'unknown') return mailbox.retryAt;
  const deferred = catchAll.outcome === 'inconclusive' && Math.floor((catchAll.reply?.code ?? 0) / 100) === 4;
  return mailbox.outcome.state === 'passed' && deferred ? 0 : null;
}
