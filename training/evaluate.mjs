// Scores a test set with the built program: npm run build && [ACCOUNTS=FOLDER] node training/evaluate.mjs FILE.tsv
// A line is a local part, a tab, 1 (person) or 0 (machine), and after more tabs its groups. ACCOUNTS adds the test accounts.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readAccounts } from './accounts.mjs';

const threshold = 0.3;
const minGroupSize = 50;

/** AUC: the probability that a person's name scores higher than a machine-made one. */
export function areaUnderCurve(samples) {
  const sorted = [...samples].sort((one, other) => one.probability - other.probability);
  let [rankSum, people] = [0, 0];
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    while (end < sorted.length && sorted[end].probability === sorted[start].probability) end++;
    const tied = sorted.slice(start, end).filter(({ label }) => label === 1).length;
    rankSum += (tied * (start + 1 + end)) / 2;
    people += tied;
  }
  return (rankSum - (people * (people + 1)) / 2) / (people * (sorted.length - people));
}

/** Expected calibration error over 15 equal bins, weighted so that `machineShare` of the names are machine-made. */
export function calibrationError(samples, machineShare) {
  const people = samples.filter(({ label }) => label === 1).length;
  const weights = [machineShare / (samples.length - people), (1 - machineShare) / people];
  const gaps = new Float64Array(15);
  for (const { probability, label } of samples)
    gaps[Math.min(14, Math.floor(probability * 15))] += weights[label] * (probability - label);
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0);
}

const percent = (share) => `${(100 * share).toFixed(1)}%`;
const shareBelow = (samples) =>
  percent(samples.filter(({ probability }) => probability < threshold).length / samples.length);

/** The report on samples { text, label, groups, probability }, by group of 50 or more. */
function report(samples) {
  const [machines, people] = [0, 1].map((wanted) => samples.filter(({ label }) => label === wanted));
  const lines = [
    `${people.length} people, ${machines.length} machine-made; AUC ${areaUnderCurve(samples).toFixed(4)}`,
    ...[0.5, 0.25, 0.1].map(
      (share) => `calibration error at ${percent(share)} machine-made: ${calibrationError(samples, share).toFixed(3)}`,
    ),
    `below ${threshold}: people ${shareBelow(people)}, machine-made ${shareBelow(machines)}`,
  ];
  for (const name of [...new Set(samples.map(({ groups }) => groups.join(' ')))].sort()) {
    const members = samples.filter(({ groups }) => groups.join(' ') === name);
    const area = members[0].label === 0 ? `, AUC ${areaUnderCurve([...people, ...members]).toFixed(3)}` : '';
    if (members.length >= minGroupSize) lines.push(`  ${name}: ${members.length}, ${shareBelow(members)} below${area}`);
  }
  return lines.join('\n');
}

if (import.meta.filename === resolve(process.argv[1] ?? '')) {
  const lines = readFileSync(process.argv[2], 'utf8').split(/\r?\n/);
  const rows = lines.map((line) => line.split('\t')).filter(([text, label]) => text !== '' && /^[01]$/.test(label));
  const accounts = process.env.ACCOUNTS === undefined ? [] : readAccounts(process.env.ACCOUNTS).test;
  const { plausibility } = await import(join(import.meta.dirname, '../dist/index.js'));
  const samples = [
    ...rows.map(([text, label, ...groups]) => ({ text, label: Number(label), groups })),
    ...accounts.map(({ account, source }) => ({ text: account, label: 1, groups: [source] })),
  ];
  console.log(report(samples.map((sample) => ({ ...sample, probability: plausibility(sample.text) }))));
}
