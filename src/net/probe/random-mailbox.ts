import { createHmac } from 'node:crypto';

const consonants = 'bcdfghjklmnprstvwz';
const vowels = 'aeiou';

/** The shape of a random mailbox: two words and a dot, with 58 random bits. */
export const defaultShape = 'aaaaaaaa.aaaaaaaaaa';
/** Shorter names may exist. */
const minLength = 12;
const maxLength = 24;

/**
 * The pattern of a local part: letters as `a`, digits as `0`, separators as they are, and a mark for long ones. Similar names share one, so
 * that few mailboxes are asked for; null for a quoted or international name.
 */
export function patternOf(localPart: string): string | null {
  const pattern = localPart.replace(/[a-z]+/gi, 'a').replace(/\d+/g, '0');
  if (!/^[a0](?:[._+-]?[a0]){0,5}$/.test(pattern)) return null;
  return localPart.length > minLength && pattern !== 'a.a' ? `${pattern}…` : pattern;
}

/** The shape of the names with a pattern. */
export function shapeOf(marked: string): string {
  if (marked === 'a.a') return defaultShape;
  const pattern = marked.replace('…', '');
  const length = pattern === marked ? minLength : maxLength;
  const [letters, digits] = [pattern.split('a').length - 1, pattern.split('0').length - 1];
  const digitLength = letters === 0 ? Math.ceil(length / digits) : 2;
  const letterLength = Math.max(4, Math.ceil((length - digits * digitLength) / Math.max(1, letters)));
  return pattern.replaceAll('a', 'a'.repeat(letterLength)).replaceAll('0', '0'.repeat(digitLength));
}

/**
 * A local part of the shape that does not exist. It looks like a name, since some hosts reject random characters without a lookup. It is
 * derived from the secret and the domain, since a greylist identifies a mailbox by its name.
 */
export function randomLocalPart(secret: Uint8Array, domain: string, shape = defaultShape): string {
  const label = shape === defaultShape ? domain : `${domain} ${shape}`;
  const bytes = createHmac('sha512', secret).update(label).digest();
  let isConsonant = false;
  return shape.replace(/./g, (kind, index: number) => {
    const value = bytes[index % bytes.length] ?? 0;
    isConsonant = kind === 'a' && !isConsonant;
    if (kind === '0') return String(value % 10);
    const letters = isConsonant ? consonants : vowels;
    return kind === 'a' ? letters.charAt(value % letters.length) : kind;
  });
}
