import type { Address } from '../../model/address.js';

/** Domains of providers that deliver `name+tag` to the mailbox `name`. docs/api.md has the sources. */
const taggedDomains: readonly RegExp[] = [
  /^(?:gmail|googlemail)\.com$/,
  /^(?:(?:outlook|hotmail|live)\.(?:com|[a-z]{2}|com?\.[a-z]{2})|msn\.com)$/,
  /^(?:icloud|me|mac)\.com$/,
  /^fastmail\.(?:com|fm)$/,
  /^(?:proton(?:mail)?\.(?:com|me|ch)|pm\.me)$/,
  /^(?:yandex|zoho)\.(?:com|eu|[a-z]{2}|com\.[a-z]{2})$/,
];

/** A text that is equal for all addresses of one mailbox by the rules of its provider. */
export function providerCanonical({ canonical, domain }: Pick<Address, 'canonical' | 'domain'>): string {
  if (!taggedDomains.some((pattern) => pattern.test(domain))) return canonical;
  const name = canonical.slice(0, canonical.lastIndexOf('@')).replace(/(?<=.)\+.*/, '');
  // Gmail also ignores dots, and has two domains.
  return domain.startsWith('g') ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`;
}
