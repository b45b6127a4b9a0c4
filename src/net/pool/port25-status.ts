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
  /** The port is blocked: do not dial. */
  readonly blocked: boolean;
  /** A connection stood, so the port is open. */
  readonly proven: boolean;
  connected(): void;
  failed(target: { ip: string }, fault: SmtpFault): void;
}

const networksForProof = 3;

/** The status; a finding expires, since the machine may change networks. `onBlocked` is called at each new one. */
export function createPortStatus(
  earlier: PortFinding | null,
  onBlocked: () => void,
  knowledge = new HostKnowledge(systemClock),
): PortStatus {
  const unreachable = new Set<string>();
  const open = knowledge.open<true>('port_open');
  const blocked = knowledge.open<true>('port_blocked');
  if (earlier?.get() === true) {
    blocked.set('', true);
    queueMicrotask(onBlocked);
  }
  return {
    get blocked() {
      return blocked.has('');
    },
    get proven() {
      return open.has('');
    },
    connected() {
      open.set('', true);
    },
    failed({ ip }, { kind }) {
      if (open.has('') || blocked.has('')) return;
      // A refused connect got out, and a machine without IPv6 reaches no IPv6 host.
      if (kind !== 'connect_timeout' && !(kind === 'unreachable' && isIPv4(ip))) return;
      unreachable.add(networkOf(ip));
      if (unreachable.size < networksForProof) return;
      unreachable.clear();
      blocked.set('', true);
      earlier?.set();
      onBlocked();
    },
  };
}

/** Hosts of one network fail together: a /24 of IPv4, a /48 of IPv6. */
export function networkOf(ip: string): string {
  return isIPv4(ip) ? ip.split('.').slice(0, 3).join('.') : ip.toLowerCase().split(':').slice(0, 3).join(':');
}
