import { isIPv4 } from 'node:net';
import { systemClock } from '../../async/clock.js';
import { HostKnowledge } from '../host-knowledge.js';
import type { SmtpFault } from '../smtp/fault.js';

/** Whether an earlier run found the port blocked on this network. */
export interface PortFinding {
  get(): boolean;
  set(): void;
}

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
export function networkOf(ip: string): string {
  return isIPv4(ip) ? ip.split('.').slice(0, 3).join('.') : ip.toLowerCase().split(':').slice(0, 3).join(':');
}
