import type { Clock } from '../../async/clock.js';
import type { Dial, Target } from '../smtp/dial.js';
import { SmtpFault } from '../smtp/fault.js';
import { networkOf, type PortStatus } from './port25-status.js';

/** Finds out early whether outbound port 25 is blocked. */
export interface Port25Detector {
  /** Dials the other hosts of a route after a short delay, unless a connection is established by then. */
  probeLater(targets: readonly Target[]): void;
  close(): void;
}

const detectAfterMs = 1000;
const maxProbes = 6;

/** Dials several hosts in parallel while nothing has connected, so that a blocked port shows within seconds. */
export function createPort25Detector(options: {
  dial: Dial;
  connectMs: number;
  clock: Clock;
  status: PortStatus;
}): Port25Detector {
  const { dial, connectMs, clock, status } = options;
  const dialed = new Set<string>();
  const pending = new Set<() => void>();
  const closeController = new AbortController();

  async function dialHost(target: Target): Promise<void> {
    try {
      const socket = await dial(target, connectMs, closeController.signal);
      socket.destroy();
      status.recordConnect();
    } catch (error) {
      if (error instanceof SmtpFault) status.recordFailure(target, error);
    }
  }

  return {
    probeLater(targets) {
      // The next detection starts from the beginning.
      if (status.isOpen || status.isBlocked) dialed.clear();
      if (status.isOpen || status.isBlocked || dialed.size + pending.size >= maxProbes) return;
      const cancel = clock.after(detectAfterMs, () => {
        pending.delete(cancel);
        if (status.isOpen || status.isBlocked) return;
        const networks = new Set(targets.slice(0, 1).map(({ ip }) => networkOf(ip)));
        for (const target of targets.slice(1)) {
          const network = networkOf(target.ip);
          if (networks.has(network) || dialed.has(network) || dialed.size >= maxProbes) continue;
          networks.add(network);
          dialed.add(network);
          void dialHost(target);
        }
      });
      pending.add(cancel);
    },
    close() {
      closeController.abort();
      for (const cancel of pending) cancel();
    },
  };
}
