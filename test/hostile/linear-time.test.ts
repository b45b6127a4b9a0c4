import { describe, expect, test } from 'vitest';
import { parseUserList } from '../../src/engine/lists/user-lists.js';
import { Failure } from '../../src/model/failure.js';
import { parseResolver } from '../../src/net/dns/resolver-address.js';
import { addressLiteral } from '../../src/net/smtp/identity.js';
import { isAddressLines } from '../../src/rows/read/csv/detect-dialect.js';
import { openCharset } from '../../src/rows/read/decode/charset.js';
import { nameRank } from '../../src/rows/read/email-column.js';
import { findAddresses } from '../../src/rows/read/find-addresses.js';
import { escapeFormula } from '../../src/rows/table/formula.js';
import { maskPrivateText } from '../../src/server/observe/log.js';
import { bouncesOf } from '../../src/service/bounces/read-events.js';
import { parseValue } from '../../src/settings/resolve.js';
import { numberIn } from '../../src/wire/fields.js';
import { errorText } from '../../src/wire/problem.js';
import { serviceRoot } from '../../src/wire/routes.js';

/** In quadratic time each of these takes minutes, so the suite's own limit is the measure. */
const length = 1_000_000;

describe('a million characters that provoke backtracking are read in linear time', () => {
  test.each<[name: string, read: () => unknown, want: unknown]>([
    ['digits in the name of a column', () => nameRank(`${'1'.repeat(length)}x`), 0],
    ['digits in a number of an answer', () => numberIn(`${'1'.repeat(length)}!`), null],
    [
      'slashes in a base URL',
      () => serviceRoot(`http://127.0.0.1${'/'.repeat(length)}x`).pathname.endsWith('x/api/v1'),
      true,
    ],
    [
      'comments in a line of a user list that an odd line end cuts short',
      () => parseUserList(`a.com${' #'.repeat(length / 2)}\u2028x`, 'list').matchHost('a.com'),
      'a.com',
    ],
    [
      'NUL characters in a cell that is no formula',
      () => escapeFormula(`\t${'\0'.repeat(length)} x`).length,
      length + 4,
    ],
    ['parameters of links before many signs @', () => findAddresses(`${'?a='.repeat(90)} @x`.repeat(length / 300)), []],
    ['signs @ in the first line', () => isAddressLines(`\t${'@'.repeat(length)} x`, openCharset(null, 'en')), false],
    [
      'blanks in the recipient of a bounce',
      () => bouncesOf(`${' '.repeat(length)}x`, '', { date: '', reporting_mta: '', message_id: '' }, () => null),
      [],
    ],
    ['brackets in a line of the log', () => maskPrivateText('['.repeat(length)).length, 4_000],
    ['addresses in a line of the log', () => maskPrivateText('to a@b.co, "c%40d.co".'), 'to …@…, "…@…".'],
    [
      'quoted local parts in a line of the log',
      () => maskPrivateText(String.raw`"ada lovelace"@b.co and "a\"b, c"@[192.0.2.1] of "names"`),
      '…@… and …@… of "names"',
    ],
    ['quotes in a line of the log', () => maskPrivateText('"\\'.repeat(length / 2)).length, 4_000],
    [
      'percent signs in the name of our own address',
      () => addressLiteral(`::1${'%'.repeat(length)}\u2028x`),
      '[IPv6:::1]',
    ],
  ])('%s', (_name, read, want) => expect(read()).toEqual(want));

  test('slashes in a setting hide no password', () => {
    const parse = (text: string) => () => parseValue('baseUrl', text, { from: 'flag', name: '--base-url' });
    expect(parse('/'.repeat(length))).toThrow(Failure);
    expect(parse(`x://u:${'secret'.repeat(1_000)}@h`)).toThrow('x://********@h');
  });

  test('letters in place of a resolver', () => expect(() => parseResolver(`${'a'.repeat(length)}!`)).toThrow(Failure));

  test.each(['<', '<title', '<script', '<h1 <script>', '<style ></style'])('%j in pages of errors', (piece) => {
    const page = piece.repeat(20_000 / piece.length);
    for (let times = 0; times < 400; times++) expect(errorText(page).length).toBeLessThanOrEqual(300);
  });
});
