import { describe, expect, test } from 'vitest';
import { explainReason, explainSubStatus } from '../../../src/model/text/sentences.js';
import { statusOf } from '../../../src/model/verdict.js';

describe('sentences', () => {
  test.each(Object.keys(statusOf))('sub-status "%s" says what it means and what to do', (subStatus) => {
    const { means, advice } = explainSubStatus(subStatus);
    expect(means).toMatch(/^[A-Z].*\.$/);
    expect(advice).toMatch(/^[A-Z].*\.$/);
    expect(means).not.toContain('The service says');
  });

  test('a sub-status calls a mailbox good only if the verdict is valid', () => {
    expect(explainSubStatus('', 'valid').means).toContain('accepted');
    expect(explainSubStatus('', 'invalid').means).toBe('The service gives no reason.');
    expect(explainSubStatus('', 'empty').means).toBe('The row has no address.');
    expect(explainSubStatus('', 'do_not_mail').means).toBe('The service gives no reason.');
  });

  test.each([
    { reason: 'local_double_dot:3', want: 'Two dots follow each other before the @ (character 4).' },
    { reason: 'smtp_not_checked', want: 'The mail server was not asked.' },
    { reason: 'disposable', want: 'The domain hands out disposable addresses.' },
    { reason: 'from_mars', want: 'The service says: from mars.' },
    { reason: 'constructor', want: 'The service says: constructor.' },
  ])('$reason', ({ reason, want }) => expect(explainReason(reason)).toBe(want));
});
