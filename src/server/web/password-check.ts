import { isPassword } from '../../jobs/admin-password.js';
import { Failure } from '../../model/failure.js';

/** Checks passwords one at a time: each takes 64 MiB and a core for a fifth of a second. */
export interface PasswordCheck {
  /** Throws the Failure `rate_limited` where too many wait already. */
  isRight(password: string, stored: string): Promise<boolean>;
}

/** Queue limit: the wait stays below two seconds. */
const mostWaiting = 8;

export function openPasswordCheck(check: typeof isPassword = isPassword): PasswordCheck {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    isRight: async (password, stored) => {
      if (waiting >= mostWaiting) {
        throw new Failure('rate_limited', 'Too many people try to sign in at the same time.', {
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
