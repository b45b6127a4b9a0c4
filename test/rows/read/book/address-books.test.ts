import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type OpenRowsOptions, openRows } from '../../../../src/rows/open-rows.js';
import { inPieces, pieceSizes, readAll } from '../../pieces.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const card = (...lines: string[]): string => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n');
/** A photo, folded as programs do it. */
const photo = `${'\r\n '}${Array.from({ length: 40 }, () => 'EMAIL:/9j/4AAQSkZJRgABAQ=').join('\r\n ')}`;

interface Fact {
  name: string;
  content: string | Buffer;
  options?: OpenRowsOptions & { name?: string };
  /** Names and addresses. */
  cells: string[][];
  emails?: string[];
  notes?: string[];
  account?: string;
}

const vcards: Fact[] = [
  {
    name: 'Apple: groups, labels, several addresses, a photo, no address',
    content:
      card(
        'VERSION:3.0',
        'PRODID:-//Apple Inc.//macOS 14.5//EN',
        'N:Doe;Jane;;;',
        'FN:Jane Doe',
        'EMAIL;type=INTERNET;type=HOME;type=pref:jane@x.org',
        'item1.EMAIL;type=INTERNET:jane.doe@y.org',
        'item1.X-ABLabel:_$!<Other>!$_',
        `PHOTO;ENCODING=b;TYPE=JPEG:${photo}`,
      ) + card('VERSION:3.0', 'N:;;;;', 'FN:Acme\\, Inc.', 'ORG:Acme\\, Inc.;', 'X-ABShowAs:COMPANY', 'TEL:+1 555'),
    cells: [
      ['Jane Doe', 'jane@x.org'],
      ['Jane Doe', 'jane.doe@y.org'],
      ['Acme, Inc.', ''],
    ],
    account: 'Read 3 rows: 2 addresses in the column "email", 1 row without an address.',
  },
  {
    name: 'Google: an address before the name, and as the name',
    content:
      card('VERSION:3.0', 'EMAIL;TYPE=INTERNET;TYPE=HOME:a@x.org', 'FN:Ada', 'CATEGORIES:myContacts') +
      card('VERSION:3.0', 'FN:b@x.org', 'N:;;;;', 'EMAIL;TYPE=INTERNET:b@x.org'),
    cells: [
      ['Ada', 'a@x.org'],
      ['b@x.org', 'b@x.org'],
    ],
    account: 'Read 2 rows: 2 addresses in the column "email".',
  },
  {
    name: 'Outlook: version 2.1, quoted-printable in a charset, soft line breaks',
    content: card(
      'VERSION:2.1',
      'N;LANGUAGE=de;CHARSET=Windows-1252;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6rg;;Dr.',
      'LABEL;WORK;PREF;ENCODING=QUOTED-PRINTABLE:Hauptstr. 1=0D=0A=',
      'EMAIL:no@x.org=0D=0A=',
      ' Bonn',
      'PHOTO;TYPE=JPEG;ENCODING=BASE64:',
      ' /9j/4AAQSkZJRgABAQEAYABgAAD=',
      '',
      'EMAIL;PREF;INTERNET:joerg@x.org',
      'EMAIL;INTERNET;ENCODING=QUOTED-PRINTABLE:j=40x=',
      '.org',
    ),
    cells: [
      ['Dr. Jörg Müller', 'joerg@x.org'],
      ['Dr. Jörg Müller', 'j@x.org'],
    ],
  },
  {
    name: 'phones: base64 in version 2.1 and 3.0',
    content:
      card('VERSION:2.1', `FN;CHARSET=UTF-8;ENCODING=BASE64:${base64('Zoë')}`, `EMAIL;BASE64:${base64('a@x.org')}`) +
      card('VERSION:3.0', 'FN:B', 'EMAIL;ENCODING=b;TYPE=HOME:YkB4Lm9\r\n yZw==', 'EMAIL;TYPE=b:c@x.org'),
    cells: [
      ['Zoë', 'a@x.org'],
      ['B', 'b@x.org'],
      ['B', 'c@x.org'],
    ],
  },
  {
    name: 'folded lines, lower case, parameters with a colon, escapes',
    content:
      'begin:vcard\nfn:Jane\\; \n D\\,\n\toe\\nJr.\nemail;x-label="a:b;c";type="work,home":jane.d\n oe@x.org\nend:vcard\n',
    cells: [['Jane; D,oe Jr.', 'jane.doe@x.org']],
  },
  {
    name: 'a line that is folded after the name of its property',
    content: card('FN', ' :Jane', 'item1.EMAIL', ' ;TYPE=work:jane@x.org'),
    cells: [['Jane', 'jane@x.org']],
  },
  {
    name: 'a value is one cell, judged as it stands',
    content: card(
      'FN:Jane',
      'EMAIL:jane@contoso,com',
      'EMAIL:jane@contoso.com\\,uk',
      'EMAIL:not an address',
      'EMAIL:jane.contoso.com',
      'EMAIL:a b@x.org',
      'EMAIL:mailto:c@x.org',
      'EMAIL:Jane Doe <d@x.org>',
    ),
    cells: [
      ['Jane', 'jane@contoso,com'],
      ['Jane', 'jane@contoso.com,uk'],
      ['Jane', 'not an address'],
      ['Jane', 'jane.contoso.com'],
      ['Jane', 'a b@x.org'],
      ['Jane', 'mailto:c@x.org'],
      ['Jane', 'Jane Doe <d@x.org>'],
    ],
    emails: [
      'jane@contoso,com',
      'jane@contoso.com,uk',
      'not an address',
      'jane.contoso.com',
      'a b@x.org',
      'c@x.org',
      'd@x.org',
    ],
    account: 'Read 7 rows: 7 addresses in the column "email".',
  },
  {
    name: 'an empty address beside another is not a row',
    content: card('FN:A', 'EMAIL;HOME:', 'EMAIL;WORK:a@x.org') + card('FN:B', 'EMAIL: ') + card('FN:C', 'EMAIL:n/a'),
    cells: [
      ['A', 'a@x.org'],
      ['B', ''],
      ['C', 'n/a'],
    ],
    emails: ['a@x.org', '', ''],
    account: 'Read 3 rows: 1 address in the column "email", 2 rows without an address.',
  },
  {
    name: 'cards that do not end, and one within another',
    content: `BEGIN:VCARD\nFN:A\nEMAIL:a@x.org\nBEGIN:VCARD\nFN:B\nAGENT:\n${card('FN:C', 'EMAIL:c@x.org')}EMAIL:b@x.org\nEND:VCARD\nBEGIN:VCARD\nFN:D\nEMAIL:d@x.o`,
    cells: [
      ['A', 'a@x.org'],
      ['B', ''],
      ['C', 'c@x.org'],
      ['', 'b@x.org'],
      ['D', 'd@x.o'],
    ],
  },
  {
    name: 'UTF-16 with a byte order mark',
    content: Buffer.from(`\ufeff${card('FN:Zoë', 'EMAIL:z@x.org')}`, 'utf16le'),
    cells: [['Zoë', 'z@x.org']],
  },
  {
    name: 'gzip, and a byte order mark',
    content: gzipSync(`\ufeff${card('FN:Zoë', 'EMAIL:z@x.org')}`),
    cells: [['Zoë', 'z@x.org']],
  },
  {
    name: '--split-cells, and the column by its name',
    content: card('FN:A', 'EMAIL:a@x.org\\, b@x.org') + card('FN:C', 'EMAIL:c@x.org'),
    options: { splitCells: true, column: 'email' },
    cells: [
      ['A', 'a@x.org'],
      ['A', 'b@x.org'],
      ['C', 'c@x.org'],
    ],
  },
];

const ldif: Fact[] = [
  {
    name: 'Thunderbird: a second address, base64, a list of addresses',
    content: `dn: cn=Jane Doe,mail=jane@x.org\r\nobjectclass: top\r\ncn: Jane Doe\r\nmail: jane@x.org\r\nmozillaSecondEmail: jd@y.org\r\n\r\ndn:: ${base64('cn=Jörg,mail=j@x.org')}\r\ncn:: ${base64('Jörg')}\r\nmail: j@x.org\r\n\r\ndn: cn=Friends\r\nobjectclass: groupOfNames\r\ncn: Friends\r\nmember: cn=Jane Doe,mail=jane@x.org\r\n\r\n`,
    cells: [
      ['Jane Doe', 'jane@x.org'],
      ['Jane Doe', 'jd@y.org'],
      ['Jörg', 'j@x.org'],
      ['Friends', ''],
    ],
    account: 'Read 4 rows: 3 addresses in the column "email", 1 row without an address.',
  },
  {
    name: 'ldapsearch: comments, folded lines and comments, photos, the result at the end',
    content: `# extended LDIF\n#\n# LDAPv3\n\n# a, x.org\ndn: uid=a,dc=x,dc=org\ndisplayName: Ada\n# mail: no@x.org\n mail: nor@x.org\njpegPhoto:: /9j/4AAQ\n mail: ZJRg==\nmail;lang-en: ada@\n x.org\nMAIL:: ${base64('ada@y.org').slice(0, 5)}\n ${base64('ada@y.org').slice(5)}\n\n# search result\nsearch: 2\nresult: 0 Success\n\n# numResponses: 2\n`,
    cells: [
      ['Ada', 'ada@x.org'],
      ['Ada', 'ada@y.org'],
    ],
    account: 'Read 2 rows: 2 addresses in the column "email".',
  },
  {
    name: 'ldapsearch: a long name above the first entry, folded',
    content: `version: 1\n\n# a, ${'people, '.repeat(9)}\n x.org\ndn: uid=a\ncn: A\nmail: a@x.org\n`,
    cells: [['A', 'a@x.org']],
  },
  {
    name: 'a line that is folded after the name of its attribute',
    content: 'dn: cn=a\ncn\n : A\nmail\n ;lang-en: a@x.org\n',
    cells: [['A', 'a@x.org']],
  },
  {
    name: 'change records: removed values are not addresses',
    content:
      'version: 1\ndn: cn=a\nchangetype: add\ncn: A\ndisplayName: B\nmail: a@x.org\n\ndn: cn=b\nchangetype: modify\ndelete: mail\nmail: old@x.org\n-\nadd: mail\nmail: new@x.org\n-\n\ndn: cn=c\nchangetype: delete\n',
    cells: [
      ['A', 'a@x.org'],
      ['', 'new@x.org'],
      ['', ''],
    ],
  },
  {
    name: 'Active Directory: addresses of mail among others',
    content:
      'dn: CN=A\ncn: A\nproxyAddresses: SMTP:a@x.org\nproxyAddresses: smtp:b@x.org\nproxyAddresses: X500:/o=x/cn=a\nproxyAddresses: sip:a@x.org\n',
    cells: [
      ['A', 'a@x.org'],
      ['A', 'b@x.org'],
    ],
  },
  {
    name: 'a value that is in a file has no address',
    content: 'dn: cn=a\ncn: A\nmail:< file:///tmp/mail\n\ndn: cn=b\nmail:<b@x.org>\nmail: < https://x.org/mail\n',
    cells: [
      ['A', ''],
      ['', '<b@x.org>'],
      ['', '< https://x.org/mail'],
    ],
  },
  {
    name: 'a value is one cell, judged as it stands; no empty line between entries; the end is missing',
    content: 'dn: cn=a\nmail: a@x.com,uk\ndn: cn=b\ncn: B\nmail: b at x.org\n\ndn: cn=c\ncn: C\nma',
    cells: [
      ['', 'a@x.com,uk'],
      ['B', 'b at x.org'],
      ['C', ''],
    ],
  },
];

describe.each(pieceSizes)('in pieces of %i bytes', (size) => {
  test.each([
    ...vcards.map((fact) => ({ ...fact, format: 'vcard' })),
    ...ldif.map((fact) => ({ ...fact, format: 'ldif' })),
  ])('$format: $name', async ({ name: _, format, content, options, ...want }) => {
    const list = { format, columns: ['name', 'email'], emailColumn: 1, hasHeader: false, warnings: [] };
    expect(await readAll(content, size, options)).toMatchObject({ ...list, ...want });
  });
});

test('--input and --column are taken for an address book', async () => {
  const options = { format: 'vcard', column: '2' } as const;
  expect((await readAll(card('FN:A', 'EMAIL:a@x.org'), 65536, options)).emails).toEqual(['a@x.org']);
  const wrong = openRows({ stream: inPieces(card('FN:A'), 65536) }, { column: 'phone' });
  await expect(wrong).rejects.toThrow('phone');
});

test('a photo of any size on one line, and an entry with many addresses, are read in constant memory', async () => {
  const content = card(
    'FN:A',
    `PHOTO:${'A'.repeat(3_000_000)}`,
    ...Array.from({ length: 50_000 }, (_, n) => `EMAIL:a${n}@x.org`),
  );
  const source = await openRows({ stream: inPieces(content, 65536) });
  let rows = 0;
  let mostAtOnce = 0;
  for await (const chunk of source.chunks) {
    rows += chunk.length;
    mostAtOnce = Math.max(mostAtOnce, chunk.length);
  }
  expect([rows, source.warnings(), mostAtOnce < 6000]).toEqual([50_000, [], true]);
});
