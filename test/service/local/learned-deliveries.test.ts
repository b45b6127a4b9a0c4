import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLearned } from '../../../src/service/local/learned-deliveries.js';

const day = 86_400_000;
let home: string;
let now: number;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mailvet-test-'));
  now = Date.UTC(2026, 10, 17);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const open = () => openLearned(home, () => now);
const domains = (entries: Record<string, [number, number]>) =>
  new Map(Object.entries(entries).map(([name, [delivered, mailed]]) => [name, { delivered, mailed }]));

test('mailings add up, and the same one replaces itself', async () => {
  await open().learn('first', domains({ 'all.example': [41, 52] }));
  await open().learn('first', domains({ 'all.example': [40, 52] }));
  await open().learn('second', domains({ 'all.example': [1, 2], 'other.example': [0, 3] }));
  expect(open().deliveriesOf('All.example')).toEqual({ delivered: 41, mailed: 54 });
  expect(open().deliveriesOf('other.example')).toEqual({ delivered: 0, mailed: 3 });
  expect(open().deliveriesOf('new.example')).toBeNull();
});

test('no domain can be read from the file, which is private', async () => {
  await open().learn('first', domains({ 'all.example': [41, 52] }));
  const path = join(home, 'learned-deliveries.json');
  expect(readFileSync(path, 'utf8')).not.toContain('example');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a process that runs notices a change within a minute', async () => {
  const running = open();
  expect(running.deliveriesOf('all.example')).toBeNull();
  await open().learn('first', domains({ 'all.example': [1, 2] }));
  expect(running.deliveriesOf('all.example')).toBeNull();
  now += 60_000;
  expect(running.deliveriesOf('all.example')).toEqual({ delivered: 1, mailed: 2 });
});

test('mailings expire after a year, and are bounded', async () => {
  await open().learn('old', domains({ 'all.example': [9, 9] }));
  now += 366 * day;
  expect(open().deliveriesOf('all.example')).toBeNull();
  for (let index = 0; index < 60; index++) await open().learn(`m${index}`, domains({ 'all.example': [1, 1] }));
  expect(open().deliveriesOf('all.example')).toEqual({ delivered: 50, mailed: 50 });
  const many = domains(Object.fromEntries(Array.from({ length: 25_000 }, (_, index) => [`d${index}.example`, [1, 1]])));
  await open().learn('large', many);
  const { mailings } = JSON.parse(readFileSync(join(home, 'learned-deliveries.json'), 'utf8'));
  expect(mailings.map((each: { domains: object }) => Object.keys(each.domains).length)).toEqual([20_000]);
});

test('forget removes everything; a damaged file holds nothing', async () => {
  await open().learn('first', domains({ 'all.example': [1, 2] }));
  writeFileSync(join(home, 'learned-deliveries.json'), '{"mailings":[{"at":');
  expect(open().deliveriesOf('all.example')).toBeNull();
  expect(open().forget()).toBe(true);
  expect(open().forget()).toBe(false);
  expect(readdirSync(home)).toEqual([]);
});

test('a running process uses the new secret after forget, and expires mailings without a change of the file', async () => {
  const running = open();
  await open().learn('first', domains({ 'all.example': [1, 2] }));
  expect(running.deliveriesOf('all.example')).toEqual({ delivered: 1, mailed: 2 });
  open().forget();
  await open().learn('second', domains({ 'all.example': [3, 4] }));
  now += 60_000;
  expect(running.deliveriesOf('all.example')).toEqual({ delivered: 3, mailed: 4 });
  now += 366 * day;
  expect(running.deliveriesOf('all.example')).toBeNull();
});
