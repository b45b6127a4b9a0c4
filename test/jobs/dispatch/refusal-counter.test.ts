import { describe, expect, test } from 'vitest';
import { isClientRefused, RefusalCounter } from '../../../src/jobs/dispatch/request-claimer.js';
import type { MailboxReason } from '../../../src/model/evidence.js';
import type { ProbeAnswer } from '../../../src/net/probe/prober.js';

const rest = { host: 'mx', ip: null, reply: null, rule: null, retryAt: null, dialogue: [] };
const catchAll = { outcome: 'not_run', source: null, reply: null } as const;
const unknown = (reason: MailboxReason, certainty = 0.9): ProbeAnswer => ({
  mailbox: { outcome: { state: 'unknown', reason }, certainty, ...rest },
  catchAll,
});
const refused = unknown('antispam_system');
const taken: ProbeAnswer = {
  mailbox: { outcome: { state: 'passed', detail: null }, certainty: 0.9, ...rest },
  catchAll,
};

describe('a mail server that refuses us', () => {
  test.each([
    { name: 'says so plainly', answer: refused, want: true },
    { name: 'may have meant something else', answer: unknown('antispam_system', 0.4), want: false },
    { name: 'only wants time', answer: unknown('greylisted'), want: false },
    { name: 'knows the mailbox', answer: taken, want: false },
  ])('$name: $want', ({ answer, want }) => {
    expect(isClientRefused(answer)).toBe(want);
  });

  test('is left to others after three refusals in a row, and from then on', () => {
    const refusals = new RefusalCounter();
    expect([1, 2, 3, 4].map(() => refusals.recordAnswer('a', refused))).toEqual(['open', 'open', 'blocked', 'blocked']);
    expect(refusals.recordAnswer('b', refused)).toBe('open');
  });

  test('is not left to others where it answers in between', () => {
    const refusals = new RefusalCounter();
    const answers = [refused, refused, taken, refused, unknown('timeout_exceeded'), refused];
    expect(answers.map((answer) => refusals.recordAnswer('a', answer))).not.toContain('blocked');
    expect(refusals.recordAnswer('a', refused)).toBe('blocked');
  });
});
