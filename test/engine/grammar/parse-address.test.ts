import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../../src/engine/grammar/parse-address.js';
import type { Address, SyntaxFault } from '../../../src/model/address.js';
import { wireForm } from '../../../src/net/probe/mailbox-probe.js';
import { invalidAddresses, mistakes, validAddresses } from './known-addresses.js';

function addressOf(text: string): Address {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Error(`${JSON.stringify(text)}: ${parsed.fault.code}, ${parsed.fault.message}`);
  return parsed.address;
}

function faultOf(text: string): SyntaxFault {
  const parsed = parseAddress(text);
  if (parsed.ok) throw new Error(`${JSON.stringify(text)} was accepted`);
  return parsed.fault;
}

const valid = Object.entries(validAddresses).flatMap(([why, texts]) => texts.map((text) => ({ why, text })));
const invalid = Object.entries(invalidAddresses).flatMap(([code, texts]) => texts.map((text) => ({ code, text })));
const describeResult = (text: string): string =>
  text.length > 90 ? `${text.slice(0, 90)}… (${text.length})` : JSON.stringify(text);

describe('the table of addresses', () => {
  test.each(valid.map((row) => ({ ...row, name: describeResult(row.text) })))('$why: $name', ({ text }) => {
    expect(parseAddress(text)).toMatchObject({ ok: true });
  });

  test.each(invalid.map((row) => ({ ...row, name: describeResult(row.text) })))('$code: $name', ({ text, code }) => {
    expect(faultOf(text).code).toBe(code);
  });

  test('every address is the same after formatting and parsing', () => {
    for (const { text } of valid) {
      const address = addressOf(text);
      expect(addressOf(wireForm(address))).toEqual(address);
      expect(addressOf(`${address.localPart}@${address.displayDomain}`)).toEqual(address);
    }
  });

  test('every fault has a complete sentence, a position inside the text and a suggestion that parses', () => {
    for (const { text } of invalid) {
      const { message, position, suggestion } = faultOf(text);
      expect(message, text).toMatch(/^["A-Z].*\.$/);
      expect(/[\p{Cc}\p{Cf}\p{Cs}]/u.test(message), message).toBe(false);
      expect(position).toBeGreaterThanOrEqual(0);
      expect(position).toBeLessThanOrEqual(text.length);
      if (suggestion !== null) expect(parseAddress(suggestion).ok, suggestion).toBe(true);
    }
  });
});

describe('the forms of an address', () => {
  const plain = { literal: null, tag: null, needsSmtpUtf8: false };
  test.each<[name: string, text: string, address: Partial<Address>]>([
    [
      'a plain address keeps its case but for the domain',
      'Jane.Doe@Example.COM',
      {
        ...plain,
        localPart: 'Jane.Doe',
        domain: 'example.com',
        displayDomain: 'example.com',
        canonical: 'jane.doe@example.com',
      },
    ],
    ['the tag follows the first plus', 'jane+a+b@example.com', { tag: 'a+b', canonical: 'jane+a+b@example.com' }],
    ['a tag may be empty', 'jane+@example.com', { tag: '' }],
    ['a plus at the start makes no tag', '+jane+x@example.com', { tag: null }],
    ['a quoted local part has a tag, too', '"jane doe+x y"@example.com', { tag: 'x y' }],
    [
      'quotes that are not needed go',
      '"jane"@example.com',
      { ...plain, localPart: 'jane', canonical: 'jane@example.com' },
    ],
    ['backslashes that are not needed go', '"a\\ \\b"@example.com', { localPart: '"a b"' }],
    ['quotes and backslashes stay escaped', '"a\\"\\\\"@example.com', { localPart: '"a\\"\\\\"' }],
    ['an empty quoted string stays quoted', '""@example.com', { localPart: '""' }],
    [
      'an international domain has both forms',
      'info@BÜCHER.example',
      {
        ...plain,
        domain: 'xn--bcher-kva.example',
        displayDomain: 'bücher.example',
        canonical: 'info@xn--bcher-kva.example',
      },
    ],
    [
      'A-labels are shown as U-labels',
      'a@XN--BCHER-KVA.example',
      { domain: 'xn--bcher-kva.example', displayDomain: 'bücher.example' },
    ],
    ['ideographic dots become dots', 'a@例子。广告', { domain: 'xn--fsqu00a.xn--4rr70v', displayDomain: '例子.广告' }],
    ['ß stays ß', 'a@faß.de', { domain: 'xn--fa-hia.de', displayDomain: 'faß.de' }],
    [
      'full-width letters are narrowed in the domain',
      'a@ｅｘａｍｐｌｅ.com',
      { domain: 'example.com', displayDomain: 'example.com' },
    ],
    ['a UTF-8 local part needs SMTPUTF8', 'Dörte@example.com', { needsSmtpUtf8: true, canonical: 'dörte@example.com' }],
    [
      'a decomposed local part becomes NFC',
      'Do\u0308rte@example.com',
      { localPart: 'Dörte', canonical: 'dörte@example.com' },
    ],
    [
      'an IPv4 literal keeps its brackets',
      'a@[192.0.2.1]',
      { domain: '[192.0.2.1]', displayDomain: '[192.0.2.1]', literal: { family: 4, ip: '192.0.2.1' } },
    ],
    [
      'an IPv6 literal gets its one spelling',
      'a@[ipv6:2001:0DB8:0:0:0:0:0:1]',
      { domain: '[IPv6:2001:db8::1]', literal: { family: 6, ip: '2001:db8::1' }, canonical: 'a@[IPv6:2001:db8::1]' },
    ],
    ['the longest run of zeros is compressed', 'a@[IPv6:1:0:0:2:0:0:0:3]', { domain: '[IPv6:1:0:0:2::3]' }],
    ['a single zero group is not', 'a@[IPv6:1:0:2:3:4:5:6:7]', { domain: '[IPv6:1:0:2:3:4:5:6:7]' }],
    [
      'a mapped IPv4 address stays readable',
      'a@[IPv6:::FFFF:c000:0201]',
      { literal: { family: 6, ip: '::ffff:192.0.2.1' } },
    ],
  ])('%s', (_name, text, address) => expect(addressOf(text)).toMatchObject(address));

  test.each([
    ['Jane@Example.com', '"jane"@example.COM'],
    ['dörte@bücher.example', 'DO\u0308RTE@xn--bcher-kva.example'],
    ['a@[IPv6:::1]', 'A@[IPv6:0:0:0:0:0:0:0:1]'],
    ['"a b"@example.com', '"A\\ B"@example.com'],
  ])('%s and %s are one mailbox', (one, other) => expect(addressOf(one).canonical).toBe(addressOf(other).canonical));
});

test.each(mistakes)('typing errors: %j: %s at %i', (text, code, position, suggestion) => {
  expect(faultOf(text)).toMatchObject({ code, position, suggestion });
});
