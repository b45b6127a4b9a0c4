import { domainToASCII } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readableDomain } from '../../../src/model/text/readable-domain.js';

describe('a domain as its readers write it', () => {
  test.each([
    ...[
      'münchen.de',
      'mail.dörte-sörensen.example',
      '例え.jp',
      'ドメイン.テスト',
      '한국전자.한국',
      'почта.рф',
      'почта.com',
    ],
    ...['παράδειγμα.gr', 'مثال.إختبار', 'भारत.com', 'straße.de', 'plain.example'],
  ])('%s', (domain) => expect(readableDomain(domainToASCII(domain))).toBe(domain));

  test.each([
    { name: 'Cyrillic letters among Latin ones', domain: domainToASCII('gооgle.com') },
    { name: 'Cyrillic letters that all look Latin', domain: domainToASCII('аррӏе.com') },
    { name: 'Greek letters that all look Latin', domain: domainToASCII('υοτο.com') },
    { name: 'an emoji', domain: domainToASCII('😀.com') },
    { name: 'ASCII in disguise', domain: 'xn--google-.com' },
    { name: 'no Punycode', domain: 'xn--a!b.com' },
    { name: 'a point beyond Unicode', domain: 'xn--99999999.com' },
    { name: 'far too long', domain: `xn--${'9'.repeat(1_000)}.com` },
    { name: 'broken off', domain: 'xn--mnchen-3y.de' },
    { name: 'an address in brackets', domain: '[127.0.0.1]' },
  ])('$name stays unchanged', ({ domain }) => expect(readableDomain(domain)).toBe(domain));

  test('a name that looks Latin is readable if its top-level domain has the same script', () => {
    expect(readableDomain(domainToASCII('оса.рф'))).toBe('оса.рф');
  });
});
