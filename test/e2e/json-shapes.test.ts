import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { bareEnvironment, runBinary } from './run-binary.js';

const folder = resolve(import.meta.dirname, '../../docs/schemas');

type Schema = { [name: string]: unknown };

/** The same schema, but refusing fields that it does not name. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]));
  const isObject = schema['properties'] !== undefined && !('additionalProperties' in schema);
  return isObject ? { ...schema, additionalProperties: false } : schema;
}

const ajv = new Ajv2020({
  allErrors: true,
  allowUnionTypes: true,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ },
});
const names = readdirSync(folder).map((file) => file.replace('.schema.json', ''));
for (const name of names) {
  ajv.addSchema(closed(JSON.parse(readFileSync(join(folder, `${name}.schema.json`), 'utf8'))) as Schema);
}

function faultsOf(name: string, text: string): string[] {
  const validate = ajv.getSchema(`${name}.schema.json`);
  if (validate === undefined) return [`There is no schema ${name}.`];
  validate(JSON.parse(text));
  const extra = ({ additionalProperty }: { additionalProperty?: string }): string => additionalProperty ?? '';
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message} ${extra(error.params)}`);
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

describe('every document matches its schema in docs/schemas', () => {
  const env = bareEnvironment({ MAILVET_LEVEL: 'syntax', TZ: 'UTC' });
  const home = String(env['HOME']);
  const file = (name: string): string => join(home, name);
  const run = (...args: string[]) => runBinary(args, { env });
  const read = (name: string): string => readFileSync(file(name), 'utf8');

  beforeAll(async () => {
    writeFileSync(
      file('list.csv'),
      'email,name\nada@python.org,Ada\ninfo@python.org,\na..b@c.co,\n,\nada@python.org,\nbob@y.org,\n',
    );
    writeFileSync(file('bounce.csv'), 'email,event,reason\nbob@y.org,bounce,550 5.1.1 No such user\n');
    await run('bulk', file('list.csv'), '-o', file('earlier.csv'), '--limit', '2');
    writeFileSync(file('gone.csv'), 'email,mailvet_status\nzoe@python.org,valid\n');
    await run('upload', file('list.csv'), '--yes', '--wait', '--quiet');
  });

  test.each([
    { schema: 'result', args: ['validate', 'ada@python.org'] },
    { schema: 'result', args: ['validate', 'li.wei@gmial.com', '--explain', '--json'] },
    { schema: 'result', args: ['validate', 'greylisted@sandbox.mailvet.test', '--explain', '--json'] },
    { schema: 'bulk-summary', args: ['bulk', 'list.csv', '--json'] },
    { schema: 'job', args: ['upload', 'list.csv', '--yes', '--wait'] },
    { schema: 'job', args: ['upload', 'list.csv', '--yes', '--wait', '--json'] },
    { schema: 'job', args: ['jobs', 'get', 'latest'] },
    { schema: 'job', args: ['jobs', 'cancel', 'latest', '--json'] },
    { schema: 'job', args: ['jobs', 'list', '--limit', '1'] },
    { schema: 'job-list', args: ['jobs', 'list', '--status', 'failed', '--json'] },
    { schema: 'job-results', args: ['jobs', 'results', 'latest', '--format', 'json'] },
    { schema: 'job', args: ['jobs', 'delete', 'latest', '--yes', '--json'] },
    { schema: 'config', args: ['config', 'list', '--json'] },
    { schema: 'code', args: ['explain', 'catch_all', '--json'] },
    { schema: 'codes', args: ['explain', 'risky', '--json'] },
    { schema: 'key', args: ['keys', 'create', '--name', 'a', '--json'] },
    { schema: 'keys', args: ['keys', 'list', '--json'] },
    { schema: 'lists', args: ['lists', 'show', '--json'] },
    { schema: 'forget', args: ['forget', 'zoe@python.org', '--yes', '--json'] },
    { schema: 'plan', args: ['bulk', 'list.csv', '--dry-run', '--json'] },
    { schema: 'bounces', args: ['bounces', 'bounce.csv', '--json'] },
    { schema: 'bounce', args: ['bounces', 'bounce.csv'] },
    { schema: 'reply', args: ['explain', '--reply', '550 5.1.1 No such user', '--json'] },
    { schema: 'reply', args: ['explain', '--reply', '250 2.1.5 Ok', '--json'] },
    { schema: 'doctor', args: ['doctor', '--json', '--set', 'resolvers=127.0.0.1:1'] },
  ])('$schema: mailvet $args', async ({ schema, args }) => {
    const { out } = await run(...args.map((word) => (word.endsWith('.csv') ? file(word) : word)));
    expect(faultsOf(schema, out)).toEqual([]);
  });

  test.each([
    { name: 'several addresses', args: ['validate', 'ada@python.org', 'x@@', '--json'] },
    { name: 'a list', args: ['bulk', 'list.csv', '--format', 'ndjson'] },
    { name: 'suppressed rows', args: ['bulk', 'list.csv', '--format', 'ndjson', '--exclude', 'bounce.csv'] },
  ])('result: one per line for $name', async ({ args }) => {
    const { out } = await run(...args.map((word) => (word.endsWith('.csv') ? file(word) : word)));
    expect(lines(out).length).toBeGreaterThan(1);
    expect(lines(out).flatMap((line) => faultsOf('result', line))).toEqual([]);
  });

  test('all rows have the same keys: empty and suppressed ones', async () => {
    const shortened = [file('list.csv'), '--exclude', file('bounce.csv')];
    const { out } = await run('bulk', ...shortened, '--format', 'ndjson');
    const rows = lines(out).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map(({ status }) => status)).toEqual(expect.arrayContaining(['valid', 'suppressed']));
    const empty = lines((await run('bulk', file('list.csv'), '--format', 'ndjson')).out)[3] ?? '';
    const own = (row: object): string[] =>
      Object.keys(row)
        .filter((key) => !/^(mailvet_|duplicate)/.test(key))
        .sort();
    for (const row of [...rows, JSON.parse(empty) as object]) expect(own(row)).toEqual(own(rows[0] ?? {}));
    const summary = JSON.parse((await run('bulk', ...shortened, '--json')).out) as { results: object[] };
    for (const row of summary.results) expect(own(row)).toEqual(own(summary.results[0] ?? {}));
  });

  test('a row of a job has all fields of a row of bulk --json', async () => {
    const { results } = JSON.parse((await run('bulk', file('list.csv'), '--json')).out) as { results: object[] };
    const rows = JSON.parse((await run('jobs', 'results', 'latest', '--json')).out) as Record<string, unknown>[];
    expect(rows).toEqual(results);
    expect(rows.map(({ status }) => status)).toContain('empty');
    const fields = ['--fields', 'email,is_valid,duplicate', '--format', 'csv'];
    expect((await run('jobs', 'results', 'latest', '--format', 'csv', ...fields)).out).toContain(
      '\nada@python.org,true,true\n',
    );
  });

  test('key: a key that is revoked', async () => {
    const { id } = JSON.parse((await run('keys', 'create', '--name', 'b', '--json')).out) as { id: string };
    expect(faultsOf('key', (await run('keys', 'revoke', id, '--json')).out)).toEqual([]);
  });

  test('run-summary: the statistics of a run', async () => {
    await run('bulk', file('list.csv'), '-o', file('out.csv'), '--summary', file('run.json'));
    expect(faultsOf('run-summary', read('run.json'))).toEqual([]);
  });

  test('error and note: stderr has JSON lines only', async () => {
    const failed = await run('jobs', 'get', 'nosuch', '--json');
    expect(failed.status).toBe(5);
    expect(lines(failed.err).flatMap((line) => faultsOf('error', line))).toEqual([]);
    const noted = await run('bulk', file('list.csv'), '--json', '--limit', '2');
    expect(lines(noted.err)).toHaveLength(2);
    expect(lines(noted.err).flatMap((line) => faultsOf('note', line))).toEqual([]);
  });
});
