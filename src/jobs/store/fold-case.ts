/**
 * Folds the case of letters of every script; databases fold ASCII only, or by their locale. Lower case comes first: it turns signs
 * such as the Kelvin sign into letters. NFC is applied because file names of macOS have separate accents.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().normalize('NFC');
}
