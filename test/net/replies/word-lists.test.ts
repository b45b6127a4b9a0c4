import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDataLines } from '../../../src/disk/bundled-file.js';
import { pattern, wordList } from '../../../src/net/replies/word-lists.js';

const folder = join(import.meta.dirname, '../../../src/net/replies');
const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
const code = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
const data = (file: string) =>
  readDataLines(join(folder, 'data', file), 'utf8').filter((line) => !line.startsWith('#'));
const everything = [code, ...data('rules.tsv'), ...data('words.tsv'), ...data('patterns.tsv')].join('\n');

const namesIn = (file: string) => [...new Set(data(file).map((line) => line.split('\t')[0] ?? ''))];

test.each(namesIn('words.tsv'))('the list %s has folded words, and is used', (name) => {
  const words = [...wordList(name)];
  expect(words.filter((word) => /[^\p{L}\p{N}]|\p{Lu}/u.test(word) && !name.startsWith('cjk'))).toEqual([]);
  // Those that are named like a detail are found by the enhanced code.
  expect(/^1\.\d$/.test(name) || new RegExp(`['{]${name}['}]`).test(everything)).toBe(true);
});

test.each(namesIn('patterns.tsv'))('the pattern %s is valid, and is used', (name) => {
  expect(pattern(name).flags).toBe('i');
  expect(new RegExp(`['{]${name}['}]|(?:text|bare)[~!]${name}\\b`).test(everything)).toBe(true);
});

test('an unknown name is an error', () => {
  expect(() => pattern('constructor')).toThrow('There is no constructor');
  expect(() => wordList('constructor')).toThrow('There is no constructor');
});
