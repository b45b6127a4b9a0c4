import { readFileSync } from 'node:fs';
import { getDomain, getPublicSuffix } from 'tldts';
import { describe, expect, test } from 'vitest';
import { publicSuffix, registrableDomain } from '../../../src/engine/lists/public-suffix.js';
import { isKnownTld } from '../../../src/engine/lists/top-level-domains.js';

describe('the registrable domain', () => {
  // The checkPublicSuffix vectors of publicsuffix.org, in A-labels, and the private section.
  test.each([
    ['com', null],
    ['example.com', 'example.com'],
    ['b.example.com', 'example.com'],
    ['a.b.example.com', 'example.com'],
    ['example.example', 'example.example'],
    ['b.example.example', 'example.example'],
    ['biz', null],
    ['a.b.domain.biz', 'domain.biz'],
    ['uk.com', null],
    ['example.uk.com', 'example.uk.com'],
    ['a.b.example.uk.com', 'example.uk.com'],
    ['test.ac', 'test.ac'],
    ['mm', null],
    ['c.mm', null],
    ['b.c.mm', 'b.c.mm'],
    ['a.b.c.mm', 'b.c.mm'],
    ['jp', null],
    ['test.jp', 'test.jp'],
    ['ac.jp', null],
    ['www.test.ac.jp', 'test.ac.jp'],
    ['kyoto.jp', null],
    ['test.kyoto.jp', 'test.kyoto.jp'],
    ['ide.kyoto.jp', null],
    ['a.b.ide.kyoto.jp', 'b.ide.kyoto.jp'],
    ['c.kobe.jp', null],
    ['b.c.kobe.jp', 'b.c.kobe.jp'],
    ['a.b.c.kobe.jp', 'b.c.kobe.jp'],
    ['city.kobe.jp', 'city.kobe.jp'],
    ['www.city.kobe.jp', 'city.kobe.jp'],
    ['foo.kawasaki.jp', null],
    ['a.foo.kawasaki.jp', 'a.foo.kawasaki.jp'],
    ['city.kawasaki.jp', 'city.kawasaki.jp'],
    ['ck', null],
    ['test.ck', null],
    ['b.test.ck', 'b.test.ck'],
    ['www.ck', 'www.ck'],
    ['www.www.ck', 'www.ck'],
    ['us', null],
    ['test.us', 'test.us'],
    ['ak.us', null],
    ['test.k12.ak.us', 'test.k12.ak.us'],
    ['k12.ak.us', null],
    ['xn--85x722f.com.cn', 'xn--85x722f.com.cn'],
    ['xn--85x722f.xn--55qx5d.cn', 'xn--85x722f.xn--55qx5d.cn'],
    ['www.xn--85x722f.xn--fiqs8s', 'xn--85x722f.xn--fiqs8s'],
    ['github.io', null],
    ['someone.github.io', 'someone.github.io'],
    ['www.someone.github.io', 'someone.github.io'],
    ['mx.bbc.co.uk', 'bbc.co.uk'],
  ])('%s → %s', (domain, want) => expect(registrableDomain(domain)).toBe(want));

  test('every rule, and names below it, have the same result as with tldts', () => {
    const rules = readFileSync(new URL('../../../src/engine/data/public-suffixes.txt', import.meta.url), 'utf8');
    const names = rules
      .trimEnd()
      .split('\n')
      .map((rule) => rule.replace('!', '').replace('*', 'w'))
      .flatMap((name) => [name, `a.${name}`, `b.a.${name}`]);
    const options = { allowPrivateDomains: true, validateHostname: false };
    const differing = names.filter(
      (name) =>
        publicSuffix(name) !== getPublicSuffix(name, options) || registrableDomain(name) !== getDomain(name, options),
    );
    expect(differing).toEqual([]);
  });
});

test.each(['com', 'de', 'museum', 'xn--p1ai', 'email'])('%s is a top-level domain', (tld) =>
  expect(isKnownTld(tld)).toBe(true),
);
test.each(['con', 'test', 'local', 'internal', 'onion', 'zz', ''])('%j is not a top-level domain', (tld) =>
  expect(isKnownTld(tld)).toBe(false),
);
