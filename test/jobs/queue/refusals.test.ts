import { describe, expect, test } from 'vitest';
import { isClientRefused } from '../../../src/jobs/queue/client-refusal.js';
import { RefusalCounter } from '../../../src/jobs/queue/refusals.js';
import type { MailboxReason } from '../../../src/model/evidence.js';
import type { ProbeAnswer } from '../../../src/net/probe/prober.js';

const otherFields = { host: 'mx', ip: null, reply: null, rule: null, retryAt: null, dialogue: [] };
const catchAll = { outcome: 'not_run', source: null, reply: null } as const;
const unknown = (reason: MailboxReason, certainty = 0.9): ProbeAnswer => ({
  mailbox: { outcome: { state: 'unknown', reason }, certainty, ...otherFields },
  catchAll,
});
const refused = unknown('antispam_system');
const accepted: ProbeAnswer = {
  mailbox: { outcome: { state: 'passed', detail: null }, certainty: 0.9, ...otherFields },
  catchAll,
};

describe('a mail server that refuses this client', () => {
  test.each([
    { name: 'in clear words', answer: refused, want: true },
    { name: 'in ambiguous words', answer: unknown('antispam_system', 0.4), want: false },
    { name: 'by greylisting', answer: unknown('greylisted'), want: false },
    { name: 'not at all', answer: accepted, want: false },
  ])('$name: $want', ({ answer, want }) => {
    expect(isClientRefused(answer.mailbox)).toBe(want);
  });

  test('is blocked after three refusals in a row, and stays blocked', () => {
    const refusals = new RefusalCounter();
    expect([1, 2, 3, 4].map(() => refusals.record('a', refused))).toEqual([false, false, true, true]);
    expect(refusals.record('b', refused)).toBe(false);
  });

  test('is not blocked if it accepts a mailbox in between', () => {
    const refusals = new RefusalCounter();
    const answers = [refused, refused, accepted, refused, unknown('timeout_exceeded'), refused];
    expect(answers.map((answer) => refusals.record('a', answer))).not.toContain(true);
    expect(refusals.record('a', refused)).toBe(true);
  });
});
