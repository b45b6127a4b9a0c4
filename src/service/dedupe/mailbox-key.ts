import { parseAddress } from '../../engine/grammar/parse-address.js';

// Of nothing but these characters, an address is its own canonical form, and anything else stands for itself: no need to parse.
const plain = /^[a-z0-9._+@-]+$/;

/** Equal for two spellings of one mailbox; a text that is no address stands for itself. */
export function keyOfAddress(email: string): string {
  if (plain.test(email)) return email;
  const parsed = parseAddress(email);
  return parsed.ok ? parsed.address.canonical : email;
}
