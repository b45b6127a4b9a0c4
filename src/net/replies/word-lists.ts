import { join } from 'node:path';
import { readDataLines } from '../../disk/bundled-file.js';

const lines = readDataLines(join(import.meta.dirname, 'data/words.tsv'), 'utf8').map((line) => line.split('\t'));

/** A list of words that replies are read by, from `data/words.tsv`. */
export function wordList(name: string): readonly string[] {
  const words = lines.flatMap(([list, text = '']) => (list === name ? text.split(' ') : []));
  if (words.length === 0) throw new Error(`There is no list of words ${name}.`);
  return words;
}
