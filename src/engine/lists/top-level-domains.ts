import { readTlds } from '../data-text.js';

let known: Set<string> | undefined;

/** Whether a top-level domain (A-label) is in the bundled root zone. */
export function isKnownTld(tld: string): boolean {
  known ??= new Set(readTlds().trimEnd().split('\n'));
  return known.has(tld);
}
