import { describe, expect, test } from 'vitest';
import { explainReply, parseReplies } from '../../../src/service/diagnosis/reply-explanation.js';

function explain(text: string, extraRules: Parameters<typeof explainReply>[1] = []) {
  const [reply] = parseReplies(text);
  if (reply === undefined) throw new Error('no reply');
  return explainReply(reply, extraRules);
}

test.each([
  [
    '550 5.1.1 <x@y.example>: User unknown',
    { status: 'invalid', subStatus: 'mailbox_not_found', rule: 'enhanced:5.1.1', phrase: null },
  ],
  [
    '550 5.7.1 No such user!',
    { status: 'invalid', subStatus: 'mailbox_not_found', rule: 'text:no_such_user', phrase: 'no such user' },
  ],
  [
    '451 4.7.1 Greylisting in action, please come back in 00:04:59',
    { status: 'unknown', subStatus: 'greylisted', retryAfterSeconds: 299 },
  ],
  ['550 no', { status: 'unknown', subStatus: 'antispam_system', rule: 'basic:550', vague: true }],
  ['250 2.1.5 Ok', { status: 'valid', subStatus: '', rule: 'basic:250' }],
  ['252 maybe', { status: 'risky', subStatus: 'catch_all', reason: 'cannot_verify' }],
  ['452 4.5.3 too many recipients', { status: 'unknown', subStatus: 'rate_limited', reason: 'session_limit' }],
])('%s', (text, want) => expect(explain(text)).toMatchObject(want));

test.each([
  ['250 ok', 'Valid only if a random mailbox of the same domain is refused'],
  ['550 recipient rejected', 'Not mailbox_not_found yet'],
])('%s: %s', (text, why) => expect(explain(text).why.join(' ')).toContain(why));

test('custom rules apply first, and are named', () => {
  const extraRules = [{ group: 'quota' as const, phrase: 'bucket … overflows' }];
  expect(explain('550 5.1.1 the bucket here overflows', extraRules)).toMatchObject({
    rule: 'own:quota',
    phrase: 'bucket … overflows',
    subStatus: 'mailbox_quota_exceeded',
  });
});

describe('text', () => {
  test.each([
    { name: 'one line', text: ' 550 5.1.1 no ', want: ['5.1.1 no'] },
    { name: 'several lines of one reply', text: '550-5.1.1 no\n550 5.1.1 really', want: ['5.1.1 no 5.1.1 really'] },
    { name: 'line ends as a shell passes them on', text: '550-a\\r\\n550 b', want: ['a b'] },
    { name: 'several replies', text: '550 a\r\n450 b', want: ['a', 'b'] },
    { name: 'one line of several', text: '550-5.1.1 no', want: ['5.1.1 no'] },
    { name: 'a bare code', text: '550', want: [''] },
  ])('$name', ({ text, want }) => expect(parseReplies(text).map((reply) => reply.text)).toEqual(want));

  test.each([
    { text: '', hint: 'Write it as the host sent it' },
    { text: 'no such user', hint: 'Write it as the host sent it' },
    { text: '999 what', hint: 'Write it as the host sent it' },
    { text: 'host mx said: 550 5.1.1 no (in reply)', hint: "explain --reply '550 5.1.1 no (in reply)'" },
  ])('"$text" is not a reply', ({ text, hint }) => {
    expect(() => parseReplies(text)).toThrow(
      expect.objectContaining({ code: 'usage', hint: expect.stringContaining(hint) }),
    );
  });
});
