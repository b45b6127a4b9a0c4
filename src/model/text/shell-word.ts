import { hasUnsafeText } from './safe-text.js';

/**
 * A text as one word of a POSIX shell. Characters that a terminal does not show are escaped. On Windows, cmd.exe and PowerShell
 * share only double quotes.
 */
export function shellWord(text: string, platform = ''): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (platform === 'win32') return /^[\w@%+=:,./\\-]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
  return hasUnsafeText(text) ? `$'${escapeBytes(text)}'` : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Escapes a text as octal bytes (POSIX.1-2024 §2.2.4), since shells differ in their escapes for characters. */
function escapeBytes(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c;
    return isPlain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }).join('');
}

/** The name of a file in a sentence. One with spaces is quoted, so that it is not broken into lines. */
export function quotedName(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}
