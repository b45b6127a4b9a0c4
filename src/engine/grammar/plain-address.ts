import type { Address } from '../../model/address.js';
import { asciiKinds, atext, letter, letterOrDigit, plusSign, upperCase } from './characters.js';

const dot = 0x2e;
const hyphen = 0x2d;

/** Fast path: an ASCII dot-string and a domain without encoded labels. Null: use the full parser. */
export function readPlainAddress(text: string): Address | null {
  if (text.length > 254) return null;
  const end = text.indexOf('@');
  if (end < 1 || end > 64) return null;
  const localKinds = scanLocalPart(text, end);
  if (localKinds < 0) return null;
  const domainKinds = scanPlainDomain(text, end + 1);
  if (domainKinds < 0) return null;
  const localPart = text.slice(0, end);
  const rawDomain = text.slice(end + 1);
  const domain = (domainKinds & upperCase) === 0 ? rawDomain : rawDomain.toLowerCase();
  return {
    localPart,
    domain,
    displayDomain: domain,
    literal: null,
    tag: (localKinds & plusSign) === 0 ? null : tagOf(localPart),
    canonical: ((localKinds | domainKinds) & upperCase) === 0 ? text : text.toLowerCase(),
    needsSmtpUtf8: false,
  };
}

/** The text after the first plus that is not at the start, or null. */
export function tagOf(content: string): string | null {
  const plus = content.indexOf('+');
  return plus > 0 ? content.slice(plus + 1) : null;
}

/** The kinds of characters in a dot-string, or -1. */
function scanLocalPart(text: string, end: number): number {
  let kinds = 0;
  let lastDot = -1;
  for (let i = 0; i < end; i++) {
    const code = text.charCodeAt(i);
    const kind = code > 127 ? 0 : (asciiKinds[code] as number);
    if ((kind & atext) !== 0) {
      kinds |= kind;
    } else {
      if (code !== dot || lastDot === i - 1) return -1;
      lastDot = i;
    }
  }
  return lastDot === end - 1 ? -1 : kinds;
}

/** The kinds of characters in a plain domain name that ends the text, or -1. */
export function scanPlainDomain(text: string, start: number): number {
  const length = text.length;
  if (start === length || length - start > 253) return -1;
  let kinds = 0;
  let kind = 0;
  let labelStart = start;
  for (let i = start; i < length; i++) {
    const code = text.charCodeAt(i);
    kind = code > 127 ? 0 : (asciiKinds[code] as number);
    if ((kind & letterOrDigit) !== 0) {
      kinds |= kind;
    } else if (code === dot) {
      if (i === labelStart || i - labelStart > 63 || text.charCodeAt(i - 1) === hyphen) return -1;
      labelStart = i + 1;
    } else if (code !== hyphen || i === labelStart || (i === labelStart + 3 && text.charCodeAt(i - 1) === hyphen)) {
      return -1;
    }
  }
  const endsInLetter = (kind & letter) !== 0;
  return endsInLetter && labelStart > start && length - labelStart <= 63 ? kinds : -1;
}
