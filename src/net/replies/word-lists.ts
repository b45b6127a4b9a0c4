import { join } from 'node:path';
import { readDataLines } from '../../disk/bundled-file.js';

const wordTable = readTable('words.tsv');
const patternTable = readTable('patterns.tsv');
const lists = new Map<string, ReadonlySet<string>>();
const compiled = new Map<string, RegExp>();

/** A list of `data/words.tsv`. */
export function wordList(name: string): ReadonlySet<string> {
  let list = lists.get(name);
  if (list === undefined) {
    const words = rowsOf(wordTable, name).flatMap((row) => row.split(' '));
    list = new Set(words.flatMap((word) => (word.startsWith('{') ? [...wordList(word.slice(1, -1))] : word)));
    lists.set(name, list);
  }
  return list;
}

/** Whether a list has the word. */
export function isIn(list: string, word: string): boolean {
  return wordList(list).has(word);
}

/** A regular expression of `data/patterns.tsv`. */
export function pattern(name: string): RegExp {
  const expression = compiled.get(name) ?? new RegExp(sourceOf(name), 'i');
  compiled.set(name, expression);
  return expression;
}

/** Whether a text matches the pattern. */
export function says(name: string, text: string): boolean {
  return pattern(name).test(text);
}

/** The text with a blank for each match of the patterns. */
export function without(text: string, ...names: string[]): string {
  return names.reduce((left, name) => left.split(pattern(name)).join(' '), text);
}

function sourceOf(name: string): string {
  return rowsOf(patternTable, name)
    .join('|')
    .replace(/\{([a-z_]+)\}/g, (_, other: string) => `(?:${sourceOf(other)})`);
}

/** The rows of a data file by name, without its comments. */
function readTable(file: string): Map<string, string[]> {
  const table = new Map<string, string[]>();
  for (const line of readDataLines(join(import.meta.dirname, 'data', file), 'utf8')) {
    const [name = '', row = ''] = line.split('\t');
    if (!line.startsWith('#')) table.set(name, [...(table.get(name) ?? []), row]);
  }
  return table;
}

function rowsOf(table: ReadonlyMap<string, string[]>, name: string): readonly string[] {
  const rows = table.get(name);
  if (rows === undefined) throw new Error(`There is no ${name} among the words and patterns of replies.`);
  return rows;
}
