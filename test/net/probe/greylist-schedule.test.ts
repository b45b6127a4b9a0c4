import { expect, test } from 'vitest';
import { nextRetryMs, retryMinutes } from '../../../src/net/probe/greylist-schedule.js';
import { readReply } from '../../../src/net/replies/read-reply.js';

const minute = 60_000;
const defaults = { sinceFirstMs: 0, hostDelayMs: 0, maxWaitMs: 20 * minute, random: () => 0 };

test.each<[name: string, deferral: Partial<Parameters<typeof nextRetryMs>[0]>, want: number | null]>([
  ['a minute after the first refusal', {}, 1],
  ['five minutes after the first', { sinceFirstMs: minute }, 4],
  ['fifteen minutes after the first', { sinceFirstMs: 5 * minute }, 10],
  ['none after the third visit', { sinceFirstMs: 15 * minute, maxWaitMs: 60 * minute }, null],
  ['not before the time that the host gives', { hostDelayMs: 3 * minute }, 3],
  ['never sooner than a minute', { sinceFirstMs: 4.5 * minute }, 1],
  ['at the next visit after an interruption', { sinceFirstMs: 8 * minute }, 7],
  ['a wait that has passed does not count', { hostDelayMs: -5 * minute }, 1],
  ['none after the maximum wait', { sinceFirstMs: 5 * minute, maxWaitMs: 10 * minute }, null],
  ['none if the host gives a longer time', { hostDelayMs: 30 * minute }, null],
  ['at the last moment, however long the refusal took', { sinceFirstMs: 3, maxWaitMs: minute }, 1],
  ['none if the maximum wait is 0', { maxWaitMs: 0 }, null],
  ['a fifth later at most', { random: () => 1 }, 1.2],
  ['no later than the maximum wait', { maxWaitMs: minute, random: () => 1 }, 1],
])('the next visit: %s', (_name, deferral, want) => {
  expect(nextRetryMs({ ...defaults, ...deferral })).toBe(want === null ? null : want * minute);
});

test('with default settings, a list makes all three visits, whatever the jitter', () => {
  for (const random of [() => 0, () => 0.5, () => 1]) {
    let sinceFirstMs = 0;
    let visits = 0;
    for (;;) {
      const delayMs = nextRetryMs({ ...defaults, sinceFirstMs, random });
      if (delayMs === null) break;
      sinceFirstMs += delayMs;
      visits++;
    }
    expect(visits).toBe(3);
  }
});

test.each([
  { text: 'Greylisted, try again later', enhanced: '4.7.1', cause: 'greylisting' as const },
  { text: 'Temporary system problem', enhanced: '4.3.0', cause: 'others' as const },
])('$text: the retries are those that are announced', ({ text, enhanced, cause }) => {
  const refusal = { stage: 'rcpt' as const, code: 451, enhanced, text: `${enhanced} ${text}` };
  const seconds = readReply(refusal, { recipient: 'a@b.co' }).retryAfterSeconds ?? 0;
  for (const maxWaitMs of [20, 6, 2, 0.5].map((minutes) => minutes * minute)) {
    const visits: number[] = [];
    let sinceFirstMs = 0;
    for (;;) {
      const delayMs = nextRetryMs({ ...defaults, sinceFirstMs, maxWaitMs, hostDelayMs: seconds * 1000 });
      if (delayMs === null) break;
      sinceFirstMs += delayMs;
      visits.push(sinceFirstMs / minute);
    }
    expect(visits).toEqual(retryMinutes(maxWaitMs)[cause]);
  }
});
