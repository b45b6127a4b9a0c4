import type { IncomingMessage } from 'node:http';
import { Failure } from '../../model/failure.js';
import { isLoopback } from '../../wire/routes.js';

/** Limits password guesses by IP address. */
export type SignInThrottle = ReturnType<typeof createSignInThrottle>;

const freeAttempts = 10;
const firstWaitMs = 60_000;
const longestWaitMs = 15 * 60_000;
/** An address without attempts is forgotten after this. */
const forgetMs = 60 * 60_000;
const maxAddresses = 10_000;

interface Attempts {
  failed: number;
  waitUntil: number;
  lastAt: number;
}

export function createSignInThrottle(elapsed: () => number = () => performance.now()) {
  const attemptsByAddress = new Map<string, Attempts>();
  return {
    /**
     * Counts an attempt as failed until `succeed`, so that concurrent ones count, too. Throws the Failure `rate_limited`.
     */
    begin: (address: string) => {
      const now = elapsed();
      const previous = attemptsByAddress.get(address);
      const attempts =
        previous === undefined || now - previous.lastAt > forgetMs
          ? { failed: 0, waitUntil: 0, lastAt: now }
          : previous;
      if (now < attempts.waitUntil) throw mustWait(attempts.waitUntil - now);
      attempts.failed++;
      attempts.lastAt = now;
      const over = attempts.failed - freeAttempts;
      if (over >= 0) attempts.waitUntil = now + Math.min(firstWaitMs * 2 ** over, longestWaitMs);
      // Reinserted last, so that the oldest is evicted first.
      attemptsByAddress.delete(address);
      attemptsByAddress.set(address, attempts);
      const [oldest] = attemptsByAddress.keys();
      if (attemptsByAddress.size > maxAddresses && oldest !== undefined) attemptsByAddress.delete(oldest);
    },
    succeeded: (address: string) => void attemptsByAddress.delete(address),
  };
}

function mustWait(ms: number): Failure {
  return new Failure('rate_limited', 'Too many failed sign-in attempts.', {
    hint: 'Wait a few minutes, then try again. The operator can reset the password.',
    retryAfterSeconds: Math.ceil(ms / 1000),
  });
}

/** The client's IP address, or the one named by a proxy on this machine. An IPv6 /64 counts as one. */
export function addressOf({ socket, headers }: IncomingMessage): string {
  const peer = plainAddress(socket.remoteAddress ?? '');
  const forwarded = headers['x-forwarded-for'];
  const named = typeof forwarded === 'string' ? forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() : '';
  const address = isLoopback(peer) && named !== '' ? plainAddress(named.slice(0, 64)) : peer;
  return address.includes(':') ? address.split(':').slice(0, 4).join(':') : address;
}

/** True if the request came encrypted to the server or to a proxy on this machine. */
export function isEncrypted({ socket, headers }: IncomingMessage): boolean {
  if ('encrypted' in socket && socket.encrypted === true) return true;
  return isLoopback(plainAddress(socket.remoteAddress ?? '')) && headers['x-forwarded-proto'] === 'https';
}

function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
