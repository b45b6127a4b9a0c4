/** Written between words and at both ends of a folded local part. */
export const boundary = '.';

/** Letters that do not decompose, and the ASCII letters that people type for them. */
const asciiSpellings: Record<string, string> = Object.fromEntries(
  [...'ßæøœđðłıþəħŋς'].map((letter, index) => [letter, 'saooddlitehnσ'.charAt(index)]),
);

/**
 * A local part without its tag, in lower case, without diacritics and with one separator between words. Greek, Cyrillic,
 * Hebrew and Arabic are kept; every other script becomes one letter, because it has too many or too few names.
 */
export function foldToAscii(text: string): string {
  const lower = text.toLowerCase();
  const letters = isAscii.test(lower) ? lower : foldInternational(lower);
  return `.${letters.slice(0, 64)}.`.replaceAll(/[._-]+/g, boundary);
}

const isAscii = /^[\x20-\x7e]*$/;

function foldInternational(lower: string): string {
  return lower
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[ßæøœđðłıþəħŋς]/g, (letter) => asciiSpellings[letter] ?? letter)
    .replaceAll(/[\u0530-\u058f\u0700-\uffff]/g, '一');
}
