import { isIPv4 } from 'node:net';
import { type Clock, systemClock } from '../../async/clock.js';
import { HostKnowledge } from '../host-knowledge.js';
import type { PortFinding } from '../port-finding.js';
import type { Dial, Target } from '../smtp/dial.js';
import { SmtpFault } from '../smtp/fault.js';

/** Whether outbound port 25 is blocked, concluded from failed connects. */
export interface PortStatus {
  /** Whether the port is blocked, so that dialing is pointless. */
  readonly isBlocked: boolean;
  /** Records an established connection: the port is open. */
  readonly isOpen: boolean;
  recordConnect(): void;
  recordFailure(target: { ip: string; host: string }, fault: SmtpFault): void;
}

const networksForProof = 3;

/**
 * The status; a finding expires, since the machine may change networks. `onBlocked` is called at each new one. In a service, silent hosts
 * of one user must not stop the others: hosts of one domain count once, and a finding holds for a minute.
 */
export function createPortStatus(
  earlierFinding: PortFinding | null,
  onBlocked: () => void,
  knowledge = new HostKnowledge(systemClock),
  isShared = false,
): PortStatus {
  const networks = new Set<string>();
  const domains = new Set<string>();
  const open = knowledge.open<true>('port_open');
  const blocked = knowledge.open<true>(isShared ? 'port_blocked_for_all' : 'port_blocked');
  if (earlierFinding?.get() === true) {
    blocked.set('', true);
    queueMicrotask(onBlocked);
  }
  return {
    get isBlocked() {
      return blocked.has('');
    },
    get isOpen() {
      return open.has('');
    },
    recordConnect() {
      open.set('', true);
      networks.clear();
      domains.clear();
    },
    recordFailure({ ip, host }, { kind }) {
      if (open.has('') || blocked.has('')) return;
      // A refused connect left the network, and a machine without IPv6 reaches no IPv6 host.
      if (kind !== 'connect_timeout' && !(kind === 'unreachable' && isIPv4(ip))) return;
      networks.add(networkOf(ip));
      domains.add(isShared ? host.split('.').slice(-2).join('.') : ip);
      if (networks.size < networksForProof || domains.size < networksForProof) return;
      networks.clear();
      domains.clear();
      blocked.set('', true);
      earlierFinding?.set();
      onBlocked();
    },
  };
}

/** Hosts of one network fail together: a /24 of IPv4, a /48 of IPv6. */
function networkOf(ip: string): string {
  return isIPv4(ip) ? ip.split('.').slice(0, 3).join('.') : ip.toLowerCase().split(':').slice(0, 3).join(':');
}

const detectAfterMs = 1000;
const maxProbes = 6;

/** Dials several hosts in parallel while nothing has connected, so that a blocked port shows within seconds. */
export class Port25Detector {
  private readonly dialed = new Set<string>();
  private readonly pending = new Set<() => void>();
  private readonly closeController = new AbortController();

  constructor(
    private readonly dial: Dial,
    private readonly connectMs: number,
    private readonly clock: Clock,
    private readonly status: PortStatus,
  ) {}

  /** Dials the other hosts of a route after a short delay, unless a connection is established by then. */
  probeLater(targets: readonly Target[]): void {
    const { status, dialed, pending } = this;
    // The next detection starts from the beginning.
    if (status.isOpen || status.isBlocked) dialed.clear();
    if (status.isOpen || status.isBlocked || dialed.size + pending.size >= maxProbes) return;
    const cancel = this.clock.after(detectAfterMs, () => {
      pending.delete(cancel);
      if (status.isOpen || status.isBlocked) return;
      const networks = new Set(targets.slice(0, 1).map(({ ip }) => networkOf(ip)));
      for (const target of targets.slice(1)) {
        const network = networkOf(target.ip);
        if (networks.has(network) || dialed.has(network) || dialed.size >= maxProbes) continue;
        networks.add(network);
        dialed.add(network);
        void this.dialHost(target);
      }
    });
    pending.add(cancel);
  }

  close(): void {
    this.closeController.abort();
    for (const cancel of this.pending) cancel();
  }

  private async dialHost(target: Target): Promise<void> {
    try {
      const socket = await this.dial(target, this.connectMs, this.closeController.signal);
      socket.destroy();
      this.status.recordConnect();
    } catch (error) {
      if (error instanceof SmtpFault) this.status.recordFailure(target, error);
    }
  }
}
