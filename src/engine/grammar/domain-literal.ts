import type { AddressLiteral, SyntaxFault } from '../../model/address.js';
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

/** Whether a text is an IPv4 address in dotted decimal. Leading zeros are refused: some software reads them as octal. */
export function isIpv4(text: string): boolean {
  const parts = text.split('.', 5);
  return parts.length === 4 && parts.every(isOctet);
}

function isOctet(part: string): boolean {
  if (part.length === 0 || part.length > 3 || (part.length > 1 && part.startsWith('0'))) return false;
  for (let i = 0; i < part.length; i++) {
    const code = part.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return Number(part) <= 255;
}

/** An IPv6 address in its RFC 5952 spelling, or null. */
export function spellIpv6(text: string): string | null {
  const parsed = parseIpv6(text);
  return parsed ? renderIpv6(parsed.groups) : null;
}

function ipv6Literal(content: string, position: number): DomainLiteral | SyntaxFault {
  const parsed = parseIpv6(content);
  if (!parsed) {
    const message = 'What follows "IPv6:" is not an IPv6 address; one looks like [IPv6:2001:db8::1].';
    return fault('literal_bad_ipv6', position, message);
  }
  // RFC 5321 §4.1.3 and RFC 5952 §4.2.2; erratum 2467, which would have allowed it, was rejected.
  if (parsed.elided === 1) {
    return fault('literal_bad_ipv6', position, 'In an address, "::" must stand for two or more groups of zeros.');
  }
  const ip = renderIpv6(parsed.groups);
  return { domain: `[IPv6:${ip}]`, literal: { family: 6, ip } };
}

function untaggedFault(content: string, position: number): SyntaxFault {
  if (parseIpv6(content)) {
    return fault('literal_unknown_tag', position, 'An IPv6 address in brackets needs the tag "IPv6:" before it.');
  }
  const message = 'The only tag allowed in brackets is "IPv6:", as in [IPv6:2001:db8::1].';
  return fault('literal_unknown_tag', position, message);
}

/** The eight groups, and how many of them "::" stood for; null if invalid. */
function parseIpv6(text: string): { groups: number[]; elided: number } | null {
  if (text.length > 45) return null;
  const halves = text.split('::', 3);
  if (halves.length > 2) return null;
  const head = parseGroups(halves[0] ?? '', halves.length === 1);
  if (halves.length === 1) return head?.length === 8 ? { groups: head, elided: 0 } : null;
  const tail = parseGroups(halves[1] ?? '', true);
  if (!head || !tail || head.length + tail.length > 7) return null;
  const elided = 8 - head.length - tail.length;
  return { groups: [...head, ...new Array<number>(elided).fill(0), ...tail], elided };
}

function parseGroups(text: string, mayEndInIpv4: boolean): number[] | null {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (mayEndInIpv4 && index === parts.length - 1 && isIpv4(part)) {
      const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
      groups.push(a * 256 + b, c * 256 + d);
    } else {
      const group = parseGroup(part);
      if (group < 0) return null;
      groups.push(group);
    }
  }
  return groups;
}

function parseGroup(part: string): number {
  if (part.length === 0 || part.length > 4) return -1;
  for (let i = 0; i < part.length; i++) {
    const code = part.charCodeAt(i) | 0x20;
    const isDigit = part.charCodeAt(i) >= 0x30 && part.charCodeAt(i) <= 0x39;
    if (!isDigit && (code < 0x61 || code > 0x66)) return -1;
  }
  return Number.parseInt(part, 16);
}

/** RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups as "::". */
function renderIpv6(groups: number[]): string {
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high = 0, low = 0] = groups.slice(6);
    return `::ffff:${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  }
  const run = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (run.length < 2) return hex.join(':');
  return `${hex.slice(0, run.start).join(':')}::${hex.slice(run.start + run.length).join(':')}`;
}

function longestZeroRun(groups: number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}
