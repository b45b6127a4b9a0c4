import { isIPv4 } from 'node:net';
import type { SmtpFault } from '../smtp/fault.js';

/** What an earlier run found out about this network. */
export interface PortFinding {
  get(): boolean;
  set(): void;
}

/** Notices that nothing gets out on this port, from connects that all come to nothing. */
export interface PortStatus {
  /** Nothing gets out: dial no more. */
  readonly blocked: boolean;
  /** Some connect has succeeded, so the port is open. */
  readonly proven: boolean;
  connected(): void;
  failed(target: { ip: string }, fault: SmtpFault): void;
}

const networksForProof = 3;

/** A watch for one run; `onBlocked` is called once. */
export function createPortStatus(memory: PortFinding | null, onBlocked: () => void): PortStatus {
  const deadNets = new Set<string>();
  let proven = false;
  let blocked = memory?.get() ?? false;
  if (blocked) queueMicrotask(onBlocked);
  return {
    get blocked() {
      return blocked;
    },
    get proven() {
      return proven;
    },
    connected() {
      proven = true;
    },
    failed({ ip }, { kind }) {
      if (proven || blocked) return;
      // A refusal came from somewhere, and a machine without IPv6 cannot reach any IPv6 host.
      if (kind !== 'connect_timeout' && !(kind === 'unreachable' && isIPv4(ip))) return;
      deadNets.add(networkOf(ip));
      if (deadNets.size < networksForProof) return;
      blocked = true;
      memory?.set();
      onBlocked();
    },
  };
}

/** Hosts of one net fail together: a /24 of IPv4, a /48 of IPv6. */
export function networkOf(ip: string): string {
  return isIPv4(ip) ? ip.split('.').slice(0, 3).join('.') : ip.toLowerCase().split(':').slice(0, 3).join(':');
}
