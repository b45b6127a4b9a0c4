/** Words in lines of at most `width` columns; a word that is longer is cut, unless it is to be copied. The text is made safe beforehand. */
export function wrap(text: string, width: number, { cut = true } = {}): string[] {
  const room = Math.max(8, width);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) <= room) {
      line += ` ${word}`;
      continue;
    }
    if (line !== '') lines.push(line);
    let rest = word;
    while (cut && textWidth(rest) > room) {
      const [start, end] = splitAt(rest, room);
      lines.push(start);
      rest = end;
    }
    line = rest;
  }
  if (line !== '') lines.push(line);
  return lines.length === 0 ? [''] : lines;
}

/** The same after a label, with further lines set in beneath the text. `first` may be painted: its width is `indent`. */
export function hang(first: string, indent: number, text: string, columns: number, { cut = true } = {}): string {
  return wrap(text, columns - indent, { cut })
    .map((line, index) => `${index === 0 ? first : ' '.repeat(indent)}${line}\n`)
    .join('');
}

/** A piece of a line that must not be broken, and how it is painted. */
export interface Piece {
  text: string;
  tone?(text: string): string;
}

/** Pieces after a label, in lines that none of them is broken by. `first` may be painted: its width is `indent`. */
export function flow(
  first: string,
  indent: number,
  pieces: readonly Piece[],
  { between, columns }: { between: string; columns: number },
): string {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const { text, tone = String } of pieces.flatMap((piece) => inPieces(piece, columns - indent))) {
    const own = textWidth(text);
    const fits = width > 0 && width + between.length + own <= columns - indent;
    if (width > 0 && !fits) lines.push(line);
    line = fits ? `${line}${between}${tone(text)}` : tone(text);
    width = (fits ? width + between.length : 0) + own;
  }
  if (width > 0) lines.push(line);
  return lines.map((each, index) => `${index === 0 ? first : ' '.repeat(indent)}${each}\n`).join('');
}

/** Only what is wider than the screen is broken. */
function inPieces(piece: Piece, room: number): Piece[] {
  return textWidth(piece.text) <= Math.max(8, room)
    ? [piece]
    : wrap(piece.text, room).map((text) => ({ ...piece, text }));
}

/** A command that can be pasted as it is: longer than the screen, it goes on behind a backslash. */
export function wrapCommand(command: string, width: number): string[] {
  // A flag stays with its value.
  const lines = wrap(command.replace(/ (--?[a-z-]+) (?=[^- ])/g, ' $1\0'), width - 2).map((line) =>
    line.replaceAll('\0', ' '),
  );
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line} \\`));
}

const narrowOnly = /^[\x20-\u02ff\u2010-\u22ff\u2500-\u25ff]*$/;

/** Made for the first text that needs them: each costs the start of the program a millisecond. */
let segmenter: Intl.Segmenter | null = null;
let wide: RegExp | null = null;

/** Full width by UAX 11, or an emoji. */
const wideRanges = [
  ...['\\u1100-\\u115f', '\\u2e80-\\u303e', '\\u3041-\\ua4cf', '\\ua960-\\ua97c', '\\uac00-\\ud7a3', '\\uf900-\\ufaff'],
  ...['\\ufe30-\\ufe6f', '\\uff01-\\uff60', '\\uffe0-\\uffe6', '\\u{1b000}-\\u{1b2ff}', '\\u{1f200}-\\u{1f2ff}'],
  ...['\\u{20000}-\\u{3fffd}', '\\p{Emoji_Presentation}', '\\ufe0f'],
];

function charactersIn(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Marks and joiners take no room of their own. */
function widthOf(character: string): number {
  wide ??= new RegExp(`[${wideRanges.join('')}]`, 'u');
  if (wide.test(character)) return 2;
  return /^[\p{M}\p{Cf}]+$/u.test(character) ? 0 : 1;
}

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (narrowOnly.test(text)) return text.length;
  return charactersIn(text).reduce((sum, character) => sum + widthOf(character), 0);
}

/** The text with blanks behind it, so that it takes so many columns. */
export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** As much of the text as fits; `more` stands for what is left out. */
export function cutTo(text: string, width: number, more: string): string {
  if (textWidth(text) <= width) return text;
  const [start] = splitAt(text, width - textWidth(more));
  return `${start}${more}`;
}

/** What fits into so many columns, but at least one character, and the rest. */
export function splitAt(text: string, width: number): [start: string, rest: string] {
  if (narrowOnly.test(text)) return [text.slice(0, Math.max(1, width)), text.slice(Math.max(1, width))];
  let start = '';
  let used = 0;
  for (const character of charactersIn(text)) {
    used += widthOf(character);
    if (used > width && start !== '') break;
    start += character;
  }
  return [start, text.slice(start.length)];
}
