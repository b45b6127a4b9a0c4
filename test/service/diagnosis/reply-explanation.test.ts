import { describe, expect, test } from 'vitest';
import { explainReply, parseReplies, type ReadingStep } from '../../../src/service/diagnosis/reply-explanation.js';

const nothing = { address: '', random: null, postmaster: null, extraRules: [] };

function explain(text: string, change: Partial<Parameters<typeof explainReply>[1]> = {}, stage = 'rcpt' as const) {
  const [reply] = parseReplies(text, stage);
  if (reply === undefined) throw new Error('no reply');
  return explainReply(reply, { ...nothing, ...change });
}

const decider = (steps: readonly ReadingStep[]) => steps.filter(({ decided }) => decided).map(({ step }) => step);

test.each([
  [
    '550 5.1.1 <x@y.example>: User unknown',
    { status: 'invalid', subStatus: 'mailbox_not_found', rule: 'enhanced:5.1.1', phrase: null },
    'enhanced',
    { text: 'mailbox_not_found' },
  ],
  [
    '550 5.7.1 No such user!',
    { status: 'invalid', subStatus: 'mailbox_not_found', rule: 'text:no_such_user', phrase: 'no such user' },
    'text',
    { enhanced: 'antispam_system' },
  ],
  [
    '451 4.7.1 Greylisting in action, please come back in 00:04:59',
    { status: 'unknown', subStatus: 'greylisted', retryAfterSeconds: 299 },
    'text',
    {},
  ],
  [
    '550 no',
    { status: 'unknown', subStatus: 'antispam_system', rule: 'basic:550', vague: true },
    'basic',
    { enhanced: null, text: null },
  ],
  ['250 2.1.5 Ok', { status: 'valid', subStatus: '', rule: 'basic:250' }, 'class', {}],
  ['252 maybe', { status: 'risky', subStatus: 'catch_all', reason: 'cannot_verify' }, 'class', {}],
  [
    '452 4.5.3 too many recipients',
    { status: 'unknown', subStatus: 'rate_limited', reason: 'session_limit' },
    'enhanced',
    {},
  ],
])('%s', (text, want, by, alone) => {
  const explained = explain(text);
  expect(explained).toMatchObject(want);
  expect(decider(explained.steps)).toEqual([by]);
  for (const [step, reason] of Object.entries(alone)) {
    expect(explained.steps.find((each) => each.step === step)?.alone).toBe(reason);
  }
});

test.each([
  { random: '250 ok', status: 'risky', subStatus: 'catch_all', why: /as well/ },
  { random: '550 5.1.1 no such user', status: 'valid', subStatus: '', why: /^Valid, since/ },
  { random: '451 try later', status: 'valid', subStatus: '', why: /leaves open/ },
])('an acceptance with the random reply $random is $status', ({ random: text, status, subStatus, why }) => {
  const [random = null] = parseReplies(text, 'rcpt');
  const explained = explain('250 ok', { random });
  expect(explained).toMatchObject({ status, subStatus });
  expect(explained.why.join(' ')).toMatch(why);
});

test('before RCPT, a refusal is about the client', () => {
  const [reply] = parseReplies('550 5.1.1 no such user', 'mail');
  if (reply === undefined) throw new Error('no reply');
  const explained = explainReply(reply, nothing);
  expect(explained).toMatchObject({ status: 'unknown', subStatus: 'sender_rejected' });
  expect(decider(explained.steps)).toEqual(['stage']);
  expect(explained.why[0]).toContain('only a reply to RCPT is about a mailbox');
});

test('before RCPT, an acceptance leads to no verdict', () => {
  const [reply] = parseReplies('220 mx.example.com ESMTP', 'banner');
  if (reply === undefined) throw new Error('no reply');
  expect(explainReply(reply, nothing)).toMatchObject({ status: null, subStatus: null });
});

test.each([
  { random: '550 recipient rejected', postmaster: null, want: { vague: true }, why: 'Not mailbox_not_found yet' },
  {
    random: '550 recipient rejected',
    postmaster: '250 ok',
    want: { subStatus: 'mailbox_not_found' },
    why: 'tells mailboxes apart',
  },
  {
    random: '550 recipient rejected',
    postmaster: '550 recipient rejected',
    want: { subStatus: 'antispam_system' },
    why: 'refuse every mailbox',
  },
  { random: '250 ok', postmaster: null, want: { subStatus: 'antispam_system' }, why: 'another cause' },
  {
    random: '553 recipient rejected',
    postmaster: '250 ok',
    want: { subStatus: 'antispam_system' },
    why: 'not refused in the same way',
  },
])('a bare refusal, with $random for a random mailbox and $postmaster for postmaster', (row) => {
  const control = (text: string | null) => (text === null ? null : (parseReplies(text, 'rcpt')[0] ?? null));
  const explained = explain('550 recipient rejected', {
    random: control(row.random),
    postmaster: control(row.postmaster),
  });
  expect(explained).toMatchObject(row.want);
  expect(explained.why.join(' ')).toContain(row.why);
});

test('a code of absence that the random mailbox confirms is explained without postmaster', () => {
  const [random = null] = parseReplies('550 5.1.1 User unknown', 'rcpt');
  const explained = explain('550 5.1.1 Error: invalid recipients is found from 192.0.2.1', {
    random,
    postmaster: null,
  });
  expect(explained).toMatchObject({ subStatus: 'mailbox_not_found' });
  expect(explained.why.join(' ')).toContain('the code says that the mailbox is missing, as for a random one');
});

test('custom rules apply first, and are named', () => {
  const extraRules = [{ group: 'quota' as const, phrase: 'bucket … overflows' }];
  expect(explain('550 5.1.1 the bucket here overflows', { extraRules })).toMatchObject({
    rule: 'own:quota',
    phrase: 'bucket … overflows',
    subStatus: 'mailbox_quota_exceeded',
  });
});

test('the requested address is not read as words of the reply', () => {
  const { rule } = explain('550 5.7.1 <spamhaus@y.example> refused', { address: 'spamhaus@y.example' });
  expect(rule).toBe('enhanced:5.7.1');
});

describe('text', () => {
  test.each([
    { name: 'one line', text: ' 550 5.1.1 no ', want: ['5.1.1 no'] },
    { name: 'several lines of one reply', text: '550-5.1.1 no\n550 5.1.1 really', want: ['5.1.1 no 5.1.1 really'] },
    { name: 'line ends as a shell passes them on', text: '550-a\\r\\n550 b', want: ['a b'] },
    { name: 'several replies', text: '550 a\r\n450 b', want: ['a', 'b'] },
    { name: 'one line of several', text: '550-5.1.1 no', want: ['5.1.1 no'] },
    { name: 'a bare code', text: '550', want: [''] },
  ])('$name', ({ text, want }) => {
    expect(parseReplies(text, 'rcpt').map((reply) => reply.text)).toEqual(want);
  });

  test.each([
    { text: '', hint: 'Write it as the host sent it' },
    { text: 'no such user', hint: 'Write it as the host sent it' },
    { text: '999 what', hint: 'Write it as the host sent it' },
    { text: 'host mx said: 550 5.1.1 no (in reply)', hint: "explain --reply '550 5.1.1 no (in reply)'" },
  ])('"$text" is not a reply', ({ text, hint }) => {
    expect(() => parseReplies(text, 'rcpt')).toThrow(
      expect.objectContaining({ code: 'usage', hint: expect.stringContaining(hint) }),
    );
  });
});
