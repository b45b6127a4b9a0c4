import type { AddressLiteral, SyntaxFault } from '../../model/address.js';
import { formatIp, isIpv4, parseIp } from '../../net/ip-address.js';
import { fault } from './fault.js';

/** A domain literal in its canonical form. */
interface DomainLiteral {
  /** The literal with brackets and tag, for example `[IPv6:2001:db8::1]`. */
  domain: string;
  literal: AddressLiteral;
}

const tag = 'ipv6:';

/** Reads the bracketed IP address that begins at `start` and must end the text (RFC 5321 §4.1.3). */
export function readDomainLiteral(text: string, start: number): DomainLiteral | SyntaxFault {
  const close = text.indexOf(']', start);
  if (close < 0)
    return fault('literal_unclosed', start, 'The bracket that opens the IP address is never closed with "]".');
  if (close < text.length - 1) {
    return fault('literal_trailing_text', close + 1, 'Nothing may follow the "]" that closes the IP address.');
  }
  const content = text.slice(start + 1, close);
  if (content.slice(0, tag.length).toLowerCase() === tag) return ipv6Literal(content.slice(tag.length), start + 6);
  if (content.includes(':')) return untaggedFault(content, start + 1);
  if (!isIpv4(content)) {
    const message = `The brackets must contain an IPv4 address, four numbers from 0 to 255 as in [192.0.2.1].`;
    return fault('literal_bad_ipv4', start + 1, message);
  }
  return { domain: `[${content}]`, literal: { family: 4, ip: content } };
}

/** An IPv6 address in its RFC 5952 spelling, or null. */
export function spellIpv6(text: string): string | null {
  const bytes = text.includes('%') ? null : parseIp(text);
  return bytes?.length === 16 ? formatIp(bytes) : null;
}

function ipv6Literal(content: string, position: number): DomainLiteral | SyntaxFault {
  const ip = spellIpv6(content);
  if (ip === null) {
    const message = 'What follows "IPv6:" is not an IPv6 address; one looks like [IPv6:2001:db8::1].';
    return fault('literal_bad_ipv6', position, message);
  }
  // RFC 5321 §4.1.3 and RFC 5952 §4.2.2; erratum 2467, which would have allowed it, was rejected.
  const groups = content.split(':').filter((group) => group !== '').length + (content.includes('.') ? 1 : 0);
  if (content.includes('::') && groups === 7) {
    return fault('literal_bad_ipv6', position, 'In an address, "::" must stand for two or more groups of zeros.');
  }
  return { domain: `[IPv6:${ip}]`, literal: { family: 6, ip } };
}

function untaggedFault(content: string, position: number): SyntaxFault {
  if (spellIpv6(content) !== null) {
    return fault('literal_unknown_tag', position, 'An IPv6 address in brackets needs the tag "IPv6:" before it.');
  }
  const message = 'The only tag allowed in brackets is "IPv6:", as in [IPv6:2001:db8::1].';
  return fault('literal_unknown_tag', position, message);
}
