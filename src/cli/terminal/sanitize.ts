import { safeText } from '../../model/text/safe-text.js';

const mayBeUnsafe = /[^\x20-\x7e\t]/;

/** Removes characters from a line that move the cursor, change colors or reorder text. */
export function sanitize(text: string): string {
  return mayBeUnsafe.test(text) ? safeText(text) : text;
}

const color = /\x1b\[[\d;]*m/g;

/** Sanitizes several lines; keeps line ends and colors. */
export function sanitizeScreen(text: string): string {
  if (!/[^\x20-\x7e\t\n]/.test(text)) return text;
  const colors = text.match(color) ?? [];
  return text
    .split(color)
    .map((piece, index) => piece.split(/\r?\n/).map(sanitize).join('\n') + (colors[index] ?? ''))
    .join('');
}
