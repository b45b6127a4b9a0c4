import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { formatNumber } from '../model/amount.js';
import { Failure } from '../model/failure.js';
import { limits } from '../wire/schema.js';

export interface ScryptCost {
  N: number;
  r: number;
  p: number;
}

/** Each guess takes 64 MiB and a fifth of a second (RFC 7914). The cost is stored with the hash. */
const defaultCost: ScryptCost = { N: 2 ** 16, r: 8, p: 1 };
const hashBytes = 32;

export async function hashPassword(password: string, cost: ScryptCost = defaultCost): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Compares a password with its stored form in constant time. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [kind, N, r, p, salt = '', hash = ''] = stored.split('$');
  if (kind !== 'scrypt') return false;
  const expected = Buffer.from(hash, 'base64url');
  const actual = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The Failure for a password that is too short or too long, else null. */
export function passwordFault(password: string): Failure | null {
  const { length } = [...password];
  const { minLength, maxLength } = limits.newPassword;
  if (length >= minLength && length <= maxLength) return null;
  return new Failure('bad_input', `The password must have ${minLength} to ${formatNumber(maxLength)} characters.`, {
    hint: 'Several words in a row are easy to remember and hard to guess.',
  });
}

function derive(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
  const maxmem = 256 * cost.N * cost.r;
  return new Promise((resolve, reject) => {
    // Keyboards encode some letters in several ways.
    scrypt(password.normalize('NFKC'), salt, hashBytes, { ...cost, maxmem }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
