import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { freshFolder, runCli } from '../../run-cli.js';

/** The verdict of the fake is the local part, or valid. */
const list = ['a@b.co', 'invalid@b.co', 'a@B.co', '', 'risky@b.co', 'unknown@b.co', 'stop@b.co'];
const statusOf = (email: string): string => /^(?:invalid|risky|unknown)/.exec(email)?.[0] ?? 'valid';

const options: Record<string, string[]> = {
  limit: ['--limit', '4'],
  exclude: ['--exclude', 'stop.txt'],
  only: ['--only', 'valid,risky'],
  dedupe: ['--dedupe'],
  fields: ['--fields', 'email,status'],
  clean: ['--clean'],
  output: ['-o', 'out.csv'],
  summary: ['--summary', 'sum.json'],
  failOn: ['--fail-on', 'invalid'],
  maxUnknown: ['--max-unknown', '0%'],
  format: ['--format', 'csv'],
  json: ['--json'],
  maxAge: ['--max-age', '30d'],
  fresh: ['--fresh'],
  dryRun: ['--dry-run'],
  header: ['--header', '1'],
  column: ['--column', 'email'],
};
const names = Object.keys(options);

/** Pairs that say two things at once: status 2, and a sentence that names one of them. */
const refused = new Set(['only clean', 'clean json', 'format json', 'maxAge fresh']);

/** What the rows of the output must be, computed in another way. */
function wanted(given: ReadonlySet<string>) {
  const read = (given.has('limit') ? list.slice(0, 4) : list).map((email, row) => {
    const isSuppressed = given.has('exclude') && email === 'stop@b.co';
    const status = email === '' ? 'empty' : isSuppressed ? 'suppressed' : statusOf(email);
    return { id: String(row + 1), email, status, isDuplicate: email === 'a@B.co' };
  });
  const rows = read.filter(
    ({ status, isDuplicate }) =>
      !(given.has('dedupe') && isDuplicate) && (!given.has('only') || ['valid', 'risky'].includes(status)),
  );
  const isRejected =
    (given.has('failOn') && read.some(({ status }) => status === 'invalid')) ||
    (given.has('maxUnknown') && read.some(({ status }) => status === 'unknown'));
  return { read, rows, isRejected };
}

/** Email and status of each row that was written, from wherever it was written. */
function writtenRows(folder: string, out: string, given: ReadonlySet<string>, isRejected: boolean): string[][] {
  const csvRows = (text: string): string[][] =>
    Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data.map((row) => [
      row['email'] ?? '',
      row['mailvet_status'] ?? row['status'] ?? '',
    ]);
  const read = (name: string): string => readFileSync(join(folder, isRejected ? `${name}.rejected` : name), 'utf8');
  if (given.has('clean'))
    return ['clean', 'review', 'rejected'].flatMap((kind) =>
      csvRows(read(`${given.has('output') ? 'out' : 'list'}.${kind}.csv`)),
    );
  if (given.has('output') && !given.has('json')) return csvRows(read('out.csv'));
  if (given.has('json')) {
    // What is asked for beats the extension of the file, with a note.
    return JSON.parse(given.has('output') ? read('out.csv') : out).results.map(
      ({ email, status }: Record<string, string>) => [email, status],
    );
  }
  if (given.has('format')) return csvRows(out);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .map(({ email, status }) => [email, status]);
}

const pairs = names.flatMap((first, index) => names.slice(index).map((second) => ({ first, second })));

test.each(pairs)('bulk with $first and $second', async ({ first, second }) => {
  const folder = freshFolder();
  writeFileSync(join(folder, 'list.csv'), `id,email\n${list.map((email, row) => `${row + 1},${email}\n`).join('')}`);
  writeFileSync(join(folder, 'stop.txt'), 'stop@b.co\n');
  const given = new Set([first, second]);
  const flags = [...given].flatMap((name) => options[name] ?? []);
  const inFolder = flags.map((word) => (/^(?:stop|out|sum)\./.test(word) ? join(folder, word) : word));
  const { status, out, err } = await runCli(['bulk', join(folder, 'list.csv'), ...inFolder], { tty: false });
  if (refused.has(`${first} ${second}`)) {
    expect({ status, err }).toEqual({ status: 2, err: expect.stringMatching(/--|-o/) });
    return;
  }
  const { read, rows, isRejected } = wanted(given);
  const isAsked = !given.has('dryRun');
  expect(status, err).toBe(isAsked && isRejected ? 1 : 0);
  if (!isAsked) {
    if (given.has('format'))
      expect(Papa.parse(out, { header: true }).data[0]).toMatchObject({ rows: `${read.length}` });
    else expect(JSON.parse(out)).toMatchObject({ rows: read.length });
    expect(['out.csv', 'sum.json', 'list.clean.csv'].filter((name) => existsSync(join(folder, name)))).toEqual([]);
    return;
  }
  const isReplaced = given.has('output') || given.has('clean');
  const got = writtenRows(folder, out, given, isRejected && isReplaced);
  const want = rows.map(({ email, status }) => [email, status]);
  if (given.has('clean')) expect(got.toSorted()).toEqual(want.toSorted());
  else expect(got).toEqual(want);
  if (isRejected && given.has('output')) expect(existsSync(join(folder, 'out.csv'))).toBe(false);
  if (given.has('summary')) {
    const counted = read.filter(({ status }) => !['empty', 'suppressed'].includes(status)).length;
    expect(JSON.parse(readFileSync(join(folder, 'sum.json'), 'utf8'))).toMatchObject({ total: counted });
  }
});
