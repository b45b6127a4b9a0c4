import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hashPassword, type ScryptCost } from '../../jobs/admin-password.js';
import { hashKey } from '../../jobs/api-keys.js';
import type { SessionStore } from '../../jobs/store/sessions.js';
import { Failure } from '../../model/failure.js';

/** The first start: the link that the server printed sets the password, once. */
export interface SetUp {
  /** The secret of the link; null once a password exists. */
  token(): Promise<string | null>;
  /** Sets the first password; throws for a wrong token, and where a password exists. */
  complete(token: string, password: string): Promise<void>;
}

export function openSetUp(store: SessionStore, cost?: ScryptCost): SetUp {
  const token = randomBytes(24).toString('base64url');
  // Never reset, since the endpoint is public.
  let isDone = false;
  return {
    token: async () => {
      isDone ||= (await store.adminPassword()) !== null;
      return isDone ? null : token;
    },
    complete: async (given, password) => {
      // By hashes, so that timing reveals neither content nor length.
      const isRight = timingSafeEqual(Buffer.from(hashKey(given)), Buffer.from(hashKey(token)));
      if (!isRight) {
        throw new Failure('key_refused', 'This set-up link is not valid any more.', {
          hint: 'Use the link that the server printed when it last started.',
        });
      }
      if (await store.setAdminPassword(await hashPassword(password, cost), Date.now(), true)) return;
      throw new Failure('conflict', 'A password was set already.', { hint: 'Sign in with it.' });
    },
  };
}
