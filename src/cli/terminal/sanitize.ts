import { safeText } from '../../model/text/safe-text.js';

const mayBeUnsafe = /[^\x20-\x7e\t]/;

/** Text from the network or the input, made safe for a terminal line: nothing in it moves the cursor, recolours or reorders. */
export function sanitize(text: string): string {
  return mayBeUnsafe.test(text) ? safeText(text) : text;
}

const colour = /\x1b\[[\d;]*m/g;

/** Lines for a screen, made safe in the same way but for line ends and colours. */
export function sanitizeScreen(text: string): string {
  if (!/[^\x20-\x7e\t\n]/.test(text)) return text;
  const colours = text.match(colour) ?? [];
  return text
    .split(colour)
    .map((piece, index) => piece.split(/\r?\n/).map(sanitize).join('\n') + (colours[index] ?? ''))
    .join('');
}
