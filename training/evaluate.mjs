// Scores a test set with the built program: npm run build && node training/evaluate.mjs FILE.tsv
// A line is a local part, a tab, 1 (person) or 0 (machine), and after more tabs the groups to report it in.
// MODEL=OTHER/dist/index.js scores another build.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { printReport } from './evaluation/report.mjs';

const file = process.argv[2];
if (file === undefined) {
  console.error('Name a file: node evaluate.mjs FILE.tsv');
  process.exit(2);
}
const { plausibility } = await import(resolve(process.env.MODEL ?? join(import.meta.dirname, '../dist/index.js')));
const samples = readFileSync(file, 'utf8')
  .split(/\r?\n/)
  .map((line) => line.split('\t'))
  .filter(([text, label]) => text !== '' && (label === '0' || label === '1'))
  .map(([text, label, ...groups]) => ({ text, label: Number(label), groups, probability: plausibility(text) }));
printReport(file, samples);
