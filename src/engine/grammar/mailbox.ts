import type { Address, ParsedAddress, SyntaxFault } from '../../model/address.js';
import { isAscii } from './characters.js';
import { readDomainLiteral } from './domain-literal.js';
import { readDomainName } from './domain-name.js';
import { fault, isFault } from './fault.js';
import { type LocalPart, readLocalPart } from './local-part.js';
import { readPlainAddress, tagOf } from './plain-address.js';
import { findControl } from './unsafe-characters.js';

/** RFC 5321 §4.5.3.1.3 gives a path 256 octets, including two for the angle brackets. */
const maxAddressOctets = 254;

/** Longer texts are rejected unread: 254 octets never take this many UTF-16 units. */
const maxUnits = 1000;

/** Parses an RFC 5321 Mailbox with the extensions of RFC 6531; returns the first violated rule otherwise. */
export function readMailbox(text: string): ParsedAddress {
  const plain = readPlainAddress(text);
  if (plain) return { ok: true, address: plain };
  if (text.length > maxUnits) return { ok: false, fault: tooLong(`${text.length} characters`, maxAddressOctets) };
  const control = findControl(text);
  if (control) return { ok: false, fault: control };
  const local = readLocalPart(text);
  if (isFault(local)) return { ok: false, fault: local };
  const address = readDomain(text, local);
  return isFault(address) ? { ok: false, fault: address } : { ok: true, address };
}

function readDomain(text: string, local: LocalPart): Address | SyntaxFault {
  const start = local.at + 1;
  if (text.charCodeAt(start) === 0x5b) {
    const read = readDomainLiteral(text, start);
    return isFault(read) ? read : assemble(local, read.domain, read.domain, read.literal);
  }
  const name = readDomainName(text, start);
  if (isFault(name)) return name;
  const octets = local.octets + 1 + name.ascii.length;
  if (octets > maxAddressOctets) {
    return tooLong(`${octets} octets`, Math.min(text.length - 1, start + maxAddressOctets - local.octets - 1));
  }
  return assemble(local, name.ascii, name.unicode, null);
}

function assemble(local: LocalPart, domain: string, displayDomain: string, literal: Address['literal']): Address {
  const { wire, content } = local;
  return {
    localPart: wire,
    domain,
    displayDomain,
    literal,
    tag: tagOf(content),
    canonical: `${wire.toLowerCase()}@${domain}`,
    needsSmtpUtf8: !isAscii(wire),
  };
}

function tooLong(length: string, position: number): SyntaxFault {
  const message = `The address is ${length} long; at most ${maxAddressOctets} octets are allowed.`;
  return fault('address_too_long', position, message);
}
