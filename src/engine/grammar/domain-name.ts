import type { SyntaxFault } from '../../model/address.js';
import { isIpv4 } from '../../net/ip-address.js';
import { characterAt, isAscii, isLetter, isLetterOrDigit, nameCharacter, octetsOf } from './characters.js';
import { type CharacterFault, fault, faultOfCharacter } from './fault.js';
import { convertName, type DomainName, isNameCharacter } from './idna.js';
import { scanPlainDomain } from './plain-address.js';
import { findUnsafe } from './unsafe-characters.js';

const maxOctets = 253;
const maxLabelOctets = 63;
/** Longer labels are rejected unconverted: 63 octets never take this many UTF-16 units. */
const maxLabelUnits = 4 * maxLabelOctets;
const hyphen = 0x2d;

/** Reads the domain name from `start` to the end of a text (RFC 5321 §4.1.2, RFC 5890 §2.3). */
export function readDomainName(text: string, start: number): DomainName | SyntaxFault {
  const raw = text.slice(start);
  if (scanPlainDomain(text, start) >= 0) return sameInBothForms(raw.toLowerCase());
  const isPlain = isAscii(raw);
  const unsafeFault = isPlain ? null : findUnsafe(text, start, text.length, 'domain_bad_character');
  const shapeFault = unsafeFault ?? findBrokenShape(text, start);
  if (shapeFault) return shapeFault;
  const isIdn = !isPlain || (raw.includes('--') && raw.split('.').some(hasReservedHyphens));
  const name = isIdn ? convertName(raw) : sameInBothForms(raw.toLowerCase());
  if (!name) return badIdn(text, start);
  return findBadLength(name.ascii, text, start) ?? findBadEnding(name.ascii, text, start) ?? name;
}

function sameInBothForms(name: string): DomainName {
  return { ascii: name, unicode: name };
}

/** Dots as UTS 46 §2.3 reads them: full stop, ideographic, full-width and half-width ideographic. */
function isDot(code: number): boolean {
  return code === 0x2e || code === 0x3002 || code === 0xff0e || code === 0xff61;
}

function findBrokenShape(text: string, start: number): SyntaxFault | null {
  if (start === text.length) {
    return fault('domain_empty', start, 'There is nothing after the @: write the domain there, such as example.com.');
  }
  let labelStart = start;
  for (let i = start; i <= text.length; i++) {
    const code = i === text.length ? 0x2e : text.charCodeAt(i);
    if (isDot(code)) {
      const labelFault = i === labelStart ? emptyLabel(text, start, i) : brokenLabel(text, labelStart, i);
      if (labelFault) return labelFault;
      labelStart = i + 1;
    } else if (code < 128 && code !== hyphen && !isLetterOrDigit(code)) {
      return badCharacter(text, i);
    }
  }
  return null;
}

function emptyLabel(text: string, start: number, end: number): SyntaxFault {
  if (end === start) return fault('domain_leading_dot', end, 'There is a dot right after the @: delete it.');
  if (end === text.length) return fault('domain_trailing_dot', end - 1, 'The address ends with a dot: delete it.');
  return fault('domain_double_dot', end, 'There are two dots in a row in the domain: keep only one.');
}

function brokenLabel(text: string, start: number, end: number): SyntaxFault | null {
  const label = text.slice(start, end);
  if (label.startsWith('-')) {
    return fault('label_leading_hyphen', start, `No part of a domain may start with a hyphen, as "${label}" does.`);
  }
  if (label.endsWith('-')) {
    return fault('label_trailing_hyphen', end - 1, `No part of a domain may end with a hyphen, as "${label}" does.`);
  }
  if (label.length > maxLabelUnits) return labelTooLong(octetsOf(label), start);
  // RFC 5890 §2.3.1: two hyphens there are reserved, and only xn-- is in use.
  if (hasReservedHyphens(label) && isAscii(label) && !label.toLowerCase().startsWith('xn')) {
    const message = `"${label}" has hyphens in the third and fourth place, which only encoded (xn--) names may have.`;
    return fault('label_reserved_hyphens', start + 2, message);
  }
  return null;
}

function hasReservedHyphens(label: string): boolean {
  return label.charCodeAt(2) === hyphen && label.charCodeAt(3) === hyphen;
}

/** The label, and if possible the character, that makes a name invalid. */
function badIdn(text: string, start: number): SyntaxFault {
  let labelStart = start;
  for (let i = start; i <= text.length; i++) {
    if (i < text.length && !isDot(text.charCodeAt(i))) continue;
    const label = text.slice(labelStart, i);
    if (!isAscii(label) || hasReservedHyphens(label)) {
      const labelFault = convertName(label) ? null : badIdnLabel(label, labelStart);
      if (labelFault) return labelFault;
    }
    labelStart = i + 1;
  }
  const message = 'This domain mixes left-to-right and right-to-left parts in a way that domain names cannot.';
  return fault('label_bad_idn', start, message);
}

function badIdnLabel(label: string, position: number): SyntaxFault {
  if (isAscii(label)) {
    return fault(
      'label_bad_idn',
      position,
      `"${label}" does not decode to an international name: check it for typing errors.`,
    );
  }
  let offset = 0;
  for (const character of label) {
    if (character > '\x7f' && !isNameCharacter(character)) {
      return fault('domain_bad_character', position + offset, `A domain cannot contain ${nameCharacter(character)}.`);
    }
    offset += character.length;
  }
  return fault('label_bad_idn', position, `"${label}" is not possible as a part of an international domain name.`);
}

function findBadLength(ascii: string, text: string, start: number): SyntaxFault | null {
  let labelStart = 0;
  let labelNumber = 0;
  for (let i = 0; i <= ascii.length; i++) {
    if (i < ascii.length && ascii.charCodeAt(i) !== 0x2e) continue;
    if (i - labelStart > maxLabelOctets) return labelTooLong(i - labelStart, startOfLabel(text, start, labelNumber));
    labelStart = i + 1;
    labelNumber++;
  }
  if (ascii.length <= maxOctets) return null;
  const message = `The domain is ${ascii.length} octets long; at most ${maxOctets} are allowed.`;
  return fault('domain_too_long', start, message);
}

function labelTooLong(octets: number, position: number): SyntaxFault {
  const message = `A part of the domain is ${octets} octets long; at most ${maxLabelOctets} are allowed between dots.`;
  return fault('label_too_long', position, message);
}

function startOfLabel(text: string, start: number, number: number): number {
  let position = start;
  for (let passed = 0; passed < number; position++) if (isDot(text.charCodeAt(position))) passed++;
  return position;
}

function findBadEnding(ascii: string, text: string, start: number): SyntaxFault | null {
  const lastDot = ascii.lastIndexOf('.');
  if (lastDot < 0) {
    const message = `The domain "${text.slice(start)}" has no dot; mail domains have at least two parts, as in example.com.`;
    return fault('domain_single_label', start, message);
  }
  const tld = ascii.slice(lastDot + 1);
  // RFC 1123 §2.1 and RFC 3696 §2: a last label that is not a number distinguishes a name from an IP address; the root has no
  // ASCII label that ends in a digit, and admits none.
  if (isLetter(tld.charCodeAt(tld.length - 1)) || tld.startsWith('xn--')) return null;
  const position = startOfLabel(text, start, ascii.split('.').length - 1);
  const message = isIpv4(ascii)
    ? `An IP address in place of a domain must stand in brackets: [${ascii}].`
    : `No top-level domain ends in a digit, as "${tld}" does: check it for typing errors.`;
  return fault('domain_numeric_tld', position, message);
}

const portOrPath = 'The address ends with its domain: leave out the port or path after it.';
const faults: Readonly<Record<string, CharacterFault>> = {
  ' ': ['contains_space', 'There is a space in the domain: addresses have no spaces.'],
  '@': ['multiple_at', 'There is more than one @: an address has exactly one outside quotes.'],
  ',': ['domain_comma', 'There is a comma in the domain: write a dot instead.'],
  ':': ['domain_port_or_path', portOrPath],
  '/': ['domain_port_or_path', portOrPath],
  '?': ['domain_port_or_path', portOrPath],
  '#': ['domain_port_or_path', portOrPath],
  _: ['domain_bad_character', 'Mail domains have no underscore: only letters, digits, hyphens and dots.'],
};

function badCharacter(text: string, position: number): SyntaxFault {
  const character = characterAt(text, position);
  if (character === ',' && position === text.length - 1) {
    return fault('domain_comma', position, 'The address ends with a comma: delete it.');
  }
  const message = `A domain cannot contain ${nameCharacter(character)}.`;
  return faultOfCharacter(character, position, faults, ['domain_bad_character', message]);
}
