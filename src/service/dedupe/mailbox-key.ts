import { parseAddress } from '../../engine/grammar/parse-address.js';
import type { ParsedAddress } from '../../model/address.js';

// Of nothing but these characters, an address is its own canonical form, and anything else stands for itself: no need to parse.
const plain = /^[a-z0-9._+@-]+$/;

/** Equal for two spellings of one mailbox; a text that is no address stands for itself. */
export function keyOfAddress(email: string): string {
  return plain.test(email) ? email : keyOfParsed(email, parseAddress(email));
}

/** The same, of an address that was parsed already. */
export function keyOfParsed(email: string, parsed: ParsedAddress): string {
  return parsed.ok ? parsed.address.canonical : email;
}
