import { readFileSync } from 'node:fs';
import { Failure } from '../model/failure.js';

/** What the setting `store` may be: the address of a database, or `@` and a file that holds it. */
export function isStore(value: string): boolean {
  return /^postgres(?:ql)?:\/\/[^\s]+$/.test(value) || /^@[^\0]+$/.test(value);
}

/** The address that the setting `store` gives; null where there is none. */
export function readStoreAddress(store: string | null): string | null {
  if (store === null || !store.startsWith('@')) return store;
  const path = store.slice(1);
  const address = firstLine(path);
  if (/^postgres(?:ql)?:\/\/[^\s]+$/.test(address)) return address;
  throw new Failure('usage', `The file ${path} does not begin with the address of a store.`, {
    hint: 'Its first line looks like postgres://user:password@host:5432/database.',
  });
}

function firstLine(path: string): string {
  try {
    return (readFileSync(path, 'utf8').split('\n')[0] ?? '').trim();
  } catch (cause) {
    throw new Failure('usage', `The file ${path}, which should hold the address of the store, cannot be read.`, {
      hint: 'Check the path after @ in --store, MAILVET_STORE or the setting store.',
      cause,
    });
  }
}

/** The password in an address, as written and as meant; empty where there is none. */
export function passwordsIn(store: string | null): string[] {
  const written = /^[a-z]+:\/\/[^/?#]*?:([^@/?#]*)@/i.exec(store ?? '')?.[1] ?? '';
  if (written === '') return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}
