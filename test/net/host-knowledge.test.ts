import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expiry, type FactKind, HostKnowledge } from '../../src/net/host-knowledge.js';
import { fakeClock } from '../fakes/clock.js';

const kinds = Object.keys(expiry) as FactKind[];
const hourMs = 60 * 60_000;

test('the table in the documentation is the table in the code', () => {
  const units = { s: 1_000, min: 60_000, h: hourMs };
  const duration = (text: string): number => {
    const [amount, unit] = text.split(' ');
    return Number(amount) * units[unit as keyof typeof units];
  };
  const text = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` \| (\d+ \w+)(?: \((\d+ \w+)\))? \| ([\d,]+) \|/gm)];
  const documented = rows.map(([, kind = '', ttl = '', unsettled, max = '']) => [
    kind,
    {
      ttlMs: duration(ttl),
      ...(unsettled !== undefined && { unsettledMs: duration(unsettled) }),
      maxEntries: Number(max.replaceAll(',', '')),
    },
  ]);
  expect(Object.fromEntries(documented)).toEqual(expiry);
});

test.each(kinds)('%s expires and is bounded', async (kind) => {
  const clock = fakeClock();
  const facts = new HostKnowledge(clock).open<number>(kind);
  const { ttlMs, maxEntries } = expiry[kind];
  facts.set('a', 1);
  await clock.advance(ttlMs - 1);
  expect(facts.get('a')).toBe(1);
  await clock.advance(1);
  expect([facts.get('a'), facts.has('a')]).toEqual([undefined, false]);
  for (let index = 0; index < 3 * maxEntries; index++) facts.set(`key ${index}`, index);
  expect(facts.size).toBeLessThanOrEqual(maxEntries);
  expect(facts.get(`key ${3 * maxEntries - 1}`)).toBe(3 * maxEntries - 1);
});

test('each kind has one owner and a known size', () => {
  const knowledge = new HostKnowledge(fakeClock());
  knowledge.open<number>('host_down').set('a', 1);
  expect(() => knowledge.open('host_down')).toThrow('another owner');
  expect([...knowledge.sizes()]).toEqual([['host_down', 1]]);
});

describe('a fact that must be requested', () => {
  const postmaster = () => {
    const clock = fakeClock();
    return { clock, facts: new HostKnowledge(clock).open<string>('postmaster') };
  };
  const never = async (): Promise<string> => expect.unreachable();

  test('is learned once for all concurrent callers, and then cached', async () => {
    const { facts } = postmaster();
    let asked = 0;
    const learn = async () => `answer ${++asked}`;
    const answers = await Promise.all([1, 2, 3].map(() => facts.getOrLearn('a', learn)));
    answers.push(await facts.getOrLearn('a', never));
    expect(answers).toEqual(Array(4).fill('answer 1'));
  });

  test('expires earlier if it is inconclusive', async () => {
    const { facts, clock } = postmaster();
    const isSettled = (answer: string) => answer !== 'later';
    await facts.getOrLearn('a', async () => 'later', { isSettled });
    await clock.advance(44_999);
    expect(await facts.getOrLearn('a', never, { isSettled })).toBe('later');
    await clock.advance(1);
    expect(await facts.getOrLearn('a', async () => 'no', { isSettled })).toBe('no');
    await clock.advance(hourMs - 1);
    expect(await facts.getOrLearn('a', never, { isSettled })).toBe('no');
  });

  test('is not kept if it is inconclusive and the table has no TTL for that', async () => {
    const facts = new HostKnowledge(fakeClock()).open<string>('mailbox_answer');
    await facts.getOrLearn('a', async () => 'later', { isSettled: () => false });
    expect(facts.has('a')).toBe(false);
  });

  test('is requested again if the first caller was aborted', async () => {
    const { facts } = postmaster();
    const first = new AbortController();
    const stopped = facts.getOrLearn(
      'a',
      () => new Promise((_, reject) => first.signal.addEventListener('abort', () => reject(new Error('stopped')))),
      { signal: first.signal },
    );
    const second = facts.getOrLearn('a', async () => 'yes', { signal: new AbortController().signal });
    first.abort();
    await expect(stopped).rejects.toThrow('stopped');
    expect(await second).toBe('yes');
  });

  test('a failure is thrown to all waiting callers, and not cached', async () => {
    const { facts } = postmaster();
    const fail = async (): Promise<string> => {
      throw new Error('a bug');
    };
    const waiting = [facts.getOrLearn('a', fail), facts.getOrLearn('a', never)];
    for (const each of waiting) await expect(each).rejects.toThrow('a bug');
    expect(await facts.getOrLearn('a', async () => 'yes')).toBe('yes');
  });
});
