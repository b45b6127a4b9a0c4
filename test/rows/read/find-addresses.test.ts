import { describe, expect, test } from 'vitest';
import { extractAddress, findAddresses } from '../../../src/rows/read/find-addresses.js';
import { escapeFormula } from '../../../src/rows/table/formula.js';

test.each([
  ...['\ta@x.org', '\t=a@x.org', '\0a@x.org', '\r\n\u00a0a@x.org ', '\tAda <a@x.org>', '\x01a@x.org', '=a@x.org'],
  ...['-a|b@x.org'],
])('the same address is read from what is written for %j', (cell) => {
  expect(extractAddress(escapeFormula(cell))).toBe(extractAddress(cell));
  // As an earlier version wrote it.
  expect(extractAddress(`'${cell}`)).toBe(extractAddress(cell));
});

test.each([
  ...['smtp:a@x.org', 'SMTP:a@x.org', 'a@x.org&nbsp;', '&nbsp;a@x.org', 'mailto:a@x.org&nbsp;,', '(a@x.org)'],
  ...['[a@x.org]', '„a@x.org“', '«a@x.org»'],
])('the address in %s', (text) => expect(extractAddress(text)).toBe('a@x.org'));

test.each([
  'a@x.org&foo;',
  'a@x.org&nbsp',
  'a&amp;b@x.org',
  '&amp;a@x.org',
  'sip:a@x.org',
  'x500:/o=x',
  'smtp:',
  '&nbsp;',
])('%s stays as it is', (text) => expect(extractAddress(text)).toBe(text));

describe('other words beside an address are not part of it', () => {
  test.each([
    ...['ada@x.org # vip', 'ada@x.org - old', 'ada@x.org [private]', 'ada@x.org / +49 30 1234', '- ada@x.org'],
    ...['* ada@x.org', '3. ada@x.org', '(3) ada@x.org', 'Work: ada@x.org', 'E-Mail: mailto:ada@x.org'],
    ...['Ada <ada@x.org> (private)', 'Countess <ada@x.org>, London', '- ada@x.org # vip', "'ada@x.org # vip'"],
    ...['[ada@x.org - old]', '“ada@x.org # VIP”'],
  ])('%s', (text) => expect(extractAddress(text)).toBe('ada@x.org'));

  test.each([
    // A space that was typed into the address.
    'ada lovelace@x.org',
    'john. smith@x.org',
    'ada@x .org',
    'ada@x. org',
    'ada@x.co uk',
    'ada@x.co .uk',
    'ada@x.com au',
    'ada@x.com .au',
    'ada@my.shop com',
    'ada@gmail.co m',
    'ada@x.or g',
    'ada@x.ne t',
    'ada@x.in fo',
    'ada@docomo.ne jp',
    '12 34@x.org',
    '+49 170 1234567@x.org',
    "'ada@x.org # vip",
    'ada @x.org',
    'ada@ x.org',
    // A name may be a part of the local part.
    'ada@x.org, prefers phone',
    'ada@x.org VIP',
    'ada@x.org unsubscribed 2024',
    'ada@x.org Ada',
    'Ada ada@x.org',
    'Ada Lovelace ada@x.org',
    // A row that was commented out, another person, more than one address.
    '# ada@x.org',
    'not ada@x.org',
    'Bob or ada@x.org',
    'ada@x.org # bob@y.org',
    'Ada @ home',
    '"ada lovelace"@x.org',
  ])('%s stays as it is', (text) => expect(extractAddress(text)).toBe(text));
});

test.each([
  { text: 'unsubscribe: https://news.us.com/u?email=a@x.com', found: ['a@x.com'] },
  { text: 'https://t.co/u?id=7&email=a@x.com&t=1', found: ['a@x.com'] },
  { text: 'https://t.co/u/a@x.com/leave', found: ['a@x.com'] },
  { text: 'www.t.co/u?to=a%40x.com', found: ['a@x.com'] },
  { text: 'mailto:a@x.com?cc=b@y.org&bcc=c@y.org', found: ['a@x.com', 'b@y.org', 'c@y.org'] },
  { text: 'a@x.com/b@y.org', found: ['a@x.com', 'b@y.org'] },
  { text: 'a@x.com|b@y.org', found: ['a@x.com', 'b@y.org'] },
  { text: 'email=a@x.com user_email=b@y.org', found: ['a@x.com', 'b@y.org'] },
  { text: 'amqp://svc:Tr0ub4dor@x.com:5672', found: [] },
  { text: 'postgres://app:p@ss@x.com/db and a@x.com', found: ['a@x.com'] },
  { text: 'git clone ssh://git@x.com/y.git', found: [] },
  // Local parts may have these characters.
  { text: 'SRS0=HHH=TT=y.org=a@x.com', found: ['SRS0=HHH=TT=y.org=a@x.com'] },
  { text: 'prvs=1234567=a@x.com', found: ['prvs=1234567=a@x.com'] },
  { text: 'bounces+1-a=y.org@x.com', found: ['bounces+1-a=y.org@x.com'] },
  { text: 'R&D@x.com', found: ['R&D@x.com'] },
  { text: 'a/b@x.com', found: ['a/b@x.com'] },
])('a link around an address is not part of it, and its user and password are no address: $text', ({ text, found }) => {
  expect(findAddresses(text)).toEqual(found);
});

test.each([
  { text: 'write to a@x.com,thanks', found: ['a@x.com'] },
  { text: 'a@x.com,so we can talk', found: ['a@x.com'] },
  { text: 'a@x.com. Info follows', found: ['a@x.com'] },
  { text: 'a@x.com,b@y.org;com@y.org,de@y.org', found: ['a@x.com', 'b@y.org', 'com@y.org', 'de@y.org'] },
  { text: 'a@x.com,company', found: ['a@x.com'] },
  // A country in the next cell: a code in capitals, or one of several cells.
  { text: 'a@x.com,US', found: ['a@x.com'] },
  { text: 'a@x.com,de,Berlin', found: ['a@x.com'] },
  { text: '1,a@x.com,de', found: ['a@x.com'] },
  // The domain is complete, so what follows is no end of it.
  { text: 'a@x.com. info about us', found: ['a@x.com'] },
  { text: 'Ada;a@x.com;org', found: ['a@x.com'] },
  { text: 'a@x.com,net 30 days', found: ['a@x.com'] },
  { text: 'a@x.de;at', found: ['a@x.de'] },
  { text: 'a@x.de,com', found: ['a@x.de'] },
  { text: 'a@x, b@y.org', found: ['b@y.org'] },
])('punctuation after an address in running text is not part of it: $text', ({ text, found }) => {
  expect(findAddresses(text)).toEqual(found);
});
