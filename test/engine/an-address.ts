import type { Address } from '../../src/model/address.js';

/** A plain address from its text, as the parser returns it. */
export function anAddress(text: string, changes: Partial<Address> = {}): Address {
  const separator = text.lastIndexOf('@');
  const localPart = text.slice(0, separator);
  const domain = text.slice(separator + 1);
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
