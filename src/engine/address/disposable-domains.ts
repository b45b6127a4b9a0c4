import { readDisposable } from '../data-text.js';
import { listedName } from '../lists/public-suffix.js';
import { openSortedLines } from '../lists/sorted-lines.js';

const lines = openSortedLines(readDisposable);

/** Whether the domain, or its registrable domain, is on the list of disposable domains. */
export function isListed(domain: string): boolean {
  return listedName(lines, domain) !== null;
}
