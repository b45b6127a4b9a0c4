import { describe, expect, test } from 'vitest';
import { Failure } from '../../../src/model/failure.js';
import { addressLiteral, checkIdentity, ownEhloName, sendersFor } from '../../../src/net/smtp/identity.js';

describe('the identity of the client', () => {
  test.each([
    ['mail.example.com', 'mail.example.com'],
    ['Mail.Example.COM.', 'mail.example.com'],
    ['laptop', null],
    ['laptop.local', null],
    ['3f2a9c.internal', null],
    ['under_score.example.com', null],
    ['10.0.0.1', null],
    ['', null],
  ])('a machine called "%s" sends EHLO %s', (name, want) => expect(ownEhloName(name)).toBe(want));

  test.each([
    ['192.0.2.1', '[192.0.2.1]'],
    ['::ffff:192.0.2.1', '[192.0.2.1]'],
    ['2001:db8::1', '[IPv6:2001:db8::1]'],
    ['fe80::1%eth0', '[IPv6:fe80::1]'],
    ['', '[127.0.0.1]'],
  ])('%s is the literal %s', (ip, want) => expect(addressLiteral(ip)).toBe(want));

  test.each([
    { mailFrom: 'probe@example.net', ehlo: 'mail.example.net', want: ['probe@example.net', ''] },
    { mailFrom: null, ehlo: 'mail.example.net', want: ['', 'postmaster@mail.example.net'] },
    { mailFrom: null, ehlo: null, want: [''] },
  ])('sender $mailFrom of $ehlo: $want', ({ mailFrom, ehlo, want }) =>
    expect(sendersFor(mailFrom, ehlo)).toEqual(want),
  );

  test.each([
    { ehlo: 'mail.example.com\r\nDATA', mailFrom: null },
    { ehlo: 'two words', mailFrom: null },
    { ehlo: null, mailFrom: 'a@b>\r\nDATA' },
    { ehlo: null, mailFrom: 'nobody' },
  ])('$ehlo with $mailFrom is refused', ({ ehlo, mailFrom }) =>
    expect(() => checkIdentity(ehlo, mailFrom)).toThrow(Failure),
  );

  test.each([
    { ehlo: '[192.0.2.1]', mailFrom: '' },
    { ehlo: 'mail.example.com', mailFrom: 'probe@example.com' },
    { ehlo: null, mailFrom: null },
  ])('$ehlo with $mailFrom is accepted', ({ ehlo, mailFrom }) =>
    expect(() => checkIdentity(ehlo, mailFrom)).not.toThrow(),
  );
});
