import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asFailure } from '../../../src/model/failure.js';
import { freshFolder } from '../../cli/run-cli.js';
import { all } from '../../contract/validation-service.js';
import { jumpingClock } from '../../fakes/clock.js';
import type { Reaction, SeenRequest } from '../../fakes/fake-service.js';
import { remoteLab } from './remote-lab.js';

const lab = remoteLab({ hasResults: true }, () => ({ retries: 1, clock: jumpingClock(), timeoutMs: 500 }));
const { open } = lab;

type Items = Record<string, unknown>[];

function changeResults(change: (items: Items) => unknown): () => Reaction {
  return () => ({ change: (answer) => ({ ...answer, results: change(answer['results'] as Items) }) });
}

const list = ['a@x.example', 'bad@x.example', 'c@x.example'];
const asAsked = ['valid', 'invalid', 'valid'];

function emailsOf({ json }: SeenRequest): string[] {
  return (json?.['emails'] ?? []) as string[];
}

interface Behavior {
  name: string;
  react: (request: SeenRequest, count: number) => Reaction | undefined;
  /** The statuses of the list, or the failure of the run. */
  want: string[] | { code: string; message: RegExp };
}

const error = (body: unknown): Reaction => ({ status: 200, body: JSON.stringify(body) });
const html = { status: 200, body: '<html><title>Sign in</title></html>', headers: { 'content-type': 'text/html' } };

const behaviors: Behavior[] = [
  {
    name: 'leaves out the first address',
    react: changeResults((items) => items.slice(1)),
    want: ['unknown', 'invalid', 'valid'],
  },
  {
    name: 'leaves out the last address',
    react: changeResults((items) => items.slice(0, -1)),
    want: ['valid', 'invalid', 'unknown'],
  },
  {
    name: 'adds other addresses',
    react: changeResults((items) => [{ email: 'z@z.example', status: 'risky' }, ...items]),
    want: asAsked,
  },
  { name: 'repeats an address', react: changeResults((items) => items.flatMap((item) => [item, item])), want: asAsked },
  { name: 'answers in another order', react: changeResults((items) => items.toReversed()), want: asAsked },
  {
    name: 'answers in capitals',
    react: changeResults((items) => items.map((item) => ({ ...item, email: String(item['email']).toUpperCase() }))),
    want: asAsked,
  },
  {
    name: 'answers with blanks around the address',
    react: changeResults((items) => items.map((item) => ({ ...item, email: ` ${item['email']}\n` }))),
    want: asAsked,
  },
  {
    name: 'answers for another address',
    react: changeResults((items) => items.map((item, at) => (at === 0 ? { ...item, email: 'z@z.example' } : item))),
    want: ['unknown', 'invalid', 'valid'],
  },
  {
    name: 'leaves out all addresses of its items',
    react: changeResults((items) => items.map(({ email: _, ...item }) => item)),
    want: asAsked,
  },
  {
    name: 'writes statuses in capitals',
    react: changeResults((items) => items.map((item) => ({ ...item, status: String(item['status']).toUpperCase() }))),
    want: asAsked,
  },
  {
    name: 'sends no status but is_valid',
    react: changeResults((items) => items.map(({ status: _, ...item }) => item)),
    want: ['unknown', 'unknown', 'unknown'],
  },
  {
    name: 'sends numbers as text',
    react: changeResults((items) => items.map((item) => ({ ...item, confidence: '0.9' }))),
    want: asAsked,
  },
  {
    name: 'names the list items',
    react: () => ({ change: ({ results, ...answer }) => ({ ...answer, items: results }) }),
    want: asAsked,
  },
  { name: 'puts the list into an envelope', react: () => ({ change: (answer) => ({ data: answer }) }), want: asAsked },
  { name: 'sends a bare array', react: () => ({ change: ({ results }) => results }), want: asAsked },
  { name: 'compresses its answer', react: () => ({ gzip: true }), want: asAsked },
  {
    name: 'sends a byte order mark',
    react: () => ({ change: (answer) => `\ufeff${JSON.stringify(answer)}` }),
    want: asAsked,
  },
  {
    name: 'sends null for an item',
    react: changeResults((items) => [null, ...items.slice(1)]),
    want: ['unknown', 'invalid', 'valid'],
  },
  {
    name: 'refuses a batch for one address',
    react: (request) =>
      emailsOf(request).includes('bad@x.example') ? { status: 422, body: '{"detail":"bad address"}' } : undefined,
    want: ['valid', 'unknown', 'valid'],
  },
  {
    name: 'refuses every batch',
    react: () => ({ status: 422, body: '{"detail":"emails: field required"}' }),
    want: { code: 'bad_input', message: /field required/ },
  },
  {
    name: 'answers 200 with an error',
    react: () => error({ error: 'quota exceeded' }),
    want: { code: 'bad_answer', message: /quota exceeded.*may have been charged \(3 credits\)/ },
  },
  {
    name: 'answers 200 with success: false',
    react: () => error({ success: false, message: 'try later' }),
    want: { code: 'bad_answer', message: /try later.*may have been charged/ },
  },
  {
    name: 'answers 200 with an empty list',
    react: changeResults(() => []),
    want: { code: 'bad_answer', message: /may have been charged/ },
  },
  {
    name: 'answers 200 with a sign-in page',
    react: () => html,
    want: { code: 'bad_answer', message: /not JSON.*may have been charged/ },
  },
  {
    name: 'breaks the connection',
    react: () => ({ drop: true }),
    want: { code: 'billed_perhaps', message: /may have been charged \(3 credits\)/ },
  },
  {
    name: 'truncates its answer',
    react: () => ({ cutOff: '{"results":[' }),
    want: { code: 'billed_perhaps', message: /may have been charged/ },
  },
  {
    name: 'never answers',
    react: () => ({ hang: true }),
    want: { code: 'billed_perhaps', message: /may have been charged/ },
  },
  {
    name: 'is behind a gateway that fails',
    react: () => ({ status: 504 }),
    want: { code: 'billed_perhaps', message: /HTTP 504/ },
  },
  {
    name: 'asks to slow down once',
    react: (_, count) => (count === 1 ? { status: 429, headers: { 'retry-after': '1' } } : undefined),
    want: asAsked,
  },
  {
    name: 'has no credits left',
    react: () => ({ status: 402, body: '{"detail":"no credits"}' }),
    want: { code: 'no_credits', message: /no credits/ },
  },
];

test.each(behaviors)('a list at a service that: $name', async ({ react, want }) => {
  lab.fake.misbehave(react);
  const run = (await open()).validateMany([list]);
  if (Array.isArray(want)) {
    const answers = await all(run);
    expect(answers.map(({ result }) => result.email)).toEqual(list);
    expect(answers.map(({ result }) => result.status)).toEqual(want);
    return;
  }
  const failure = await all(run).then(() => null, asFailure);
  expect(failure).toMatchObject({ code: want.code, message: expect.stringMatching(want.message) });
});

test('one refused address of 1,000 is found by bisection, and the others are answered', async () => {
  const emails = Array.from({ length: 1_000 }, (_, at) => `a${at}@x.example`);
  lab.fake.misbehave((request) => (emailsOf(request).includes('a777@x.example') ? { status: 422 } : undefined));
  const answers = await all((await open()).validateMany([emails]));
  const unanswered = answers.filter(({ result }) => result.status !== 'valid').map(({ result }) => result);
  expect(unanswered).toMatchObject([{ email: 'a777@x.example', status: 'unknown', sub_status: 'refused_by_service' }]);
  expect(lab.fake.seen.length).toBeLessThan(25);
});

test('a service that accepts nothing does not get a thousand requests', async () => {
  const emails = Array.from({ length: 1_000 }, (_, at) => `a${at}@x.example`);
  lab.fake.misbehave(() => ({ status: 422 }));
  await expect(all((await open()).validateMany([emails]))).rejects.toMatchObject({ code: 'bad_input' });
  expect(lab.fake.seen.length).toBeLessThan(20);
});

test('answers before a failure are kept while a refused batch is bisected', async () => {
  lab.fake.misbehave((_, count) => (count === 1 ? { status: 422 } : count === 3 ? { status: 500 } : undefined));
  const answers: string[] = [];
  const run = async () => {
    for await (const chunk of (await open()).validateMany([list]))
      answers.push(...chunk.map(({ result }) => result.status));
  };
  await expect(run()).rejects.toMatchObject({ code: 'remote_error' });
  expect(answers).toEqual(['valid', 'invalid']);
});

describe('a confirmation whose answer is lost', () => {
  const isConfirm = ({ path }: SeenRequest): boolean => path.endsWith('/confirm');
  const confirms = (): number => lab.fake.seen.filter(isConfirm).length;

  test.each([
    ['by its upload', { upload_id: 'u1', filename: 'other.csv' }, true],
    ['by its file and time', { filename: 'list.csv', created_at: new Date(1e12).toISOString() }, true],
    ['not by an older file', { filename: 'list.csv', created_at: new Date(9e11).toISOString() }, false],
    ['not by a file without a time', { filename: 'list.csv' }, false],
    ['not for another upload', { upload_id: 'u2', filename: 'list.csv' }, false],
  ])('is looked up among the jobs: %s', async (_name, job, isFound) => {
    const path = join(freshFolder(), 'list.csv');
    writeFileSync(path, 'email\na@x.example\n');
    lab.fake.misbehave((request) => {
      if (request.path.endsWith('/preview'))
        return error({ upload_id: 'u1', filename: 'list.csv', columns: ['email'] });
      if (isConfirm(request)) return { drop: true };
      return undefined;
    });
    lab.fake.jobs.push({ id: 'job-1', status: 'queued', ...job });
    const clock = { ...jumpingClock(), now: () => 1e12 };
    const service = await open({ clock });
    await service.previewUpload({ path, filename: 'list.csv' });
    const confirmed = await service.confirmUpload('u1', 'email').then(({ id }) => id, asFailure);
    if (isFound) expect([confirmed, confirms()]).toEqual(['job-1', 1]);
    else expect([confirmed, confirms()]).toMatchObject([{ code: 'billed_perhaps' }, 1]);
  });
});
