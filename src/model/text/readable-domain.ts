/**
 * A domain in Unicode (`münchen.de` for `xn--mnchen-3ya.de`). A label stays in ASCII if it mixes scripts, or if all of
 * its letters look Latin and the top-level domain is Latin.
 */
export function readableDomain(domain: string): string {
  if (!/(?:^|\.)xn--/i.test(domain)) return domain;
  const labels = domain.toLowerCase().split('.');
  const isLatinTop = !(labels.at(-1) ?? '').startsWith('xn--');
  return labels.map((label) => readableLabel(label, isLatinTop)).join('.');
}

function readableLabel(label: string, isLatinTop: boolean): string {
  if (!label.startsWith('xn--')) return label;
  const text = decodePunycode(label.slice(4));
  const isReadable = text !== null && isPlain(text) && usesAllowedScripts(text) && !(isLatinTop && looksLatin(text));
  return isReadable ? text : label;
}

/** Only letters, marks and digits in NFC, and not all ASCII. */
function isPlain(text: string): boolean {
  return /[^\0-\x7f]/.test(text) && /^[\p{L}\p{M}\p{N}-]+$/u.test(text) && text.normalize('NFC') === text;
}

/** The scripts that one label may use together: UTS 39 §5.2, "highly restrictive". */
const allowedScriptSets = [
  ...['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Armenian', 'Georgian', 'Devanagari', 'Bengali', 'Gujarati'],
  ...['Gurmukhi', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Oriya', 'Thai', 'Lao', 'Khmer', 'Myanmar'],
  ...['Tibetan', 'Ethiopic', 'Mongolian', 'Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul'],
];
let patterns: RegExp[] | null = null;

function usesAllowedScripts(text: string): boolean {
  patterns ??= allowedScriptSets.map((names) => {
    const allowed = names.split(' ').map((name) => `\\p{Script=${name}}`);
    return new RegExp(`^[${allowed.join('')}\\p{Script=Inherited}ー0-9-]+$`, 'u');
  });
  return patterns.some((pattern) => pattern.test(text));
}

/** Cyrillic, Greek and Armenian letters that look Latin. */
function looksLatin(text: string): boolean {
  return /^[асԁеһіјӏорԛѕԝхуъьҽпгѵѡαγικνορτυωհոօսցզքւյ0-9-]+$/u.test(text);
}

/** RFC 3492 §6.2; null if invalid. */
function decodePunycode(encoded: string): string | null {
  const start = encoded.lastIndexOf('-');
  const points = [...encoded.slice(0, Math.max(0, start))].map((letter) => letter.codePointAt(0) ?? 0);
  let [point, bias, position] = [128, 72, 0];
  for (let index = start + 1; index < encoded.length; position++) {
    const before = position;
    for (let weight = 1, step = 36; ; step += 36) {
      const digit = digitOf(encoded.charCodeAt(index++));
      if (digit === null) return null;
      position += digit * weight;
      const threshold = Math.min(26, Math.max(1, step - bias));
      if (digit < threshold) break;
      weight *= 36 - threshold;
    }
    const length = points.length + 1;
    bias = adaptBias(position - before, length, before === 0);
    point += Math.floor(position / length);
    position %= length;
    // This is also true for NaN.
    if (!(point <= 0x10ffff)) return null;
    points.splice(position, 0, point);
  }
  return String.fromCodePoint(...points);
}

function digitOf(code: number): number | null {
  if (code >= 97 && code <= 122) return code - 97;
  return code >= 48 && code <= 57 ? code - 22 : null;
}

function adaptBias(delta: number, length: number, isFirst: boolean): number {
  let remaining = Math.floor(delta / (isFirst ? 700 : 2));
  remaining += Math.floor(remaining / length);
  let bias = 0;
  for (; remaining > 455; bias += 36) remaining = Math.floor(remaining / 35);
  return bias + Math.floor((36 * remaining) / (remaining + 38));
}
