import { parseAddress } from '../../engine/grammar/parse-address.js';
import type { ParsedAddress } from '../../model/address.js';

// An address of only these characters is its own canonical form.
const plain = /^[a-z0-9._+@-]+$/;

/** Equal for two spellings of one mailbox; any other text is its own key. */
export function keyOfAddress(email: string): string {
  return plain.test(email) ? email : keyOfParsed(email, parseAddress(email));
}

/** Domains of mail providers that ignore what follows a plus sign. */
const plusDomains =
  /^(?:gmail\.com|googlemail\.com|outlook\.[a-z.]+|hotmail\.[a-z.]+|live\.[a-z.]+|msn\.com|icloud\.com|me\.com|mac\.com|fastmail\.(?:com|fm)|proton(?:mail)?\.(?:com|me|ch)|pm\.me|yandex\.[a-z.]+|zoho\.[a-z.]+)$/;

/** Equal also for addresses that lead to one mailbox by the rules of its provider: Gmail's dots, and tags after a plus. */
export function providerKeyOf(email: string): string {
  const key = keyOfAddress(email);
  const at = key.lastIndexOf('@');
  const domain = key.slice(at + 1);
  if (!plusDomains.test(domain)) return key;
  const local = key.slice(0, at).replace(/(?<=.)\+.*/, '');
  return domain.startsWith('g') ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`;
}

/** The same for a parsed address. */
export function keyOfParsed(email: string, parsed: ParsedAddress): string {
  return parsed.ok ? parsed.address.canonical : email;
}
