/**
 * A text without case, for letters of every script. Databases fold ASCII only, or by their locale. Lower case comes first: some
 * signs, such as the Kelvin sign, become letters by it. NFC, since macOS gives file names with separate accents.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().normalize('NFC');
}
