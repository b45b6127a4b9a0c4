import { idnaTables, loadTables } from './idna-tables.js';
import { unicodePattern } from './unicode-pattern.js';

export interface DomainName {
  /** Lower-case A-labels. */
  ascii: string;
  /** U-labels. */
  unicode: string;
}

const strict = { checkHyphens: true, checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };
const maxCached = 1000;
const cache = new Map<string, DomainName | null>();

/** Both forms of an international name, by UTS 46 (non-transitional) and IDNA2008; null if invalid. Lengths are not checked. */
export function convertName(name: string): DomainName | null {
  const cached = cache.get(name);
  if (cached !== undefined) return cached;
  const converted = convert(name);
  // Conversion is slow, and lists repeat their domains.
  if (cache.size >= maxCached) cache.clear();
  cache.set(name, converted);
  return converted;
}

/** Whether a character is valid in some U-label, which distinguishes a bad character from a bad combination. */
export function isNameCharacter(character: string): boolean {
  const mapped = idnaTables().toUnicode(`a${character}a`, { checkHyphens: true, useSTD3ASCIIRules: true });
  return !mapped.error && !mapped.domain.includes('.') && !disallowed().test(mapped.domain);
}

function convert(name: string): DomainName | null {
  const { domain: unicode, error } = idnaTables().toUnicode(name, strict);
  if (error || !unicode.split('.').every(isIdna2008)) return null;
  const ascii = idnaTables().toASCII(unicode, strict);
  return ascii === null ? null : { ascii, unicode };
}

/** Loads the tables where they cannot be loaded synchronously; there, the platform converts names until then. */
export async function loadIdna(): Promise<void> {
  await loadTables();
  cache.clear();
}

// UTS 46 allows symbols and punctuation, RFC 5892 does not. Pictographs are allowed, since registries sell such names.
const disallowed = unicodePattern(
  String.raw`(?![-.\u00b7\u0375\u05f3\u05f4\u06fd\u06fe\u0f0b\u3007\u30fb\p{Emoji_Modifier}\p{Regional_Indicator}]|(?=[\u2190-\u{10ffff}])\p{Extended_Pictographic})[\p{S}\p{P}\p{No}\p{Nl}]`,
);
const misplacedKeraia = unicodePattern(String.raw`\u0375(?!\p{Script=Greek})`);
const misplacedGeresh = unicodePattern(String.raw`(?<!\p{Script=Hebrew})[\u05f3\u05f4]`);
const japanese = unicodePattern(String.raw`[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]`);

function isIdna2008(label: string): boolean {
  return label !== '' && !disallowed().test(label) && followsContextRules(label);
}

/** The contextual rules of RFC 5892, appendix A.3 to A.9; tr46 checks those for joiners. */
function followsContextRules(label: string): boolean {
  if (!/[\u00b7\u0375\u05f3\u05f4\u30fb\u0660-\u0669\u06f0-\u06f9]/.test(label)) return true;
  return (
    !/(?<!l)\u00b7|\u00b7(?!l)/.test(label) &&
    !misplacedKeraia().test(label) &&
    !misplacedGeresh().test(label) &&
    (!label.includes('\u30fb') || japanese().test(label)) &&
    !(/[\u0660-\u0669]/.test(label) && /[\u06f0-\u06f9]/.test(label))
  );
}
