import { splitAt, textWidth } from './text-width.js';

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
