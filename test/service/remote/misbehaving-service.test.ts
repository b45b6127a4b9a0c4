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

type Behavior = [
  name: string,
  react: (request: SeenRequest, count: number) => Reaction | undefined,
  /** The statuses of the list, or the failure of the run. */
  want: string[] | { code: string; message: RegExp },
];

const error = (body: unknown): Reaction => ({ status: 200, body: JSON.stringify(body) });
const html = { status: 200, body: '<html><title>Sign in</title></html>', headers: { 'content-type': 'text/html' } };

const behaviors: Behavior[] = [
  ['leaves out the first address', changeResults((items) => items.slice(1)), ['unknown', 'invalid', 'valid']],
  ['leaves out the last address', changeResults((items) => items.slice(0, -1)), ['valid', 'invalid', 'unknown']],
  ['adds other addresses', changeResults((items) => [{ email: 'z@z.example', status: 'risky' }, ...items]), asAsked],
  ['repeats an address', changeResults((items) => items.flatMap((item) => [item, item])), asAsked],
  ['answers in another order', changeResults((items) => items.toReversed()), asAsked],
  [
    'answers in capitals',
    changeResults((items) => items.map((item) => ({ ...item, email: String(item['email']).toUpperCase() }))),
    asAsked,
  ],
  [
    'answers with blanks around the address',
    changeResults((items) => items.map((item) => ({ ...item, email: ` ${item['email']}\n` }))),
    asAsked,
  ],
  [
    'answers for another address',
    changeResults((items) => items.map((item, at) => (at === 0 ? { ...item, email: 'z@z.example' } : item))),
    ['unknown', 'invalid', 'valid'],
  ],
  [
    'leaves out all addresses of its items',
    changeResults((items) => items.map(({ email: _, ...item }) => item)),
    asAsked,
  ],
  [
    'writes statuses in capitals',
    changeResults((items) => items.map((item) => ({ ...item, status: String(item['status']).toUpperCase() }))),
    asAsked,
  ],
  [
    'sends no status but is_valid',
    changeResults((items) => items.map(({ status: _, ...item }) => item)),
    ['unknown', 'unknown', 'unknown'],
  ],
  ['sends numbers as text', changeResults((items) => items.map((item) => ({ ...item, confidence: '0.9' }))), asAsked],
  ['names the list items', () => ({ change: ({ results, ...answer }) => ({ ...answer, items: results }) }), asAsked],
  ['puts the list into an envelope', () => ({ change: (answer) => ({ data: answer }) }), asAsked],
  ['sends a bare array', () => ({ change: ({ results }) => results }), asAsked],
  ['compresses its answer', () => ({ gzip: true }), asAsked],
  ['sends a byte order mark', () => ({ change: (answer) => `\ufeff${JSON.stringify(answer)}` }), asAsked],
  ['sends null for an item', changeResults((items) => [null, ...items.slice(1)]), ['unknown', 'invalid', 'valid']],
  [
    'refuses a batch for one address',
    (request) =>
      emailsOf(request).includes('bad@x.example') ? { status: 422, body: '{"detail":"bad address"}' } : undefined,
    ['valid', 'unknown', 'valid'],
  ],
  [
    'refuses every batch',
    () => ({ status: 422, body: '{"detail":"emails: field required"}' }),
    { code: 'bad_input', message: /field required/ },
  ],
  [
    'answers 200 with an error',
    () => error({ error: 'quota exceeded' }),
    { code: 'bad_answer', message: /quota exceeded.*may have been charged \(3 credits\)/ },
  ],
  [
    'answers 200 with success: false',
    () => error({ success: false, message: 'try later' }),
    { code: 'bad_answer', message: /try later.*may have been charged/ },
  ],
  ['answers 200 with an empty list', changeResults(() => []), { code: 'bad_answer', message: /may have been charged/ }],
  ['answers 200 with a sign-in page', () => html, { code: 'bad_answer', message: /not JSON.*may have been charged/ }],
  [
    'breaks the connection',
    () => ({ drop: true }),
    { code: 'billed_perhaps', message: /may have been charged \(3 credits\)/ },
  ],
  [
    'truncates its answer',
    () => ({ cutOff: '{"results":[' }),
    { code: 'billed_perhaps', message: /may have been charged/ },
  ],
  ['never answers', () => ({ hang: true }), { code: 'billed_perhaps', message: /may have been charged/ }],
  ['is behind a gateway that fails', () => ({ status: 504 }), { code: 'billed_perhaps', message: /HTTP 504/ }],
  [
    'asks to slow down once',
    (_, count) => (count === 1 ? { status: 429, headers: { 'retry-after': '1' } } : undefined),
    asAsked,
  ],
  [
    'has no credits left',
    () => ({ status: 402, body: '{"detail":"no credits"}' }),
    { code: 'no_credits', message: /no credits/ },
  ],
];

test.each(behaviors)('a list at a service that: %s', async (_name, react, want) => {
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
