import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type OpenRowsOptions, openRows } from '../../src/rows/open-rows.js';
import { textUnfolding } from '../../src/rows/read/scan-lines.js';
import { inPieces, pieceSizes, readAll } from './pieces.js';

type Seen = Awaited<ReturnType<typeof readAll>>;

type Fact = [
  name: string,
  content: string | Buffer,
  want: Partial<Seen>,
  options?: OpenRowsOptions & { name?: string },
];

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

const placeholder = 'holds a placeholder such as "n/a", which counts as empty.';

/** Notes have the row numbers that an editor shows. */
const rowNumberFacts: Fact[] = [
  ['a CSV with empty lines', 'email;x\n\na@x.org;1\n\nn/a;2\n', { notes: [`Row 5 ${placeholder}`] }],
  [
    'lines above the header, one of them empty',
    '\nOur list\n\nof today\n\nemail;x\na@x.org;1\nn/a;2\n',
    { notes: ['2 rows above the table are kept unchanged.', `Row 8 ${placeholder}`] },
    { format: 'csv' },
  ],
  ['a sep= line', 'sep=;\nemail;x\na@x.org;1\nn/a;2\n', { notes: [`Row 4 ${placeholder}`] }],
  [
    'lines that are skipped on request',
    'one\ntwo\nemail;x\n\na@x.org;1\nn/a;2\n',
    { notes: ['2 rows above the table are kept unchanged.', `Row 6 ${placeholder}`] },
    { header: 3 },
  ],
  [
    'a cell of several lines is one row, as in a spreadsheet program',
    'email;x\na@x.org;"1\n2"\nn/a;2\n',
    { notes: [`Row 3 ${placeholder}`] },
  ],
  [
    'a quote that is never closed',
    'email;x\n\na@x.org;1\n\nb@x.org;"2\n',
    { warnings: ['Row 5 opens a quote (") that is never closed; it was read as text.'] },
  ],
  [
    'lines with comments and several addresses',
    '# list\n\na@x.org, b@x.org\nn/a\n\nAda c@x.org\n',
    { notes: [`Row 4 ${placeholder}`, expect.stringContaining('Row 6 holds an address and other text')] },
  ],
  ['NDJSON with empty lines', '"a@x.org"\n\n"n/a"\n', { notes: [`Row 3 ${placeholder}`] }, { format: 'ndjson' }],
];

const csvFacts: Fact[] = [
  [
    'a header, and the column by its name',
    'name,email\nAda,ada@x.org\nBob,bob@x.org\n',
    {
      format: 'csv',
      columns: ['name', 'email'],
      hasHeader: true,
      emailColumn: 1,
      emails: ['ada@x.org', 'bob@x.org'],
      cells: [
        ['Ada', 'ada@x.org'],
        ['Bob', 'bob@x.org'],
      ],
      notes: [],
    },
  ],
  [
    'an address in the first row means that there is no header',
    'Ada,ada@x.org\nBob,bob@x.org',
    { hasHeader: false, columns: ['column_1', 'column_2'], emailColumn: 1, emails: ['ada@x.org', 'bob@x.org'] },
  ],
  [
    'a quoted start of a cell ends where the quote ends, and the next row is a row',
    'name,email\n"Acme" Inc,x@y.com\n"Ada "the first" L.",a@x.org\nBob,b@x.org\n',
    {
      cells: [
        ['Acme Inc', 'x@y.com'],
        ['Ada the first" L."', 'a@x.org'],
        ['Bob', 'b@x.org'],
      ],
    },
  ],
  [
    'a byte order mark is not part of the header',
    '\ufeffemail,name\na@x.org,A\n',
    { columns: ['email', 'name'], emails: ['a@x.org'] },
  ],
  [
    'UTF-16 LE without a mark',
    Buffer.from('name,email\nŁ,l@x.org\n', 'utf16le'),
    { columns: ['name', 'email'], cells: [['Ł', 'l@x.org']] },
  ],
  [
    'UTF-16 BE without a mark',
    utf16be('name,email\nŁ,l@x.org\n'),
    { columns: ['name', 'email'], cells: [['Ł', 'l@x.org']] },
  ],
  [
    'one line of Latin-1 leaves all lines before and after it as UTF-8',
    Buffer.concat([
      Buffer.from('name,email\nÄÖÜ,a@x.org\n'),
      Buffer.from('Jos\xe9,b@x.org\n', 'latin1'),
      Buffer.from('漢字,c@x.org\n'),
    ]),
    {
      cells: [
        ['ÄÖÜ', 'a@x.org'],
        ['José', 'b@x.org'],
        ['漢字', 'c@x.org'],
      ],
      notes: [expect.stringMatching(/^Some cells are not UTF-8/)],
      warnings: [],
    },
  ],
  [
    'Shift-JIS, by the language of the user',
    Buffer.from('96bc914f2c8381815b838b0a8e5293632091be98592c7940782e6f72670a', 'hex'),
    { columns: ['名前', 'メール'], cells: [['山田 太郎', 'y@x.org']], emails: ['y@x.org'] },
    { language: 'ja-JP' },
  ],
  [
    'Shift-JIS with bars as delimiters, which are also second bytes',
    Buffer.from('6e616d657c656d61696c0a837c8358836720837c7c6140782e6f72670a', 'hex'),
    { delimiter: '|', cells: [['ポスト ポ', 'a@x.org']], emails: ['a@x.org'] },
    { encoding: 'shift_jis' },
  ],
  [
    'ISO-2022-JP, which the user names',
    Buffer.from('\x1b$BL>A0\x1b(B,email\n\x1b$B$"\x1b(B,a@x.org\n', 'latin1'),
    { columns: ['名前', 'email'], cells: [['あ', 'a@x.org']] },
    { encoding: 'iso-2022-jp' },
  ],
  [
    'an address that is not UTF-8 is marked, since its encoding is a guess',
    Buffer.from('name,email\nZo\xeb,zo\xeb@x.org\nA,a@x.org\n', 'latin1'),
    {
      emails: ['\ufffdzoë@x.org', 'a@x.org'],
      warnings: [
        'Row 2 has an address in an unknown encoding, which is not vetted. Name it, for example --encoding windows-1252.',
      ],
    },
  ],
  [
    'an address in the encoding that the user names',
    Buffer.from('name,email\nZo\xeb,zo\xeb@x.org\n', 'latin1'),
    { emails: ['zoë@x.org'], warnings: [], notes: [] },
    { encoding: 'windows-1252' },
  ],
  [
    'the last byte of à and of í is no blank at the end of an address',
    'name,email\nA,à@x.org\nB,b@x.orgà\nC, c@x.orgí \n',
    { emails: ['à@x.org', 'b@x.orgà', 'c@x.orgí'] },
  ],
  [
    'a few NULs are kept in cells, but are not part of an address',
    'name,email\nA\0da,a@x.org\0\nBob,b@x.org\n',
    {
      emails: ['a@x.org', 'b@x.org'],
      cells: [
        ['A\0da', 'a@x.org\0'],
        ['Bob', 'b@x.org'],
      ],
    },
  ],
  [
    'UTF-16 without a byte order mark and without a line end has NULs, too',
    Buffer.from('a@x.org', 'utf16le'),
    { emails: ['a@x.org'] },
  ],
  [
    'a NUL at the end of each line does not make UTF-16 of ASCII',
    'email\nab@x.org\0\ncd@x.org\0\n',
    { columns: ['email'], emails: ['ab@x.org', 'cd@x.org'] },
  ],
  [
    'the quotes of a local part, in a cell that is not quoted',
    'email,note\n"a b"@x.org,"c" d\n"""e f""@x.org",\n"g,h"@x.org,\n',
    {
      emails: ['"a b"@x.org', '"e f"@x.org', '"g,h"@x.org'],
      cells: [
        ['"a b"@x.org', 'c d'],
        ['"e f"@x.org', ''],
        ['"g,h"@x.org', ''],
      ],
      notes: [],
    },
  ],
  [
    'a sep= line names the delimiter and is not a row',
    'sep=;\r\nname;email\r\nA, B;a@x.org\r\n',
    { delimiter: ';', columns: ['name', 'email'], cells: [['A, B', 'a@x.org']] },
  ],
  [
    'semicolons with decimal commas',
    'name;sum;email\nA;1,5;a@x.org\nB;2,5;b@x.org\n',
    { delimiter: ';', emailColumn: 2 },
  ],
  [
    'short and long rows are kept, and counted',
    'name,email,city\nA,a@x.org\nB,b@x.org,Rome,extra\nC,c@x.org,Oslo\n',
    {
      cells: [
        ['A', 'a@x.org'],
        ['B', 'b@x.org', 'Rome', 'extra'],
        ['C', 'c@x.org', 'Oslo'],
      ],
      notes: ['2 rows (the first is row 2) hold more or fewer cells than there are columns.'],
    },
  ],
  [
    'a placeholder is not an address, and any other text is vetted unchanged',
    'id,email\n1,a@x.org\n2,-\n3,N/A\n4,none\n5,NULL\n6,\\N\n7, Unknown \n8,nobody\n9,none@\n10,none of these\n',
    {
      emails: ['a@x.org', '', '', '', '', '', '', 'nobody', 'none@', 'none of these'],
      notes: ['6 rows (the first is row 3) hold a placeholder such as "n/a", which counts as empty.'],
    },
  ],
  [
    'empty lines are not rows',
    '\n\nname,email\n\r\nA,a@x.org\n\n\n"B",b@x.org\r\n\r\n\n',
    { emails: ['a@x.org', 'b@x.org'], notes: [] },
  ],
  [
    'one column under a known heading',
    'E-Mail\na@x.org\nb@x.org\n',
    { format: 'csv', columns: ['E-Mail'], emails: ['a@x.org', 'b@x.org'] },
  ],
  [
    'the address is trimmed, the cell is not',
    'name,email\nA,  a@x.org \n',
    { emails: ['a@x.org'], cells: [['A', '  a@x.org ']] },
  ],
  ['gzip, by its first bytes', gzipSync('name,email\nÄ,a@x.org\n'), { format: 'csv', cells: [['Ä', 'a@x.org']] }],
  [
    'gzip of several members in a row',
    Buffer.concat([gzipSync('name,email\nA,a@x.org\n'), gzipSync('B,b@x.org\n')]),
    { emails: ['a@x.org', 'b@x.org'] },
  ],
];

const otherFacts: Fact[] = [
  [
    'lines are trimmed; empty ones and comments are skipped; # before an address is not a comment',
    '\ufeff# my list\n  a@x.org \r\n\n\r\n#b@x.org\nc@x.org\rd@x.org',
    { format: 'lines', columns: ['email'], hasHeader: false, emails: ['a@x.org', '#b@x.org', 'c@x.org', 'd@x.org'] },
  ],
  ['a comma in place of a dot is a typo, not a column', 'a@x,org\nb@x,org\n', { format: 'lines' }],
  [
    'names with commas around addresses are lines',
    'Doe, John <j@x.org>\nRoe, Jane <k@x.org>\n',
    { format: 'lines', emails: ['j@x.org', 'k@x.org'], notes: [] },
  ],
  ...[
    '"Doe, A" <a@x.org>; Bob <b@x.org>; c@x.org',
    '"Doe, A" <a@x.org>, Bob <b@x.org>, c@x.org',
    'To: "Doe, A" <a@x.org>; Bob <b@x.org>; c@x.org',
    'Ada <a@x.org>, "Roe, B" <b@x.org>, c@x.org',
    'Doe, A <a@x.org>; Roe, B <b@x.org>; c@x.org;',
  ].map(
    (line): Fact => [
      `a line of recipients whose names have commas is no table: ${line}`,
      `${line}\n`,
      { format: 'lines', emails: ['a@x.org', 'b@x.org', 'c@x.org'], notes: [], warnings: [] },
    ],
  ),
  ...[
    { content: 'b@x.org,"Doe, A" <a@x.org>,1\n', emails: ['b@x.org'] },
    { content: 'b@x.org;"Doe, A" <a@x.org>\nd@x.org;"Roe, C" <c@x.org>\n', options: { name: 'l.csv' } },
    { content: 'b@x.org\tDoe, A <a@x.org>\nd@x.org\tRoe, C <c@x.org>\n', options: { name: 'l.tsv' } },
    { content: '"Doe, A",b@x.org\n"Roe, C",d@x.org\n' },
  ].map(({ content, options = {}, emails = ['b@x.org', 'd@x.org'] }): Fact => {
    const name = `a table with names that have commas stays one: ${JSON.stringify(content)}`;
    return [name, content, { format: 'csv', emails }, options];
  }),
  ...[',', ';', '|', '\t'].flatMap((delimiter) =>
    [8, 20].map((count): Fact => {
      const emails = Array.from({ length: count }, (_, index) => `user.${index}@x.org`);
      const lines = ['id,mail,note', ...emails.map((email, index) => `${index},${email},x`)];
      const table = lines.join('\n').replaceAll(',', delimiter);
      return [
        `a table of ${count} rows below titles, separated by ${JSON.stringify(delimiter)}`,
        `Report generated 2026-11-18\nAccount: foo\n\n${table}\n`,
        {
          ...{ format: 'csv', columns: ['id', 'mail', 'note'], emails },
          notes: ['2 rows above the table are kept unchanged.'],
        },
      ];
    }),
  ),
  ...['Send it to these:\nname, email\nDoe, Jane <a@x.org>\nb@x.org\n', 'Our team\nTo, Email\na@x.org\nb@x.org\n'].map(
    (content): Fact => [
      `titles above lines of addresses are no table: ${JSON.stringify(content)}`,
      content,
      { format: 'lines' },
    ],
  ),
  [
    'lines with cells around an address are counted, whatever the delimiter',
    'Report\n1|a@x.org|x\n2|b@x.org\nc@x.org\n',
    {
      format: 'lines',
      notes: [
        '2 rows (the first is row 2) hold an address and other text, judged as it stands; --input text takes the addresses out.',
      ],
    },
  ],
  [
    'a line with a name, or a separator at its end, is its address; one with other text stays unchanged, with a note',
    'Ada <a@x.org>\n"Doe, J" <b@x.org>;\n<c@x.org>\nd@x.org,\n- email: e@x.org\n(f@x.org)\nask g@x.org\nnot h@x.org\n',
    {
      format: 'lines',
      emails: ['a@x.org', 'b@x.org', 'c@x.org', 'd@x.org', 'e@x.org', 'f@x.org', 'ask g@x.org', 'not h@x.org'],
      notes: [
        '2 rows (the first is row 7) hold an address and other text, judged as it stands; --input text takes the addresses out.',
      ],
    },
  ],
  [
    'a cell with a name around its address is that address; one with other text stays unchanged, with notes',
    'email,n\nAda <a@x.org>,1\n"""Doe, J"" <b@x.org>",2\nmailto:c@x.org,3\nd@x.org (Dan),4\n<MAILTO:e@x.org>,5\nask f@x.org,6\n',
    {
      format: 'csv',
      emails: ['a@x.org', 'b@x.org', 'c@x.org', 'd@x.org', 'e@x.org', 'ask f@x.org'],
      notes: [
        'Row 7 holds an address and other text, judged as it stands; --input text takes the addresses out.',
        '5 rows (the first is row 2) hold text or invisible characters around the address; only the address is vetted.',
      ],
    },
  ],
  [
    'notes about the cells of several columns name each of them, once',
    'a,b\nAda <a@x.org>,mailto:b@x.org\nn/a,"c@x.org, d@x.org"\n-,ask e@x.org\n',
    {
      emails: ['a@x.org', 'b@x.org', '', 'c@x.org, d@x.org', '', 'ask e@x.org'],
      notes: [
        '2 rows (the first is row 3) hold a placeholder such as "n/a", which counts as empty.',
        'Row 3 holds several addresses, which stay unknown; --input text finds each.',
        'Row 4 holds an address and other text, judged as it stands; --input text takes the addresses out.',
        'Row 2 holds text or invisible characters around the address; only the address is vetted.',
      ],
    },
    { column: 'a,b' },
  ],
  [
    'invisible characters around an address are not part of it; those within it are',
    'email\n\u200ba@x.org\nb@x.org\u200b\u00a0\n\u202ac@x.org\u202c\nd\u200b@x.org\n\ufeffe@x.org\u00ad\n',
    {
      emails: ['a@x.org', 'b@x.org', 'c@x.org', 'd\u200b@x.org', 'e@x.org'],
      notes: [
        '4 rows (the first is row 2) hold text or invisible characters around the address; only the address is vetted.',
      ],
    },
    { format: 'csv' },
  ],
  [
    'blanks, tabs and line ends around an address are not worth a note',
    'email;n\n a@x.org\t;1\n"\nb@x.org\r\n";2\n',
    { emails: ['a@x.org', 'b@x.org'], notes: [] },
    { format: 'csv' },
  ],
  [
    'a JSON array of strings, with every kind of escape',
    '[ "a@x.org" ,"\\u0062@x.org","c\\"]@x.org","\\\\",\n"😀@x.org"]\n',
    { format: 'json', columns: ['email'], emails: ['a@x.org', 'b@x.org', 'c"]@x.org', '\\', '😀@x.org'] },
  ],
  [
    'an element of a JSON array without an address is a row without one',
    '["a@x.org",null,{"id":7},{"email":null}]',
    { emails: ['a@x.org', '', '', ''] },
  ],
  [
    'strings and objects: strings are addresses, objects have them in the field',
    '["a@x.org",{"work":"b@x.org","email":"c@x.org"},{"email":"d@x.org"}]',
    { emails: ['a@x.org', 'b@x.org', ''] },
    { column: 'work' },
  ],
  [
    'a line is a placeholder by the same rule as a cell',
    'a@x.org\nnone\n-\nn/a\nnobody\n',
    {
      emails: ['a@x.org', '', '', '', 'nobody'],
      cells: [['a@x.org'], ['none'], ['-'], ['n/a'], ['nobody']],
      notes: ['3 rows (the first is row 2) hold a placeholder such as "n/a", which counts as empty.'],
    },
  ],
  [
    'LDIF as text: folded lines, and values in base64',
    'version: 1\ndn: uid=a\nmail: a@x.o\n rg\nmail:: YkB4Lm9\n yZw==\nuid: a\n\ndn: uid=c\nmail: c@x.org',
    { format: 'text', emails: ['a@x.org', 'b@x.org', 'c@x.org'] },
    { format: 'text' },
  ],
  [
    'a message whose lines were broken in two',
    'From: a@x.org\nTo: b@x.org,\n c@x.org\n\nwrite to jane.doe@exa=\nmple.org today=\n\n d@x.org=3D\n',
    { format: 'text', emails: ['a@x.org', 'b@x.org', 'c@x.org', 'jane.doe@example.org', 'd@x.org'] },
    { format: 'text' },
  ],
  [
    'LDIF is text by its first lines',
    'version: 1\ndn: uid=a,dc=x\nmail: a@x.o\n rg\nmail;lang-de:: YkB4Lm9\n yZw==\n',
    { format: 'text', emails: ['a@x.org', 'b@x.org'] },
  ],
  [
    'a vCard is text by its first line',
    'BEGIN:VCARD\r\nVERSION:2.1\r\nEMAIL;INTERNET:a@x.o\r\n rg\r\nitem1.EMAIL;type=WORK:b@x.org\r\nEND:VCARD\r\n',
    { format: 'text', emails: ['a@x.org', 'b@x.org'] },
  ],
  [
    'a mailbox of a mail server: all addresses but message ids',
    'From MAILER-DAEMON Mon Jan  1 00:00:00 2024\nFrom: a@x.org\nMessage-ID: <1@x.org>\n\nb@x.org\n',
    { format: 'text', emails: ['a@x.org', 'b@x.org'] },
  ],
  ['an empty JSON array', ' [ ] ', { format: 'json', emails: [] }],
  ['a field named __proto__', '{"__proto__":"a@x.org"}\n', { emails: ['a@x.org'] }, { column: '__proto__' }],
  [
    'NDJSON of objects; a line that is not JSON is vetted unchanged',
    '{"email":"a@x.org"}\r\n\n{"email":\n{"mail":"b@x.org"}\n{"id":3}\n"c@x.org"\nd@x.org',
    { format: 'ndjson', emails: ['a@x.org', '{"email":', 'b@x.org', '', 'c@x.org', 'd@x.org'] },
  ],
  [
    'another field only for an object without the first one',
    '[{"email":"a@x.org"},{"mail":"b@x.org"},{"mail":"no@x.org","email":"c@x.org"}]',
    { format: 'json', columns: ['email', 'mail'], emails: ['a@x.org', 'b@x.org', 'c@x.org'] },
  ],
  [
    'tabs by the name of the file',
    'a, b\temail\n1, 2\ta@x.org\n',
    { format: 'csv', delimiter: '\t', emails: ['a@x.org'] },
    { name: 'list.tsv' },
  ],
];

describe.each(pieceSizes)('in pieces of %i bytes', (size) => {
  const expectRead = async (...[_name, content, want, options]: Fact) =>
    expect(await readAll(content, size, options)).toMatchObject(want);
  test.each(rowNumberFacts)('row numbers: %s', expectRead);
  test.each(csvFacts)('csv: %s', expectRead);
  test.each(otherFacts)('%s', expectRead);
});

test('a byte that is not UTF-8 behind a megabyte of ASCII is shown, and held', async () => {
  const ascii = 'name,email\n'.concat('Ada,ada@x.org\n'.repeat(70_000));
  const content = Buffer.concat([Buffer.from(ascii), Buffer.from('Jos\xe9,jose@x.org\n', 'latin1')]);
  expect((await readAll(content, 65536)).cells.at(-1)).toEqual(['José', 'jose@x.org']);
});

test('a line of a million characters becomes one truncated row, and the lines around it are complete', async () => {
  const { emails } = await readAll(`a@x.org\n${'x'.repeat(1_000_000)}\nb@x.org\n`, 65536);
  expect(emails).toEqual(['a@x.org', `${'x'.repeat(1000)}…`, 'b@x.org']);
});

test('a caller that shares the CPU gets the rows a few at a time, from the first one', async () => {
  const caller = { priority: 'job', owner: 'a key', taskId: 'a download' } as const;
  const list = Array.from({ length: 20_000 }, (_, index) => `u${index}@x.org`);
  const stream = inPieces(`email\n${list.join('\n')}\n`, 65_536);
  const source = await openRows({ stream, name: 'list.csv' }, { caller });
  const emails: string[] = [];
  let largestChunk = 0;
  for await (const chunk of source.chunks) {
    largestChunk = Math.max(largestChunk, chunk.length);
    emails.push(...chunk.map(({ email }) => email));
  }
  expect(emails).toEqual(list);
  expect(largestChunk).toBeLessThan(500);
});

test('a header is complete if a pipe pauses after its carriage return', async () => {
  const stream = new PassThrough();
  stream.write('name|email\r');
  const opened = await openRows({ stream, name: 'list.csv' });
  stream.end('Ada|ada@x.org\r');
  expect(opened.columns).toEqual(['name', 'email']);
  const rows: (readonly string[])[] = [];
  for await (const chunk of opened.chunks) rows.push(...chunk.map(({ cells }) => cells));
  expect(rows).toEqual([['Ada', 'ada@x.org']]);
});

test('an endless first row is refused instead of becoming a table without columns', async () => {
  const stream = inPieces(`${'column,'.repeat(400_000)}\n`, 65_536);
  await expect(openRows({ stream, name: 'list.csv' })).rejects.toThrow(/^Row 1 is longer than 1,048,576 characters\.$/);
});

test('lines that could begin an LDIF file are detected in linear time', () => {
  expect(textUnfolding(`${'version: 1\n\n'.repeat(200)}x`)).toBeNull();
});
