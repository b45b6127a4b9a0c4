import { unicodePattern } from './unicode-pattern.js';

/** A domain name in both its forms. */
export interface DomainName {
  /** Lower-case A-labels. */
  ascii: string;
  /** U-labels. */
  unicode: string;
}

interface Tr46 {
  toASCII(name: string, options: Record<string, boolean>): string | null;
  toUnicode(name: string, options: Record<string, boolean>): { domain: string; error: boolean };
}

const strict = { checkHyphens: true, checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };
const maxRemembered = 1000;
const remembered = new Map<string, DomainName | null>();
let loaded: Tr46 | undefined;

/**
 * A name with non-ASCII or xn-- labels in both forms, or null where IDNA knows no such name: mapped by UTS 46
 * (non-transitional), then held to IDNA2008. Lengths are not checked.
 */
export function convertName(name: string): DomainName | null {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const converted = convert(name);
  // A list repeats its domains, and one conversion costs as much as a hundred plain addresses.
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(name, converted);
  return converted;
}

/** Whether a character could stand in some U-label: tells a bad character from a bad combination. */
export function isNameCharacter(character: string): boolean {
  const mapped = tr46().toUnicode(`a${character}a`, { checkHyphens: true, useSTD3ASCIIRules: true });
  return !mapped.error && !mapped.domain.includes('.') && !disallowed().test(mapped.domain);
}

function convert(name: string): DomainName | null {
  const { domain: unicode, error } = tr46().toUnicode(name, strict);
  if (error || !unicode.split('.').every(isIdna2008)) return null;
  const ascii = tr46().toASCII(unicode, strict);
  return ascii === null ? null : { ascii, unicode };
}

/** Loaded at the first name that needs it, since its tables cost ten milliseconds; the build puts it beside the bundle. */
function tr46(): Tr46 {
  loaded ??= require('tr46') as Tr46;
  return loaded;
}

// UTS 46 still admits symbols and punctuation as IDNA2003 did; RFC 5892 does not. Pictographs are let through all the same:
// several registries sell such names, and mail to them arrives.
const disallowed = unicodePattern(
  String.raw`(?![-.\u00b7\u0375\u05f3\u05f4\u06fd\u06fe\u0f0b\u3007\u30fb\p{Emoji_Modifier}\p{Regional_Indicator}]|(?=[\u2190-\u{10ffff}])\p{Extended_Pictographic})[\p{S}\p{P}\p{No}\p{Nl}]`,
);
const keraiaAstray = unicodePattern(String.raw`\u0375(?!\p{Script=Greek})`);
const gereshAstray = unicodePattern(String.raw`(?<!\p{Script=Hebrew})[\u05f3\u05f4]`);
const japanese = unicodePattern(String.raw`[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]`);

function isIdna2008(label: string): boolean {
  return label !== '' && !disallowed().test(label) && contextHolds(label);
}

/** The contextual rules of RFC 5892, appendix A.3 to A.9; tr46 holds those for joiners. */
function contextHolds(label: string): boolean {
  if (!/[\u00b7\u0375\u05f3\u05f4\u30fb\u0660-\u0669\u06f0-\u06f9]/.test(label)) return true;
  return (
    !/(?<!l)\u00b7|\u00b7(?!l)/.test(label) &&
    !keraiaAstray().test(label) &&
    !gereshAstray().test(label) &&
    (!label.includes('\u30fb') || japanese().test(label)) &&
    !(/[\u0660-\u0669]/.test(label) && /[\u06f0-\u06f9]/.test(label))
  );
}
