import { describe, expect, test } from 'vitest';
import { columnByName, findEmailColumn, nameRank } from '../../../src/rows/read/email-column.js';

test.each([
  ['email', 2],
  ['E-Mail', 2],
  ['EMAIL_ADDRESS', 2],
  ['Email 1', 2],
  [' e mail ', 2],
  ['mail', 2],
  ['Correo electrónico', 2],
  ['courriel', 2],
  ['E-Mail-Adresse', 2],
  ['メールアドレス', 2],
  ['电子邮件', 2],
  ['이메일', 2],
  ['Электронная почта', 2],
  ['البريد الإلكتروني', 2],
  ['billing_email', 1],
  ['email_status', 0],
  ['Mailing City', 0],
  ['email_opt_in', 0],
  ['name', 0],
  ['', 0],
])('the name %j ranks %i', (name, rank) => expect(nameRank(name)).toBe(rank));

test.each([
  { name: 'by its name, with nothing in it yet', header: ['id', 'email'], rows: [], want: 1 },
  { name: 'by content, if no name indicates it', header: ['a', 'b'], rows: [['x', 'a@x.org']], want: 1 },
  { name: 'by content, without a header', header: null, rows: [['x', 'a@x.org']], want: 1 },
  {
    name: 'a column with addresses wins over a name without any',
    header: ['email', 'contact'],
    rows: [
      ['yes', 'a@x.org'],
      ['no', 'b@x.org'],
    ],
    want: 1,
  },
  {
    name: 'a column is found by its name, even if most of its addresses are faulty',
    header: ['email', 'notes'],
    rows: [
      ['a@x.org', 'see c@x.org'],
      ['nobody', 'see d@x.org'],
      ['nothing', 'see e@x.org'],
    ],
    want: 0,
  },
  {
    name: 'never the suggestions of an earlier run',
    header: ['contact', 'mailvet_did_you_mean'],
    rows: [
      ['a@x.org', ''],
      ['b@gmial.com', 'b@gmail.com'],
    ],
    want: 0,
  },
  {
    name: 'the better name of two full columns',
    header: ['referrer email', 'email'],
    rows: [['r@x.org', 'a@x.org']],
    want: 1,
  },
  { name: 'the first of two equals', header: ['Email 1', 'Email 2'], rows: [['a@x.org', 'b@x.org']], want: 0 },
  ...['Owner Email', 'created_by_email', 'Referrer Email', 'E-Mail Vertreter', 'Contact Owner: Email', 'Website'].map(
    (other) => ({
      name: `a name that contains email wins over ${other}, however full it is`,
      header: ['Email', other],
      rows: [
        ['a@x.org', 'o@x.org'],
        ['', 'p@x.org'],
        ['', 'q@x.org'],
        ['', 'r@x.org'],
        ['', 's@x.org'],
      ],
      want: 0,
    }),
  ),
  {
    name: 'the name of a column whose cells have names or several addresses',
    header: ['Email', 'Login'],
    rows: [
      ['Ada <ada@x.org>', 'ada@y.org'],
      ['b@x.org, c@x.org', 'bob@y.org'],
    ],
    want: 0,
  },
  { name: 'the only column', header: ['list'], rows: [['x']], want: 0 },
  { name: 'none', header: ['a', 'b'], rows: [['x', 'y']], want: null },
  { name: 'handles are not addresses', header: ['twitter', 'x'], rows: [['@ada', 'y']], want: null },
])('findEmailColumn: $name', ({ header, rows, want }) => {
  expect(findEmailColumn(header, rows)?.column ?? null).toBe(want);
});

test.each([
  [['Email', 'Login'], null, [['a@x.org', 'b@x.org']]],
  [['email', 'email'], 1, [['a@x.org', 'b@x.org']]],
  [['a', 'b'], 1, [['a@x.org', 'b@x.org']]],
  // One address in 22 rows is nobody's main column.
  [
    ['E-Mail-Adresse', 'E-Mail 2'],
    null,
    Array.from({ length: 22 }, (_, row) => [`a${row}@x.org`, row === 3 ? 'b@x.org' : '']),
  ],
  [
    ['E-Mail-Adresse', 'E-Mail 2'],
    1,
    Array.from({ length: 22 }, (_, row) => [`a${row}@x.org`, row % 2 === 0 ? 'b@x.org' : '']),
  ],
  [
    ['Email', 'Login'],
    1,
    [
      ['a@x.org', 'b@x.org'],
      ['', 'c@x.org'],
      ['', 'd@x.org'],
    ],
  ],
])('%s: the alternative is %s', (header, alternative, rows) => {
  expect(findEmailColumn(header, rows)?.alternative).toBe(alternative);
});

describe('columnByName', () => {
  const columns = ['Name', 'E-Mail', '1', 'mail'];
  test.each([
    { wanted: 'mail', want: 3 },
    { wanted: 'e-mail', want: 1 },
    { wanted: 'E Mail', want: 1 },
    { wanted: '2', want: 1 },
    { wanted: '1', want: 2 },
  ])('$wanted is column $want', ({ wanted, want }) => expect(columnByName(wanted, columns)).toBe(want));

  test.each([
    { wanted: 'mial', hint: 'Did you mean "mail"? The columns are: 1 "Name", 2 "E-Mail", 3 "1", 4 "mail".' },
    { wanted: '7', hint: 'The columns are: 1 "Name", 2 "E-Mail", 3 "1", 4 "mail".' },
    { wanted: 'address', hint: 'The columns are: 1 "Name", 2 "E-Mail", 3 "1", 4 "mail".' },
  ])('$wanted is not a column, and the hint lists the columns', ({ wanted, hint }) => {
    expect(() => columnByName(wanted, columns)).toThrow(
      expect.objectContaining({ code: 'usage', message: `There is no column "${wanted}".`, hint }),
    );
  });
});
