/** A word; a quoted text, such as the name of a file or a command, or a command in parentheses counts as one. */
const words = /(?:(?<![^\s(])(?:"[^"]*"|'[^']*'|mailvet [^()]*(?=\)))|\S)+/g;

/** Groups texts into lines of `room` columns. One that is wider has its own line. */
function inLines<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
  { between, room }: { between: string; room: number },
): Item[][] {
  const lines: Item[][] = [];
  let width = 0;
  for (const item of items) {
    const own = textWidth(textOf(item));
    const joined = width + between.length + own;
    if (lines.length > 0 && joined <= room) lines.at(-1)?.push(item);
    else lines.push([item]);
    width = lines.at(-1)?.length === 1 ? own : joined;
  }
  return lines;
}

/** Wraps sanitized text to `width` columns, but not within quotes. Longer words are cut, unless `cut` is false. */
export function wrap(text: string, width: number, { cut = true } = {}): string[] {
  const room = Math.max(8, width);
  const unbroken = (text.match(words) ?? []).flatMap((word) => (textWidth(word) <= room ? word : word.split(/\s+/)));
  const pieces = cut ? unbroken.flatMap((word) => cutAll(word, room)) : unbroken;
  const lines = inLines(pieces, String, { between: ' ', room }).map((line) => line.join(' '));
  return lines.length === 0 ? [''] : lines;
}

/** Wraps text after a label, with a hanging indent. `first` may be colored; its width is `indent`. */
export function hang(first: string, indent: number, text: string, columns: number, { cut = true } = {}): string {
  return wrap(text, columns - indent, { cut })
    .map((line, index) => `${index === 0 ? first : ' '.repeat(indent)}${line}\n`)
    .join('');
}

/** A piece of a line that is not broken, and its color. */
export interface Piece {
  text: string;
  tone?(text: string): string;
}

/** Wraps pieces after a label, with a hanging indent. `first` may be colored; its width is `indent`. */
export function flow(
  first: string,
  indent: number,
  pieces: readonly Piece[],
  { between, columns }: { between: string; columns: number },
): string {
  const room = columns - indent;
  // A piece that is wider than the screen is broken.
  const fitting = pieces.flatMap((piece) =>
    textWidth(piece.text) <= Math.max(8, room) ? piece : wrap(piece.text, room).map((text) => ({ ...piece, text })),
  );
  return inLines(fitting, ({ text }) => text, { between, room })
    .map((line) => line.map(({ text, tone = String }) => tone(text)).join(between))
    .map((line, index) => `${index === 0 ? first : ' '.repeat(indent)}${line}\n`)
    .join('');
}

/** A word of a shell, with its quoted parts. */
const shellWords = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g;

/** Wraps a command with backslashes between its words, so that it can be pasted. Words are not cut. */
export function wrapCommand(command: string, width: number): string[] {
  const room = width - ' \\'.length;
  return inLines(joinValues(command.match(shellWords) ?? [], room), String, { between: ' ', room })
    .map((line) => line.join(' '))
    .map((line, index, { length }) => (index === length - 1 ? line : `${line} \\`));
}

/** Joins each flag with its value, and mailvet with the name of its command, if they fit. */
function joinValues(words: readonly string[], room: number): string[] {
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    const previous = words[index - 1] ?? '';
    const last = joined.at(-1) ?? '';
    const isValue = /^--?[a-z-]+$/.test(previous) && !word.startsWith('-') && last === previous;
    const isCommand = /^mailvet(?: [a-z]+)?$/.test(last) && /^[a-z]+$/.test(word);
    if ((isValue || isCommand) && textWidth(last) + 1 + textWidth(word) <= room)
      joined[joined.length - 1] = `${last} ${word}`;
    else joined.push(word);
  }
  return joined;
}

/** Wraps a sentence after a label. A command at its end that does not fit gets its own lines. */
export function hangSentence(first: string, indent: number, text: string, columns: number): string {
  const [, sentence, command] = /^(.*:) ((?:mailvet|chmod|mkdir) .*)$/.exec(text) ?? [];
  if (sentence === undefined || command === undefined || indent + textWidth(text) <= columns) {
    return hang(first, indent, text, columns, { cut: false });
  }
  const lines = wrapCommand(command, columns - indent).map((line) => `${' '.repeat(indent)}${line}\n`);
  return hang(first, indent, sentence, columns, { cut: false }) + lines.join('');
}

const narrowOnly = /^[\x20-\u02ff\u2010-\u22ff\u2500-\u25ff]*$/;

/** Created on first use, since creating them slows the start. */
let segmenter: Intl.Segmenter | null = null;
let wide: RegExp | null = null;

/** Wide characters by UAX 11, and emoji. */
const wideRanges = [
  ...['\\u1100-\\u115f', '\\u2e80-\\u303e', '\\u3041-\\ua4cf', '\\ua960-\\ua97c', '\\uac00-\\ud7a3', '\\uf900-\\ufaff'],
  ...['\\ufe30-\\ufe6f', '\\uff01-\\uff60', '\\uffe0-\\uffe6', '\\u{1b000}-\\u{1b2ff}', '\\u{1f200}-\\u{1f2ff}'],
  ...['\\u{20000}-\\u{3fffd}', '\\p{Emoji_Presentation}', '\\ufe0f'],
];

function charactersIn(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Combining marks and joiners have no width. */
function widthOf(character: string): number {
  wide ??= new RegExp(`[${wideRanges.join('')}]`, 'u');
  if (wide.test(character)) return 2;
  return /^[\p{M}\p{Cf}]+$/u.test(character) ? 0 : 1;
}

/** The width of a text in terminal columns. */
export function textWidth(text: string): number {
  if (narrowOnly.test(text)) return text.length;
  return charactersIn(text).reduce((sum, character) => sum + widthOf(character), 0);
}

/** Pads a text to a width. */
export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Cuts a text to a width; `more` replaces the rest. */
export function cutTo(text: string, width: number, more: string): string {
  if (textWidth(text) <= width) return text;
  const [start] = splitAt(text, width - textWidth(more));
  return `${start}${more}`;
}

/** Splits a text after `width` columns, but at least one character. */
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

/** Splits a text into pieces of at most `width` columns. */
export function cutAll(text: string, width: number): string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== '' || pieces.length === 0; ) {
    const [start, end] = splitAt(rest, width);
    pieces.push(start);
    rest = end;
  }
  return pieces;
}
