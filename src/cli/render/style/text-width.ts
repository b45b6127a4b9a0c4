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
