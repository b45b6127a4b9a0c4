import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hashPassword, isPassword, type ScryptCost } from '../../jobs/admin-password.js';
import { hashKey } from '../../jobs/api-keys.js';
import type { SessionStore } from '../../jobs/store/sessions.js';
import { Failure } from '../../model/failure.js';

/** The first start: the link that the server printed sets the password, once. */
export type SetUp = ReturnType<typeof createSetUp>;

export function createSetUp(store: SessionStore, cost?: ScryptCost) {
  const token = randomBytes(24).toString('base64url');
  // Never reset, since the endpoint is public.
  let isDone = false;
  return {
    /** The secret of the link; null once a password exists. */
    token: async () => {
      isDone ||= (await store.adminPassword()) !== null;
      return isDone ? null : token;
    },
    /** Sets the first password; throws for a wrong token, and where a password exists. */
    complete: async (given: string, password: string) => {
      // By hashes, so that timing reveals neither content nor length.
      const isRight = timingSafeEqual(Buffer.from(hashKey(given)), Buffer.from(hashKey(token)));
      if (!isRight) {
        throw new Failure('key_refused', 'This setup link is no longer valid.', {
          hint: 'Use the link that the server printed when it last started.',
        });
      }
      if (await store.setAdminPassword(await hashPassword(password, cost), Date.now(), true)) return;
      throw new Failure('conflict', 'A password has already been set.', { hint: 'Sign in with it.' });
    },
  };
}

/** Checks passwords one at a time: each takes 64 MiB and a core for a fifth of a second. */
export type PasswordCheck = ReturnType<typeof createPasswordCheck>;

/** Queue limit: the wait stays below two seconds. */
const maxWaiting = 8;

export function createPasswordCheck(check: typeof isPassword = isPassword) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    /** Throws the Failure `rate_limited` where too many wait already. */
    isRight: async (password: string, stored: string) => {
      if (waiting >= maxWaiting) {
        throw new Failure('rate_limited', 'Too many people are signing in at the same time.', {
          hint: 'Try again in a moment.',
          retryAfterSeconds: 2,
        });
      }
      waiting++;
      const turn = last.then(() => check(password, stored));
      last = turn.catch(() => {});
      try {
        return await turn;
      } finally {
        waiting--;
      }
    },
  };
}
