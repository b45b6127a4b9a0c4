import { parseAddress } from '../engine/grammar/parse-address.js';
import type { ParsedAddress } from '../model/address.js';

// An address of only these characters is its own canonical form.
const plain = /^[a-z0-9._+@-]+$/;

/** A key that is equal for two spellings of one mailbox; any other text is its own key. */
export function keyOfAddress(email: string): string {
  return plain.test(email) ? email : keyOfParsed(email, parseAddress(email));
}

/** The same for a parsed address. */
export function keyOfParsed(email: string, parsed: ParsedAddress): string {
  return parsed.ok ? parsed.address.canonical : email;
}

/** Separates the mailbox in a key from the case of its local part. No address has it. */
export const spellingMark = '\0';

/** The same as `spellingKey`, for text. */
export function spellingKeyOf(email: string): string {
  return plain.test(email) ? email : spellingKey(email, parseAddress(email));
}

/** A key that is also apart for local parts of another case, which a mail host may tell apart (RFC 5321 §2.4). */
export function spellingKey(email: string, parsed: ParsedAddress): string {
  if (!parsed.ok) return email;
  const { canonical, localPart } = parsed.address;
  return canonical.startsWith(localPart) ? canonical : `${canonical}${spellingMark}${localPart}`;
}
