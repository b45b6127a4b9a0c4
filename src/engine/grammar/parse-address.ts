import type { Address, ParsedAddress } from '../../model/address.js';
import { readMailbox } from './mailbox.js';
import { recognizeMistake } from './mistakes.js';

/** An address in every form that later steps need, or the rule that the text breaks, where, and what to write instead. Never throws. */
export function parseAddress(text: string): ParsedAddress {
  // Callers without types hand in whatever a list held.
  if (typeof text !== 'string') return parseAddress('');
  const read = readMailbox(text);
  return read.ok ? read : { ok: false, fault: recognizeMistake(text, read.fault) };
}

/** The address as it goes on the wire; parsing it again gives the same address. */
export function renderAddress(address: Address): string {
  return `${address.localPart}@${address.domain}`;
}
