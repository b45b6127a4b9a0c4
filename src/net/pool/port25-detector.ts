import type { Clock } from '../../async/clock.js';
import type { Dial, Target } from '../smtp/dial.js';
import { SmtpFault } from '../smtp/fault.js';
import { networkOf, type PortStatus } from './port25-status.js';

/** Dials further hosts while nothing has connected yet. */
export interface Port25Detector {
  /** Soon, unless something connects first, tries the other hosts of a route. */
  probeLater(targets: readonly Target[]): void;
  close(): void;
}

const detectAfterMs = 1000;
const maxProbes = 6;

/**
 * While nothing has connected yet, the other hosts of the route are dialled beside the first, so that a blocked port shows within
 * seconds and not after one deadline for each host.
 */
export function createPort25Detector(options: {
  dial: Dial;
  connectMs: number;
  clock: Clock;
  watch: PortStatus;
}): Port25Detector {
  const { dial, connectMs, clock, watch } = options;
  const scouted = new Set<string>();
  const pending = new Set<() => void>();
  const life = new AbortController();

  async function scout(target: Target): Promise<void> {
    try {
      const socket = await dial(target, connectMs, life.signal);
      socket.destroy();
      watch.connected();
    } catch (error) {
      if (error instanceof SmtpFault) watch.failed(target, error);
    }
  }

  return {
    probeLater(targets) {
      if (watch.proven || watch.blocked || scouted.size + pending.size >= maxProbes) return;
      const cancel = clock.after(detectAfterMs, () => {
        pending.delete(cancel);
        if (watch.proven || watch.blocked) return;
        const nets = new Set(targets.slice(0, 1).map(({ ip }) => networkOf(ip)));
        for (const target of targets.slice(1)) {
          const net = networkOf(target.ip);
          if (nets.has(net) || scouted.has(net) || scouted.size >= maxProbes) continue;
          nets.add(net);
          scouted.add(net);
          void scout(target);
        }
      });
      pending.add(cancel);
    },
    close() {
      life.abort();
      for (const cancel of pending) cancel();
    },
  };
}
