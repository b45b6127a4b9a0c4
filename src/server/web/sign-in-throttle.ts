import type { IncomingMessage } from 'node:http';
import { Failure } from '../../model/failure.js';
import { isLoopback } from '../../wire/loopback.js';

/** Keeps an address from guessing on and on. */
export interface SignInThrottle {
  /** Counts an attempt as failed until it has succeeded, so that many at once count, too; the Failure `rate_limited` beyond what is allowed. */
  begin(address: string): void;
  succeeded(address: string): void;
}

const freeAttempts = 10;
const firstWaitMs = 60_000;
const longestWaitMs = 15 * 60_000;
/** After so long without an attempt an address begins anew. */
const forgetMs = 60 * 60_000;
const mostAddresses = 10_000;

interface Attempts {
  failed: number;
  /** No attempt before that. */
  waitUntil: number;
  lastAt: number;
}

export function openSignInThrottle(elapsed: () => number = () => performance.now()): SignInThrottle {
  const known = new Map<string, Attempts>();
  return {
    begin: (address) => {
      const now = elapsed();
      const before = known.get(address);
      const attempts =
        before === undefined || now - before.lastAt > forgetMs ? { failed: 0, waitUntil: 0, lastAt: now } : before;
      if (now < attempts.waitUntil) throw mustWait(attempts.waitUntil - now);
      attempts.failed++;
      attempts.lastAt = now;
      const over = attempts.failed - freeAttempts;
      if (over >= 0) attempts.waitUntil = now + Math.min(firstWaitMs * 2 ** over, longestWaitMs);
      // Put last, so that the one longest unseen is the first to be forgotten.
      known.delete(address);
      known.set(address, attempts);
      const [oldest] = known.keys();
      if (known.size > mostAddresses && oldest !== undefined) known.delete(oldest);
    },
    succeeded: (address) => void known.delete(address),
  };
}

function mustWait(ms: number): Failure {
  return new Failure('rate_limited', 'Too many attempts to sign in have failed.', {
    hint: 'Wait a few minutes, then try again. Whoever runs the server can set the password anew.',
    retryAfterSeconds: Math.ceil(ms / 1000),
  });
}

/** Who tries: the address of the connection or, where a proxy on this machine holds it, the one that the proxy names. A whole IPv6 network counts as one. */
export function addressOf({ socket, headers }: IncomingMessage): string {
  const peer = plainAddress(socket.remoteAddress ?? '');
  const forwarded = headers['x-forwarded-for'];
  const named = typeof forwarded === 'string' ? forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() : '';
  const address = isLoopback(peer) && named !== '' ? plainAddress(named.slice(0, 64)) : peer;
  return address.includes(':') ? address.split(':').slice(0, 4).join(':') : address;
}

/** True for a request that reached us, or a proxy on this machine, encrypted. */
export function isEncrypted({ socket, headers }: IncomingMessage): boolean {
  if ('encrypted' in socket && socket.encrypted === true) return true;
  return isLoopback(plainAddress(socket.remoteAddress ?? '')) && headers['x-forwarded-proto'] === 'https';
}

function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
