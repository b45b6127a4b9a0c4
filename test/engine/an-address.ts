import type { Address } from '../../src/model/address.js';

/** A plain address as the parser would give it, from its text. */
export function anAddress(text: string, changes: Partial<Address> = {}): Address {
  const at = text.lastIndexOf('@');
  const localPart = text.slice(0, at);
  const domain = text.slice(at + 1);
  const plus = localPart.indexOf('+');
  return {
    localPart,
    domain,
    displayDomain: domain,
    literal: null,
    tag: plus === -1 ? null : localPart.slice(plus + 1),
    canonical: text.toLowerCase(),
    needsSmtpUtf8: false,
    ...changes,
  };
}
