// C0 but tab, DEL, C1, line and paragraph separators, bidirectional controls, zero-width and tag characters, BOM.
const unsafe =
  /[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;
const mayBeUnsafe = /[^\x20-\x7e\t]/;

/** Text from the network or the input, made safe for a terminal line: nothing in it moves the cursor, recolours or reorders. */
export function sanitise(text: string): string {
  return mayBeUnsafe.test(text) ? text.replace(unsafe, '\ufffd') : text;
}

const colour = /\x1b\[[\d;]*m/g;

/** Lines for a screen, made safe in the same way but for line ends and colours. */
export function sanitiseScreen(text: string): string {
  if (!/[^\x20-\x7e\t\n]/.test(text)) return text;
  const colours = text.match(colour) ?? [];
  return text
    .split(colour)
    .map((piece, index) => piece.split(/\r?\n/).map(sanitise).join('\n') + (colours[index] ?? ''))
    .join('');
}
