import { readFileSync } from 'node:fs';
import { Failure } from '../model/failure.js';

const longKey = 20;

/** Shows at most the last four characters, and none of a short secret. */
export function maskSecret(secret: string): string {
  return secret.length >= longKey ? `********${secret.slice(-4)}` : '********';
}

/** Masks every occurrence of the secrets, raw or percent-encoded. */
export function redact(text: string, secrets: readonly string[]): string {
  let safe = text;
  for (const secret of secrets) {
    if (secret === '') continue;
    safe = safe.replaceAll(secret, maskSecret(secret));
    const encoded = encodeURIComponent(secret);
    if (encoded !== secret) safe = safe.replaceAll(encoded, maskSecret(secret));
  }
  return safe;
}

/** A service that is reached by a URL, which may hold a password, or by `@` and a file that holds the URL. */
interface Place {
  name: 'store' | 'queue';
  pattern: RegExp;
  example: string;
}

const store: Place = {
  name: 'store',
  pattern: /^postgres(?:ql)?:\/\/[^\s]+$/,
  example: 'postgres://user:password@host:5432/database',
};
const queue: Place = { name: 'queue', pattern: /^rediss?:\/\/[^\s]+$/, example: 'rediss://user:password@host:6379/0' };

/** A valid `store`: the URL of a database, or `@FILE`. */
export function isStore(value: string): boolean {
  return isPlace(store, value);
}

/** A valid `queue`: the URL of Redis, or `@FILE`. */
export function isQueue(value: string): boolean {
  return isPlace(queue, value) && (value.startsWith('@') || URL.canParse(value));
}

/** The URL of the setting `store`; null if there is none. */
export function readStoreAddress(value: string | null): string | null {
  return readAddress(store, value);
}

/** The URL of the setting `queue`; null if there is none. */
export function readQueueAddress(value: string | null): string | null {
  return readAddress(queue, value);
}

function isPlace({ pattern }: Place, value: string): boolean {
  return pattern.test(value) || /^@[^\0]+$/.test(value);
}

function readAddress(place: Place, value: string | null): string | null {
  if (value === null || !value.startsWith('@')) return value;
  const path = value.slice(1);
  const address = firstLine(place, path);
  if (place.pattern.test(address)) return address;
  throw new Failure('usage', `The file ${path} does not begin with the address of a ${place.name}.`, {
    hint: `Its first line looks like ${place.example}.`,
  });
}

function firstLine({ name }: Place, path: string): string {
  try {
    return (readFileSync(path, 'utf8').split('\n')[0] ?? '').trim();
  } catch (cause) {
    throw new Failure('usage', `The file ${path}, which should hold the address of the ${name}, cannot be read.`, {
      hint: `Check the path after @ in --${name}, MAILVET_${name.toUpperCase()} or the setting ${name}.`,
      cause,
    });
  }
}

/** The password in a URL, encoded and decoded. */
export function passwordsIn(address: string | null): string[] {
  const written = /^[a-z]+:\/\/[^/?#]*?:([^@/?#]*)@/i.exec(address ?? '')?.[1] ?? '';
  if (written === '') return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}
