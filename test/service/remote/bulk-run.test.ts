import { describe, expect, test } from 'vitest';
import { asFailure } from '../../../src/model/failure.js';
import type { BulkAnswer } from '../../../src/model/result.js';
import { all, chunked } from '../../contract/validation-service.js';
import { jumpingClock } from '../../fakes/clock.js';
import type { Reaction } from '../../fakes/fake-service.js';
import { remoteLab } from './remote-lab.js';

const lab = remoteLab();
const { open } = lab;

/** Every fifth address repeats an earlier one in another spelling. */
function makeLongList(): string[] {
  const emails: string[] = [];
  for (let index = 0; emails.length < 25_000; index++) {
    emails.push(`user.${index}@site-${index % 7}.example`);
    if (index % 4 === 3) emails.push(`User.${index >> 1}@SITE-${(index >> 1) % 7}.example`);
  }
  return emails.slice(0, 25_000);
}

function firstOf(json: Record<string, unknown> | null): unknown {
  const emails = json?.['emails'];
  return Array.isArray(emails) ? emails[0] : null;
}

describe('a long list', () => {
  test('25,000 addresses with 5,000 duplicates: 20 requests, 20,000 addresses, input order', async () => {
    const emails = makeLongList();
    const service = await open({ concurrency: 4 });
    const answers = await all(service.validateMany(chunked(emails, 777)));
    expect(lab.fake.seen).toHaveLength(20);
    expect(lab.fake.bulkEmails()).toHaveLength(20_000);
    expect(answers.map(({ result }) => result.email)).toEqual(emails);
    expect(answers.filter(({ duplicate }) => duplicate)).toHaveLength(5_000);
    expect(answers.every(({ result }) => result.status === 'valid' && result.confidence === 0.95)).toBe(true);
    expect(lab.fake.violations).toEqual([]);
  });

  test.each([1, 3])('at most %i requests are in flight at a time', async (concurrency) => {
    const emails = Array.from({ length: 9_000 }, (_, index) => `a${index}@site.example`);
    await all((await open({ concurrency })).validateMany([emails]));
    expect(lab.fake.load.most).toBeLessThanOrEqual(concurrency);
    expect(lab.fake.seen).toHaveLength(9);
  });

  test('answers come in input order though later requests are answered first', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    lab.fake.misbehave(({ json }) => {
      if (firstOf(json) === 'a0@site.example') return { after: held };
      release();
      return undefined;
    });
    const emails = Array.from({ length: 4_000 }, (_, index) => `a${index}@site.example`);
    const answers = await all((await open({ concurrency: 2 })).validateMany([emails]));
    expect(answers.map(({ result }) => result.email)).toEqual(emails);
  });

  test('every status is passed on unchanged, and no other status becomes valid', async () => {
    const emails = ['ada@x.example', 'bad@x.example', 'risky@x.example', 'odd@x.example', 'ODD@x.example'];
    const answers = await all((await open()).validateMany([emails]));
    expect(answers.map(({ result }) => result.status)).toEqual([
      'valid',
      'invalid',
      'risky',
      'do_not_mail',
      'do_not_mail',
    ]);
    expect(answers.map(({ result }) => result.is_valid)).toEqual([true, false, false, false, false]);
  });

  test('blank cells and overlong texts are answered without a charge', async () => {
    const emails = ['', 'ada@x.example', '  ', 'x'.repeat(5_000)];
    const answers = await all((await open()).validateMany([emails]));
    expect(answers.map(({ result, duplicate }) => [result.status, duplicate])).toEqual([
      ['invalid', false],
      ['valid', false],
      ['invalid', false],
      ['invalid', false],
    ]);
    expect(lab.fake.bulkEmails()).toEqual(['ada@x.example']);
  });

  test('a slow input does not delay answers that are known', async () => {
    const clock = jumpingClock();
    let release = () => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* slow() {
      yield ['ada@x.example'];
      await waiting;
      yield ['bob@x.example'];
    }
    const answers = (await open({ clock })).validateMany(slow())[Symbol.asyncIterator]();
    expect((await answers.next()).value?.map(({ result }: BulkAnswer) => result.email)).toEqual(['ada@x.example']);
    release();
    expect((await answers.next()).value?.map(({ result }: BulkAnswer) => result.email)).toEqual(['bob@x.example']);
    expect((await answers.next()).done).toBe(true);
  });

  test('addresses that the service leaves out are marked, with their duplicates', async () => {
    const notes: string[] = [];
    lab.fake.misbehave(() => ({
      change: (answer) => ({ ...answer, results: (answer['results'] as unknown[]).slice(1) }),
    }));
    const answers = await all(
      (await open({ onNote: (text) => notes.push(text) })).validateMany([
        ['a@x.example', 'b@x.example', 'A@x.example'],
      ]),
    );
    expect(answers.map(({ result, leftOut }) => [result.status, leftOut])).toEqual([
      ['unknown', true],
      ['valid', undefined],
      ['unknown', true],
    ]);
    expect(notes).toEqual(['The service left out 1 of 2 addresses of one request.']);
  });
});

describe('a run that ends early', () => {
  const emails = Array.from({ length: 10_000 }, (_, index) => `a${index}@site.example`);

  /** All answers before the failure, and its code and message. */
  async function until(
    answers: AsyncIterable<readonly BulkAnswer[]>,
  ): Promise<{ got: BulkAnswer[]; code: string; message: string }> {
    const got: BulkAnswer[] = [];
    try {
      for await (const chunk of answers) got.push(...chunk);
    } catch (error) {
      const { code, message } = asFailure(error);
      return { got, code, message };
    }
    return { got, code: 'no failure', message: '' };
  }

  test('a failed request: all answers are yielded, even those after the gap, then the failure', async () => {
    lab.fake.misbehave(({ json }) => (firstOf(json) === 'a2000@site.example' ? { status: 500 } : undefined));
    const { got, code } = await until((await open({ concurrency: 4 })).validateMany([emails]));
    expect(code).toBe('remote_error');
    const sent = new Set(lab.fake.bulkEmails());
    const answered = emails.filter((email, at) => sent.has(email) && (at < 2_000 || at >= 3_000));
    expect(got.map(({ result }) => result.email)).toEqual(answered);
  });

  test('an input that fails: what was sent is answered first', async () => {
    async function* broken() {
      yield emails.slice(0, 3_000);
      throw new Error('unreadable');
    }
    const { got, code } = await until((await open()).validateMany(broken()));
    expect(code).toBe('internal');
    expect(got).toHaveLength(3_000);
  });

  test('interrupted after half and resumed: no address is sent twice, and all are answered', async () => {
    const list = makeLongList();
    const stop = new AbortController();
    lab.fake.misbehave((_, count) => {
      if (count === 10) stop.abort();
      return undefined;
    });
    const { got, code } = await until((await open()).validateMany(chunked(list, 500), { signal: stop.signal }));
    expect(code).toBe('interrupted');
    const sentBefore = lab.fake.bulkEmails().length;
    expect(sentBefore).toBeGreaterThanOrEqual(10_000);
    expect(sentBefore).toBeLessThan(20_000);

    expect(got.length).toBeGreaterThanOrEqual(sentBefore);
  });

  test('an interruption gives up a request that does not return in time', async () => {
    const stop = new AbortController();
    lab.fake.misbehave(() => {
      stop.abort();
      return { hang: true };
    });
    const service = await open({ drainMs: 10, concurrency: 1 });
    const { got, code, message } = await until(service.validateMany([emails], { signal: stop.signal }));
    expect({ got, code }).toEqual({ got: [], code: 'interrupted' });
    expect(message).toContain('Up to 1,000 credits may have been charged');
  });

  test('an interruption while a refused batch is halved reports only what got no answer', async () => {
    const stop = new AbortController();
    lab.fake.misbehave((_, count) => {
      if (count === 1) return { status: 400 };
      if (count === 2) return undefined;
      stop.abort();
      return { hang: true };
    });
    const service = await open({ drainMs: 10, concurrency: 1 });
    const { got, message } = await until(service.validateMany([emails.slice(0, 8)], { signal: stop.signal }));
    expect(got).toHaveLength(4);
    expect(message).toContain('Up to 4 credits may have been charged');
  });

  test('several requests that may have been charged are all reported', async () => {
    let arrived = 0;
    let arriveAll: () => void = () => {};
    const all = new Promise<void>((resolve) => {
      arriveAll = resolve;
    });
    lab.fake.misbehave(() => {
      if (++arrived === 3) arriveAll();
      return { after: all.then(() => Promise.reject(new Error('dropped'))) };
    });
    const service = await open({ concurrency: 3 });
    const { code, message } = await until(service.validateMany([emails.slice(0, 3_000)]));
    expect(code).toBe('billed_perhaps');
    expect(message).toMatch(/charged \(1,000 credits\).* Up to 2,000 more credits may have been charged/);
  });

  test('a reader that stops early ends the requests', async () => {
    for await (const chunk of (await open({ concurrency: 1 })).validateMany(chunked(emails, 1_000))) {
      expect(chunk).toHaveLength(1_000);
      break;
    }
    expect(lab.fake.seen.length).toBeLessThan(10);
  });

  describe('for want of credits, while a refused batch is halved', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);
    const withBad = (count: number, bad: number) => names(count).with(bad, `bad${bad}`);
    const without = (count: number, bad: number) => names(count).toSpliced(bad, 1);

    interface Case {
      name: string;
      list: string[];
      credits: number;
      /** The service looks at the balance before it looks at the addresses. */
      isBalanceFirst?: true;
      /** What happens to a request instead. */
      react?: (asked: readonly string[]) => Reaction | 'interrupt' | null;
      paid: string[];
      code: string;
    }

    test.each<Case>([
      { name: 'in the first half', list: withBad(8, 6), credits: 3, paid: names(3), code: 'no_credits' },
      { name: 'in the second half', list: withBad(8, 1), credits: 5, paid: without(6, 1), code: 'no_credits' },
      { name: 'in a nested half', list: withBad(16, 5), credits: 6, paid: without(7, 5), code: 'no_credits' },
      { name: 'in a half of the last', list: withBad(8, 6), credits: 5, paid: names(5), code: 'no_credits' },
      { name: 'exactly enough', list: withBad(8, 6), credits: 7, paid: without(8, 6), code: 'no failure' },
      {
        name: 'that are spent on a part with a refused address',
        ...{ list: withBad(8, 1), credits: 4, isBalanceFirst: true, paid: without(5, 1), code: 'no_credits' },
      },
      {
        name: 'that another run spends',
        ...{ list: withBad(8, 1), credits: 5, isBalanceFirst: true },
        react: (asked) => (asked.join() === 'u3,u4' ? { status: 402 } : null),
        ...{ paid: ['u0', 'u2', 'u3', 'u4', 'u5'], code: 'no_credits' },
      },
      {
        name: 'then the service is unavailable',
        ...{ list: withBad(8, 3), credits: 4, isBalanceFirst: true },
        react: (asked) => (asked[0] === 'u2' ? { status: 503 } : null),
        ...{ paid: names(2), code: 'unavailable' },
      },
      {
        name: 'then the connection breaks',
        ...{ list: withBad(8, 3), credits: 4, isBalanceFirst: true },
        react: (asked) => (asked[0] === 'u2' ? { drop: true } : null),
        ...{ paid: names(2), code: 'billed_perhaps' },
      },
      {
        name: 'then Ctrl-C',
        ...{ list: withBad(8, 3), credits: 4, isBalanceFirst: true },
        react: (asked) => (asked.join() === 'u0,u1' ? 'interrupt' : null),
        ...{ paid: names(2), code: 'interrupted' },
      },
    ])('$name: no address is paid for twice, and no answer is lost', async (each) => {
      const stop = new AbortController();
      const charged: string[] = [];
      lab.fake.isMailvet = true;
      lab.fake.misbehave(({ path, json }) => {
        const left = each.credits - charged.length;
        if (path.endsWith('/credits'))
          return { status: 200, body: JSON.stringify({ name: '', plan: '', credits: left }) };
        const { emails } = json as { emails: string[] };
        const asked = emails.map((email) => email.replace(/@.*/, ''));
        const reaction = each.react?.(asked) ?? null;
        if (reaction === 'interrupt') stop.abort();
        else if (reaction !== null) return reaction;
        const refusals = [
          ...(asked.some((name) => name.startsWith('bad')) ? [400] : []),
          ...(asked.length > left ? [402] : []),
        ];
        const status = each.isBalanceFirst ? refusals.at(-1) : refusals[0];
        if (status !== undefined) return { status };
        charged.push(...asked);
        return undefined;
      });
      const emails = each.list.map((name) => `${name}@site.example`);
      const service = await open({ concurrency: 1 });
      const { got, code } = await until(service.validateMany([emails], { signal: stop.signal }));
      expect({ charged, code }).toEqual({ charged: each.paid, code: each.code });
      const kept = got.filter(({ result }) => result.status === 'valid').map(({ result }) => result.email);
      expect(kept).toEqual(each.paid.map((name) => `${name}@site.example`));
    });
  });

  test('the credit limit is used to the last credit and never exceeded', async () => {
    const { got, code } = await until((await open({ maxCredits: 2_500 })).validateMany([emails]));
    expect(code).toBe('no_credits');
    expect(got).toHaveLength(2_500);
    expect(lab.fake.bulkEmails()).toHaveLength(2_500);
  });

  test('the limit on credits holds for single addresses, too', async () => {
    const service = await open({ maxCredits: 1 });
    await service.validate('ada@x.example');
    await expect(service.validate('bob@x.example')).rejects.toMatchObject({ code: 'no_credits' });
    expect(lab.fake.seen).toHaveLength(1);
  });
});
