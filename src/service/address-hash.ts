import { createHash } from 'node:crypto';
import { keyOfAddress } from '../lists/mailbox-key.js';

/** The SHA-256 of a mailbox in hexadecimal, as ad platforms and suppression lists use it. */
export function hashAddress(email: string): string {
  return createHash('sha256').update(keyOfAddress(email.trim())).digest('hex');
}

/** Whether the text is such hashes, with commas between them. */
export function isHashed(text: string): boolean {
  return /^[\da-f]{64}(?:, [\da-f]{64})*$/.test(text);
}
