import { readProblem, readSmallFile } from '../disk/own-file.js';
import { Failure } from '../model/failure.js';

const minMaskedLength = 20;

/** Shows at most the last four characters, and none of a short secret. */
export function maskSecret(secret: string): string {
  return secret.length >= minMaskedLength ? `********${secret.slice(-4)}` : '********';
}

/** Masks all from the user of the first URL to the password of the last: a comma may be part of a password. */
export function withoutPassword(word: string): string {
  const start = word.indexOf('//');
  const end = word.lastIndexOf('@');
  return start === -1 || end < start + 2 ? word : `${word.slice(0, start)}//********${word.slice(end)}`;
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

/** A setting with the URL of a service, which may contain a password, or `@` and a file that contains the URL. */
interface ServiceAddress {
  name: 'store' | 'queue';
  pattern: RegExp;
  example: string;
}

const store: ServiceAddress = {
  name: 'store',
  pattern: /^postgres(?:ql)?:\/\/[^\s]+$/,
  example: 'postgres://user:password@host:5432/database',
};
const queue: ServiceAddress = { name: 'queue', pattern: /^rediss?:\/\/\S+$/, example: 'rediss://user:pass@host:6379' };

/** A valid `store`: the URL of a database, or `@FILE`. */
export function isStore(value: string): boolean {
  return isServiceAddress(store, value);
}

/** A valid `queue`: the URL of Redis, or `@FILE`. */
export function isQueue(value: string): boolean {
  return isServiceAddress(queue, value) && (value.startsWith('@') || URL.canParse(value));
}

/** The URL of the setting `store`; null if there is none. */
export function readStoreAddress(value: string | null): string | null {
  return readAddress(store, value);
}

/** The URL of the setting `queue`; null if there is none. */
export function readQueueAddress(value: string | null): string | null {
  return readAddress(queue, value);
}

function isServiceAddress({ pattern }: ServiceAddress, value: string): boolean {
  return pattern.test(value) || /^@[^\0]+$/.test(value);
}

function readAddress(service: ServiceAddress, value: string | null): string | null {
  if (value === null || !value.startsWith('@')) return value;
  const path = value.slice(1);
  const address = firstLine(service, path);
  if (service.pattern.test(address)) return address;
  throw new Failure('usage', `The file ${path} does not begin with the address of a ${service.name}.`, {
    hint: `Its first line looks like ${service.example}.`,
  });
}

function firstLine({ name }: ServiceAddress, path: string): string {
  try {
    return (readSmallFile(path).toString('utf8').split('\n')[0] ?? '').trim();
  } catch (cause) {
    throw new Failure(
      'usage',
      `The file ${path}, which should contain the address of the ${name}, cannot be read: ${readProblem(cause)}.`,
      {
        hint: `Check the path after @ in --${name}, MAILVET_${name.toUpperCase()} or the setting ${name}.`,
        cause,
      },
    );
  }
}

/** The passwords in a URL, before the host and as parameters, encoded and decoded. */
export function passwordsIn(address: string | null): string[] {
  const url = address ?? '';
  const [, beforeHost = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/@:?#]*:([^/?#]*)@/i.exec(url) ?? [];
  const parameters = [...url.matchAll(/[?&](?:ssl)?password=([^&#]*)/gi)].map(([, value = '']) => value);
  return [beforeHost, ...parameters].filter((encoded) => encoded !== '').flatMap(withDecoded);
}

function withDecoded(encoded: string): string[] {
  try {
    return [encoded, decodeURIComponent(encoded)];
  } catch {
    return [encoded];
  }
}
