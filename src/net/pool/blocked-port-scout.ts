import type { Clock } from '../../async/clock.js';
import type { Dial, Target } from '../smtp/dial.js';
import { SmtpFault } from '../smtp/fault.js';
import { netOf, type PortWatch } from './blocked-port.js';

/** Dials further hosts while nothing has connected yet. */
export interface PortScout {
  /** Soon, unless something connects first, tries the other hosts of a route. */
  tryLater(targets: readonly Target[]): void;
  close(): void;
}

const scoutAfterMs = 1000;
const maxScouts = 6;

/**
 * While nothing has connected yet, the other hosts of the route are dialled beside the first, so that a blocked port shows within
 * seconds and not after one deadline for each host.
 */
export function portScout(options: { dial: Dial; connectMs: number; clock: Clock; watch: PortWatch }): PortScout {
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
    tryLater(targets) {
      if (watch.proven || watch.blocked || scouted.size + pending.size >= maxScouts) return;
      const cancel = clock.after(scoutAfterMs, () => {
        pending.delete(cancel);
        if (watch.proven || watch.blocked) return;
        const nets = new Set(targets.slice(0, 1).map(({ ip }) => netOf(ip)));
        for (const target of targets.slice(1)) {
          const net = netOf(target.ip);
          if (nets.has(net) || scouted.has(net) || scouted.size >= maxScouts) continue;
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
