import type { ParsedAddress } from '../../model/address.js';
import { readMailbox } from './mailbox.js';
import { recognizeMistake } from './mistakes.js';

/** Parses an address, or returns the violated rule, its position and a suggestion. Never throws. */
export function parseAddress(text: string): ParsedAddress {
  // JavaScript callers may pass any value.
  if (typeof text !== 'string') return parseAddress('');
  const read = readMailbox(text);
  return read.ok ? read : { ok: false, fault: recognizeMistake(text, read.fault) };
}
