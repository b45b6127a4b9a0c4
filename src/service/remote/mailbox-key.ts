import { parseAddress } from '../../engine/grammar/parse-address.js';

/** Equal for two spellings of one mailbox; a text that is no address stands for itself. */
export function keyOfAddress(email: string): string {
  const parsed = parseAddress(email);
  return parsed.ok ? parsed.address.canonical : email;
}
