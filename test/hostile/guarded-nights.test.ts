import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder, runCli } from '../cli/run-cli.js';
import { seededRandom } from '../seeded-random.js';
import { amount } from '../size.js';

const nights = amount(25, 60);
const guards = ['--min-rows', '80%', '--max-gone', '10%', '--max-changed', '30%'];

/** Accidents of a nightly export, and the guard that rejects the output. */
const accidents: readonly { name: string; guard: RegExp; change: (people: string[]) => string[] }[] = [
  { name: 'cut off', guard: /--min-rows/, change: (people) => people.slice(0, people.length / 2) },
  { name: 'another list', guard: /--max-gone/, change: (people) => people.map((_, at) => `other${at}@site.example`) },
  {
    name: 'half replaced',
    guard: /--max-gone/,
    change: (people) => people.map((email, at) => (at % 2 ? email : `x${at}@site.example`)),
  },
  { name: 'no answers', guard: /--max-(?:unknown|gone)/, change: (people) => people.map(() => 'unknown@site.example') },
];

test(`${nights} nights with guards: every accident is rejected, and every ordinary night is accepted`, async () => {
  const random = seededRandom(34);
  const folder = freshFolder();
  const [list, output, latest] = ['list.csv', 'vetted.csv', 'new.csv'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  let people = Array.from({ length: 200 }, (_, at) => `p${at}@site.example`);
  let next = people.length;
  let lastGood = '';
  let acceptedNights = 0;
  for (let night = 0; night < nights; night++) {
    // Up to 5% leave, and as many arrive.
    const leaving = Math.floor(random() * 10);
    people = [...people.slice(leaving), ...Array.from({ length: leaving }, () => `p${next++}@site.example`)];
    const accident = night > 0 && random() < 0.3 ? accidents[Math.floor(random() * accidents.length)] : undefined;
    const exported = accident === undefined ? people : accident.change(people);
    writeFileSync(list, `id,email\n${exported.map((email, at) => `${at},${email}\n`).join('')}`);
    let { status, err } = await runCli(['bulk', list, '-o', latest, '-q', '--max-unknown', '20%'], { tty: false });
    if (status === 0) ({ status, err } = await runCli(['diff', output, latest, '-q', ...guards], { tty: false }));
    if (status === 0) renameSync(latest, output);
    if (accident === undefined) {
      expect([night, status, err]).toEqual([night, 0, '']);
      lastGood = readFileSync(output, 'utf8');
      expect(lastGood.trimEnd().split('\n')).toHaveLength(people.length + 1);
    } else {
      acceptedNights++;
      expect([night, accident.name, status]).toEqual([night, accident.name, 1]);
      expect(err).toMatch(accident.guard);
      expect(readFileSync(output, 'utf8')).toBe(lastGood);
    }
  }
  expect(acceptedNights).toBeGreaterThan(nights / 6);
});
