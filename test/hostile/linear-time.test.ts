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
  test.each<{ name: string; read: () => unknown; want: unknown }>([
    { name: 'digits in the name of a column', read: () => nameRank(`${'1'.repeat(length)}x`), want: 0 },
    { name: 'digits in a number of an answer', read: () => numberIn(`${'1'.repeat(length)}!`), want: null },
    {
      name: 'slashes in a base URL',
      read: () => serviceRoot(`http://127.0.0.1${'/'.repeat(length)}x`).pathname.endsWith('x/api/v1'),
      want: true,
    },
    {
      name: 'comments in a line of a user list that an odd line end cuts short',
      read: () => parseUserList(`a.com${' #'.repeat(length / 2)}\u2028x`, 'list').matchHost('a.com'),
      want: 'a.com',
    },
    {
      name: 'NUL characters in a cell that is no formula',
      read: () => escapeFormula(`\t${'\0'.repeat(length)} x`).length,
      want: length + 4,
    },
    {
      name: 'parameters of links before many signs @',
      read: () => findAddresses(`${'?a='.repeat(90)} @x`.repeat(length / 300)),
      want: [],
    },
    {
      name: 'signs @ in the first line',
      read: () => isAddressLines(`\t${'@'.repeat(length)} x`, openCharset(null, 'en')),
      want: false,
    },
    {
      name: 'blanks in the recipient of a bounce',
      read: () => bouncesOf(`${' '.repeat(length)}x`, '', { date: '', reporting_mta: '', message_id: '' }, () => null),
      want: [],
    },
    { name: 'brackets in a line of the log', read: () => maskPrivateText('['.repeat(length)).length, want: 4_000 },
    {
      name: 'addresses in a line of the log',
      read: () => maskPrivateText('to a@b.co, "c%40d.co".'),
      want: 'to …@…, "…@…".',
    },
    {
      name: 'quoted local parts in a line of the log',
      read: () => maskPrivateText(String.raw`"ada lovelace"@b.co and "a\"b, c"@[192.0.2.1] of "names"`),
      want: '…@… and …@… of "names"',
    },
    { name: 'quotes in a line of the log', read: () => maskPrivateText('"\\'.repeat(length / 2)).length, want: 4_000 },
    {
      name: 'percent signs in the name of our own address',
      read: () => addressLiteral(`::1${'%'.repeat(length)}\u2028x`),
      want: '[IPv6:::1]',
    },
  ])('$name', ({ read, want }) => expect(read()).toEqual(want));

  test('slashes in a setting hide no password', () => {
    const parse = (text: string) => () => parseValue('baseUrl', text, { from: 'flag', name: '--base-url' });
    expect(parse('/'.repeat(length))).toThrow(Failure);
    expect(parse(`x://u:${'secret'.repeat(1_000)}@h`)).toThrow('x://********@h');
  });

  test('letters in place of a resolver', () => {
    expect(() => parseResolver(`${'a'.repeat(length)}!`)).toThrow(Failure);
  });

  test.each(['<', '<title', '<script', '<h1 <script>', '<style ></style'])('%j in pages of errors', (piece) => {
    const page = piece.repeat(20_000 / piece.length);
    for (let times = 0; times < 400; times++) expect(errorText(page).length).toBeLessThanOrEqual(300);
  });
});
