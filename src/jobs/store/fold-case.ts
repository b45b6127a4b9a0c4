/**
 * A text without case, for letters of every script. Databases fold ASCII only, or by their locale. Lower case first:
 * some signs, as that of Kelvin, are letters only then. NFC, since macOS gives file names with separate accents.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().normalize('NFC');
}
