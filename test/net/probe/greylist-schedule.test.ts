import { expect, test } from 'vitest';
import { nextRetryMs, retryMinutes } from '../../../src/net/probe/greylist-schedule.js';
import { readReply } from '../../../src/net/replies/read-reply.js';

const minute = 60_000;
const defaults = { sinceFirstMs: 0, hostDelayMs: 0, maxWaitMs: 20 * minute, random: () => 0 };

test.each([
  { name: 'a minute after the first refusal', deferral: {}, want: 1 },
  { name: 'five minutes after the first', deferral: { sinceFirstMs: minute }, want: 4 },
  { name: 'fifteen minutes after the first', deferral: { sinceFirstMs: 5 * minute }, want: 10 },
  { name: 'none after the third visit', deferral: { sinceFirstMs: 15 * minute, maxWaitMs: 60 * minute }, want: null },
  { name: 'not before the time that the host gives', deferral: { hostDelayMs: 3 * minute }, want: 3 },
  { name: 'never sooner than a minute', deferral: { sinceFirstMs: 4.5 * minute }, want: 1 },
  { name: 'at the next visit after an interruption', deferral: { sinceFirstMs: 8 * minute }, want: 7 },
  { name: 'a wait that has passed does not count', deferral: { hostDelayMs: -5 * minute }, want: 1 },
  { name: 'none after the maximum wait', deferral: { sinceFirstMs: 5 * minute, maxWaitMs: 10 * minute }, want: null },
  { name: 'none if the host gives a longer time', deferral: { hostDelayMs: 30 * minute }, want: null },
  {
    name: 'at the last moment, however long the refusal took',
    deferral: { sinceFirstMs: 3, maxWaitMs: minute },
    want: 1,
  },
  { name: 'none if the maximum wait is 0', deferral: { maxWaitMs: 0 }, want: null },
  { name: 'a fifth later at most', deferral: { random: () => 1 }, want: 1.2 },
  { name: 'no later than the maximum wait', deferral: { maxWaitMs: minute, random: () => 1 }, want: 1 },
])('the next visit: $name', ({ deferral, want }) => {
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
