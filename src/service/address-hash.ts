import { createHash } from 'node:crypto';
import { keyOfAddress } from '../lists/mailbox-key.js';
import { isPlaceholder, readAddresses } from '../rows/read/find-addresses.js';

/** The SHA-256 of a mailbox in hexadecimal, as ad platforms and suppression lists use it. */
export function hashAddress(email: string): string {
  return createHash('sha256').update(keyOfAddress(email.trim())).digest('hex');
}

/** Whether the text is hashes already, as in an earlier output of hashes. */
export function isHashed(text: string): boolean {
  return /^[\da-f]{64}(?:, [\da-f]{64})*$/.test(text);
}

/** Each of several addresses of a cell has its own hash. A placeholder, such as "n/a", has none. */
export function hashText(text: string): string {
  if (isHashed(text)) return text;
  return readAddresses(text)
    .map((address) => (address === '' || isPlaceholder(address) ? address : hashAddress(address)))
    .join(', ');
}
