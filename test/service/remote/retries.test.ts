import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { asFailure, type Failure } from '../../../src/model/failure.js';
import type { ValidationService } from '../../../src/model/service.js';
import { noResponse } from '../../../src/service/remote/exchange.js';
import { retryAfterMs } from '../../../src/service/remote/retries.js';
import { all, codeOf } from '../../contract/validation-service.js';
import { fakeClock, jumpingClock } from '../../fakes/clock.js';
import { type Reaction, startFakeService } from '../../fakes/fake-service.js';
import { remoteLab } from './remote-lab.js';

let clock: ReturnType<typeof jumpingClock>;
let notes: string[];
const lab = remoteLab({}, () => ({ clock, random: () => 1, retries: 2, onNote: (text) => notes.push(text) }));
const { open } = lab;
beforeEach(() => {
  // A partly filled request is sent after two seconds, which never pass here.
  clock = jumpingClock(Date.parse('2026-01-01T00:00:00Z'), 2_000_000);
  notes = [];
});

/** Misbehaves this many times, then never again. */
function first(times: number, reaction: Reaction) {
  lab.fake.misbehave((_, count) => (count <= times ? reaction : undefined));
}

const status = (code: number, headers: Record<string, string> = {}): Reaction => ({ status: code, headers });
const operations = {
  single: (remote: ValidationService) => remote.validate('ada@site.example'),
  bulk: (remote: ValidationService) => all(remote.validateMany([['ada@site.example', 'bob@site.example']])),
  confirm: (remote: ValidationService) => remote.confirmUpload('u', 'email'),
  jobs: (remote: ValidationService) => remote.listJobs({ skip: 0, limit: 10 }),
};

describe('a service that asks to wait', () => {
  test.each([
    ['429 in seconds', status(429, { 'retry-after': '7' }), [7_000]],
    ['503 in seconds', status(503, { 'retry-after': '0' }), [0]],
    ['429 until a date', status(429, { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }), [60_000]],
    ['429 until a date in the past', status(429, { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }), [0]],
    ['429 without a time', status(429), [500]],
    ['503 with nonsense', status(503, { 'retry-after': 'soon' }), [500]],
  ])('%s is obeyed, and the billable request sent again', async (_name, reaction, waits) => {
    first(1, reaction);
    await operations.single(await open());
    expect(clock.waits).toEqual(waits);
    expect(lab.fake.seen).toHaveLength(2);
    expect(notes).toHaveLength(1);
  });

  test('is not obeyed above a limit', async () => {
    first(9, status(429, { 'retry-after': '86400' }));
    const failure = await failureOf(operations.single(await open()));
    expect(failure).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 86_400 });
    expect(failure).toMatchObject({
      message: expect.stringContaining('1,440 minutes'),
      hint: expect.stringContaining('1,440 minutes'),
    });
    expect(lab.fake.seen).toHaveLength(1);
  });

  test('is not awaited longer if the clock is set back meanwhile', async () => {
    first(1, status(429, { 'retry-after': '7' }));
    const setBack = { ...clock, now: () => clock.now() - (clock.waits.length > 0 ? 86_400_000 : 0) };
    await operations.single(await open({ clock: setBack }));
    expect(clock.waits).toEqual([7_000]);
  });

  test('is asked a limited number of times, with growing pauses', async () => {
    first(9, status(429));
    expect(await codeOf(operations.single(await open({ retries: 4 })))).toBe('rate_limited');
    expect(lab.fake.seen).toHaveLength(5);
    expect(clock.waits).toEqual([500, 1_000, 2_000, 4_000]);
  });

  test.each([
    { name: 'a time', reaction: status(429, { 'retry-after': '7' }), waits: [7_000, 7_000] },
    { name: 'no time', reaction: status(503), waits: [500, 1_000] },
  ])('with $name is noted once for parallel requests, and again for the next wait', async ({ reaction, waits }) => {
    first(6, reaction);
    const slow = fakeClock();
    const remote = await open({ clock: slow, concurrency: 3 });
    const answers = Promise.all(['a', 'b', 'c'].map((name) => remote.validate(`${name}@site.example`)));
    for (const [index, ms] of waits.entries()) {
      await vi.waitFor(() => expect([lab.fake.seen.length, slow.pending]).toEqual([3 * (index + 1), 3]));
      await slow.advance(ms);
    }
    expect(await answers).toHaveLength(3);
    expect(notes).toEqual([expect.stringContaining('(1 of 2)'), expect.stringContaining('(2 of 2)')]);
  });

  test('delays every request of the run', async () => {
    first(1, status(429, { 'retry-after': '30' }));
    const emails = Array.from({ length: 3_000 }, (_, index) => `a${index}@site.example`);
    await all((await open({ concurrency: 1 })).validateMany([emails]));
    expect(clock.waits).toEqual([30_000]);
  });

  test.each([
    ['5', 5_000],
    ['1.5', 1_500],
    [' 3 ', 3_000],
    ['-1', null],
    ['', null],
    [null, null],
    ['99999999999999999999', 1e12],
  ])('Retry-After %s', (header, want) => expect(retryAfterMs(header, 0)).toBe(want));
});

describe('a request that may have been charged', () => {
  const troubles: { name: string; reaction: Reaction }[] = [
    { name: '502', reaction: status(502) },
    { name: '504', reaction: status(504) },
    { name: 'a dropped connection', reaction: { drop: true } },
    { name: 'a truncated answer', reaction: { cutOff: '{"email":' } },
    { name: 'no answer in time', reaction: { hang: true } },
    { name: 'an answer that never ends', reaction: { stall: '{"email":' } },
  ];

  const instant = troubles.filter(({ reaction }) => !('hang' in reaction || 'stall' in reaction));

  test.each(instant)('a list of jobs after $name costs nothing, and is requested again', async ({ reaction }) => {
    first(1, reaction);
    expect(await operations.jobs(await open())).toMatchObject({ jobs: [] });
    expect(lab.fake.seen).toHaveLength(2);
  });

  test('a list of jobs that times out is requested as often as allowed', async () => {
    lab.fake.misbehave(() => ({ hang: true }));
    expect(await codeOf(operations.jobs(await open({ timeoutMs: 150 })))).toBe('network');
    expect(lab.fake.seen).toHaveLength(3);
  });

  test('reports how many credits may have been charged', async () => {
    first(1, { drop: true });
    expect((await failureOf(operations.bulk(await open()))).message).toContain('(2 credits)');
  });
});

describe('a request that never left', () => {
  test('is safe to repeat, even if it is billable', async () => {
    await lab.fake.stop();
    const failure = await failureOf(operations.single(await open()));
    expect(failure).toMatchObject({ code: 'network', message: expect.stringContaining('refused') });
    expect(clock.waits).toEqual([500, 1_000]);
    lab.fake = await startFakeService();
  });

  test.each([
    ['connect', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), false],
    ['connect', new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]), false],
    ['connect', Object.assign(new Error('x'), { code: 'UND_ERR_CONNECT_TIMEOUT' }), false],
    ['untrusted', Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' }), false],
    ['dropped', Object.assign(new Error('x'), { code: 'ECONNRESET' }), true],
    ['garbled', Object.assign(new Error('x'), { code: 'UND_ERR_HEADERS_OVERFLOW' }), true],
    ['dropped', 'thrown text', true],
  ])('%s is recognized from an error of the system', (want, error, sent) => {
    expect(noResponse(error, sent)).toMatchObject({ kind: want, sent });
  });
});

describe('final answers', () => {
  test.each([
    [400, 'bad_input'],
    [401, 'key_refused'],
    [402, 'no_credits'],
    [403, 'key_refused'],
    [404, 'not_found'],
    [413, 'too_large'],
    [422, 'bad_input'],
    [500, 'remote_error'],
  ] as const)('%i is %s at once', async (code, want) => {
    first(9, { status: code, body: '{"detail":"so it is"}', headers: { 'content-type': 'application/json' } });
    const failure = await failureOf(operations.single(await open()));
    expect(failure).toMatchObject({ code: want, message: expect.stringContaining('so it is') });
    expect(lab.fake.seen).toHaveLength(1);
  });

  test.each([
    { name: 'a page', reaction: { status: 200, body: '<html>hi</html>', headers: { 'content-type': 'text/html' } } },
    { name: 'nothing', reaction: { status: 200, body: '' } },
    { name: 'deep JSON', reaction: { status: 200, body: `${'['.repeat(9_999)}${']'.repeat(9_999)}` } },
    { name: 'a huge answer', reaction: { status: 200, body: 'x'.repeat(200_000) } },
    {
      name: 'a bomb',
      reaction: { status: 200, body: gzipSync(Buffer.alloc(1_000_000)), headers: { 'content-encoding': 'gzip' } },
    },
    { name: 'damaged gzip', reaction: { status: 200, body: 'no gzip', headers: { 'content-encoding': 'gzip' } } },
    { name: 'an unknown encoding', reaction: { status: 200, body: 'x', headers: { 'content-encoding': 'rot13' } } },
    { name: 'wrong types', reaction: { change: (answer: object) => ({ ...answer, details: 7 }) } },
  ] as { name: string; reaction: Reaction }[])('$name is bad_answer, and not requested again', async ({ reaction }) => {
    first(9, reaction);
    expect(await codeOf(operations.single(await open({ maxResponseBytes: 100_000 })))).toBe('bad_answer');
    expect(lab.fake.seen).toHaveLength(1);
  });

  test('an interruption ends a request in flight', async () => {
    const stop = new AbortController();
    lab.fake.misbehave(() => {
      stop.abort();
      return { hang: true };
    });
    const remote = await open();
    expect(await codeOf(remote.validate('ada@site.example', { signal: stop.signal }))).toBe('interrupted');
  });
});

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => Promise.reject(new Error('no failure')),
    (error: unknown) => asFailure(error),
  );
}
