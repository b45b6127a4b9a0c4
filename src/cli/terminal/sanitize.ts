import { safeText } from '../../model/text/safe-text.js';

const mayBeUnsafe = /[^\x20-\x7e\t]/;

/** Text from the network or the input, made safe for a terminal line: nothing in it moves the cursor, recolors or reorders. */
export function sanitize(text: string): string {
  return mayBeUnsafe.test(text) ? safeText(text) : text;
}

const color = /\x1b\[[\d;]*m/g;

/** Lines for a screen, made safe in the same way but for line ends and colors. */
export function sanitizeScreen(text: string): string {
  if (!/[^\x20-\x7e\t\n]/.test(text)) return text;
  const colors = text.match(color) ?? [];
  return text
    .split(color)
    .map((piece, index) => piece.split(/\r?\n/).map(sanitize).join('\n') + (colors[index] ?? ''))
    .join('');
}
