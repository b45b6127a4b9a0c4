import { describe, expect, test } from 'vitest';
import { parseAddress, renderAddress } from '../../../src/engine/grammar/parse-address.js';
import type { Address, SyntaxFault } from '../../../src/model/address.js';
import { invalidAddresses } from './invalid-addresses.js';
import { validAddresses } from './valid-addresses.js';

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
const shown = (text: string): string =>
  text.length > 90 ? `${text.slice(0, 90)}… (${text.length})` : JSON.stringify(text);

describe('the table of addresses', () => {
  test.each(valid.map((row) => ({ ...row, name: shown(row.text) })))('$why: $name', ({ text }) => {
    expect(parseAddress(text)).toMatchObject({ ok: true });
  });

  test.each(invalid.map((row) => ({ ...row, name: shown(row.text) })))('$code: $name', ({ text, code }) => {
    expect(faultOf(text).code).toBe(code);
  });

  test('every address stays what it is when it is rendered and parsed again', () => {
    for (const { text } of valid) {
      const address = addressOf(text);
      expect(addressOf(renderAddress(address))).toEqual(address);
      expect(addressOf(`${address.localPart}@${address.displayDomain}`)).toEqual(address);
    }
  });

  test('every fault is a whole sentence with a position inside the text and a suggestion that parses', () => {
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
  ])('%s', (_name, text, address) => {
    expect(addressOf(text)).toMatchObject(address);
  });

  test.each([
    ['Jane@Example.com', '"jane"@example.COM'],
    ['dörte@bücher.example', 'DO\u0308RTE@xn--bcher-kva.example'],
    ['a@[IPv6:::1]', 'A@[IPv6:0:0:0:0:0:0:0:1]'],
    ['"a b"@example.com', '"A\\ B"@example.com'],
  ])('%s and %s are one mailbox', (one, other) => {
    expect(addressOf(one).canonical).toBe(addressOf(other).canonical);
  });
});

describe('slips', () => {
  test.each<[text: string, code: string, position: number, suggestion: string | null]>([
    ['jane@gmail', 'domain_single_label', 5, 'jane@gmail.com'],
    ['jane@server', 'domain_single_label', 5, null],
    ['Jane Doe <jane@example.com>', 'display_name', 0, 'jane@example.com'],
    ['"Doe, Jane" <jane@example.com>', 'display_name', 0, 'jane@example.com'],
    ['Jane <mailto:jane@example.com>', 'display_name', 0, 'jane@example.com'],
    ['<jane@example.com>', 'angle_brackets', 0, 'jane@example.com'],
    ['jane@example.com>', 'angle_brackets', 16, 'jane@example.com'],
    ['  jane@example.com', 'surrounding_space', 0, 'jane@example.com'],
    ['jane@example.com \t', 'surrounding_space', 16, 'jane@example.com'],
    ['  jane doe@example.com ', 'contains_space', 6, null],
    [' jane@example.com. ', 'domain_trailing_dot', 17, 'jane@example.com'],
    ['jane@example.com.', 'domain_trailing_dot', 16, 'jane@example.com'],
    ['jane@example,com', 'domain_comma', 12, 'jane@example.com'],
    ['jane@example.com,', 'domain_comma', 16, 'jane@example.com'],
    ['jane@example;com', 'domain_bad_character', 12, 'jane@example.com'],
    ['jane@example.com;', 'domain_bad_character', 16, 'jane@example.com'],
    ['mailto:jane@example.com', 'mailto_scheme', 0, 'jane@example.com'],
    ['mailto:jane@example.com?subject=Hello', 'mailto_scheme', 0, 'jane@example.com'],
    ['http://jane@example.com/', 'web_address', 0, 'jane@example.com'],
    ['https://example.com/', 'web_address', 0, null],
    ['jane＠example.com', 'fullwidth_at', 4, 'jane@example.com'],
    ['ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'fullwidth_at', 4, 'jane@example.com'],
    ['jane@@example.com', 'multiple_at', 5, 'jane@example.com'],
    ['jane@doe@example.com', 'multiple_at', 8, null],
    ['jane @example.com', 'contains_space', 4, 'jane@example.com'],
    ['jane@ example.com', 'contains_space', 5, 'jane@example.com'],
    ['jane . doe @ example . com', 'contains_space', 4, 'jane.doe@example.com'],
    ['jane doe@example.com', 'contains_space', 4, null],
    ['jane@example com', 'contains_space', 12, 'jane@example.com'],
    ['jane@mail.example com', 'contains_space', 17, 'jane@mail.example.com'],
    ['jane@example.co uk', 'contains_space', 15, 'jane@example.co.uk'],
    ['jane@example.co m', 'contains_space', 15, 'jane@example.com'],
    ['jane@example.com Jane', 'contains_space', 16, 'jane@example.com'],
    ['jane@example.com - do not use', 'contains_space', 16, 'jane@example.com'],
    ['jane@example.com,Jane', 'domain_comma', 16, 'jane@example.com'],
    ['jane@example.com;Jane', 'domain_bad_character', 16, 'jane@example.com'],
    ['jane at example.com', 'missing_at', 5, 'jane@example.com'],
    ['jane (AT) example (DOT) com', 'missing_at', 6, 'jane@example.com'],
    ['jane.example.com', 'missing_at', 16, null],
    ['.jane@example.com', 'local_leading_dot', 0, 'jane@example.com'],
    ['jane.@example.com', 'local_trailing_dot', 4, 'jane@example.com'],
    ['jane..doe@example.com', 'local_double_dot', 5, 'jane.doe@example.com'],
    ['jane@.example.com', 'domain_leading_dot', 5, 'jane@example.com'],
    ['jane@example..com', 'domain_double_dot', 13, 'jane@example.com'],
    ['a@example.com; b@example.com', 'several_addresses', 13, null],
    ['jane@example.com:25', 'domain_port_or_path', 16, 'jane@example.com'],
    ['jane@example.com/inbox', 'domain_port_or_path', 16, 'jane@example.com'],
    ['jane@192.0.2.1', 'domain_numeric_tld', 13, 'jane@[192.0.2.1]'],
    ['jane@[2001:db8::1]', 'literal_unknown_tag', 6, 'jane@[IPv6:2001:db8::1]'],
    ['jane@[IPv6:1:2:3::5:6:7:8]', 'literal_bad_ipv6', 11, 'jane@[IPv6:1:2:3:0:5:6:7:8]'],
    ['jane@[192.0.2.1', 'literal_unclosed', 5, 'jane@[192.0.2.1]'],
    ['"jane@example.com"', 'surrounding_quotes', 0, 'jane@example.com'],
    ['“jane@example.com”', 'surrounding_quotes', 0, 'jane@example.com'],
    ['jane(work)@example.com', 'comment', 4, 'jane@example.com'],
    ['jane@example.com (Jane Doe)', 'comment', 17, 'jane@example.com'],
    ['jane doe (x)@example.com', 'contains_space', 4, null],
    ['email: jane@example.com', 'mailto_scheme', 0, 'jane@example.com'],
    ['<<jane@example.com>>', 'angle_brackets', 0, 'jane@example.com'],
    ['jane@example.com@', 'multiple_at', 16, 'jane@example.com'],
    ['@jane@example.com', 'local_empty', 0, 'jane@example.com'],
    ['jane%40example.com', 'missing_at', 18, 'jane@example.com'],
    ['jane@example.com!', 'domain_bad_character', 16, 'jane@example.com'],
    ['"jane".doe@example.com', 'obsolete_form', 6, 'jane.doe@example.com'],
    ['Abc\\@def@example.com', 'obsolete_form', 3, '"Abc@def"@example.com'],
    ['just"not"right@example.com', 'obsolete_form', 4, null],
    ['<@relay.example:jane@example.com>', 'obsolete_form', 1, 'jane@example.com'],
    ['ja\u200bne@example.com', 'invisible_character', 2, 'jane@example.com'],
    ['ja\tne@example.com', 'control_character', 2, 'jane@example.com'],
    ['"a<b"@exam_ple.com', 'domain_bad_character', 10, null],
    ['jane@bücher,example', 'domain_comma', 11, 'jane@bücher.example'],
    [`${'x'.repeat(65)}@example.com`, 'local_too_long', 64, null],
    [`${'é'.repeat(33)}@example.com`, 'local_too_long', 32, null],
    [`jane@mail.${'x'.repeat(64)}.com`, 'label_too_long', 10, null],
    ['jane@bücher.xn--0.com', 'label_bad_idn', 12, null],
    ['jane@bücher.co©m', 'domain_bad_character', 14, null],
    ['jane@example.123', 'domain_numeric_tld', 13, null],
  ])('%j: %s at %i', (text, code, position, suggestion) => {
    expect(faultOf(text)).toMatchObject({ code, position, suggestion });
  });
});
