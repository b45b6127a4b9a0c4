import { nameRank } from '../email-column.js';

/** The delimiters that are detected. */
export const delimiters = [',', ';', '\t', '|'] as const;

/** The line `sep=;` that spreadsheets write above the header, perhaps in quotes: its delimiter, and how long it is. */
export function sepLine(sample: string): { delimiter: string; skip: number } | null {
  const match = /^"?sep=([^\r\n"\ufeff])"?(?:\r\n?|\n|$)/i.exec(sample);
  return match?.[1] === undefined ? null : { delimiter: match[1], skip: match[0].length };
}

/** True if a line is nothing but the name of a column of addresses. */
export function isEmailHeading(line: string): boolean {
  const heading = line.trim().replace(/^"(.*)"$/, '$1');
  return !heading.includes('@') && nameRank(heading) === 2;
}

/** The first line that is not empty. */
export function firstLine(sample: string): string {
  const text = sample.replace(/^[\r\n]+/, '');
  const end = text.search(/[\r\n]/);
  return end === -1 ? text : text.slice(0, end);
}
