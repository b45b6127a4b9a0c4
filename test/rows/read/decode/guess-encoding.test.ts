import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openText } from '../../../../src/rows/read/decode/open-text.js';

interface Vector {
  language: string;
  /** As Python calls it. */
  encoding: string;
  bytes: string;
  text: string;
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../fixtures/names-in-legacy-encodings/encodings.json', import.meta.url), 'utf8'),
) as Vector[];

/** Our names of encodings. Others are read as windows-1252. */
const ourNames: Record<string, string> = {
  'euc-kr': 'euc-kr',
  gb18030: 'gb18030',
  big5: 'big5',
  shift_jis: 'shift_jis',
  'euc-jp': 'euc-jp',
  cp1250: 'windows-1250',
  cp1254: 'windows-1254',
  cp1251: 'windows-1251',
  'koi8-r': 'koi8-r',
  cp1253: 'windows-1253',
  cp1255: 'windows-1255',
  cp1256: 'windows-1256',
};

/** Reads bytes in pieces of one size; returns the text and the notes about its encoding. */
async function read(bytes: Buffer, pieceBytes: number) {
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const source = await openText({ stream: Readable.from(pieces) });
  let text = '';
  for (let piece = await source.read(); piece !== null; piece = await source.read()) text += piece;
  return { text, foreign: source.foreignLines() };
}

const firstLines = (bytes: Buffer, count: number): Buffer => {
  let end = 0;
  for (let line = 0; line < count; line++) end = bytes.indexOf(10, end) + 1;
  return bytes.subarray(0, end);
};

describe('a list in a legacy encoding', () => {
  test.each(vectors)('$language, $encoding: is detected and decoded, in pieces of any size', async (vector) => {
    const bytes = Buffer.from(vector.bytes, 'base64');
    const whole = await read(bytes, 64 * 1024);
    const encoding = ourNames[vector.encoding];
    expect(whole.foreign?.decodedAs).toBe(encoding ?? 'windows-1252');
    if (encoding !== undefined)
      expect(whole).toMatchObject({ text: vector.text, foreign: { isCertain: true, fallbacks: 0 } });
    expect(await read(bytes, 7)).toEqual(whole);
  });

  test.each(vectors)('$language, $encoding: a short list is never decoded wrongly without a note', async (vector) => {
    for (const rows of [1, 2, 3, 5]) {
      const { foreign } = await read(firstLines(Buffer.from(vector.bytes, 'base64'), rows), 64 * 1024);
      if (foreign === null) continue;
      const expected = ourNames[vector.encoding] ?? 'windows-1252';
      expect(
        foreign.decodedAs === expected || (foreign.decodedAs === 'windows-1252' && !foreign.isCertain),
        `${rows} rows: ${foreign.decodedAs}`,
      ).toBe(true);
    }
  });
});

describe('signs of windows-1252 without accented letters are not letters of a DOS or Mac encoding', () => {
  const signs: Record<string, number> = { '€': 0x80, '…': 0x85, '’': 0x92, '“': 0x93, '”': 0x94, '–': 0x96, '™': 0x99 };
  const encode = (text: string): Buffer => Buffer.from(Array.from(text, (char) => signs[char] ?? char.charCodeAt(0)));

  test.each([
    'Jane,jane@x.org\u00a0,x\nJohn,john@x.org,ok\n',
    'jane@x.org\u00a0\n',
    'Jane,jane@x.org,1\u00a0234\nJohn,john@x.org\u00a0,2\u00a0345\n',
    'Jean\u00a0Paul,jean@x.org\n',
    'Pat O’Neil,pat@x.org\n',
    'Pat O’Neil,pat@x.org,it’s – ok\nJo,jo@x.org,“q” €5\n',
    'price – €5,jo@x.org\n',
    'yes – no,jo@x.org\n',
    'Acme® £5,jo@x.org\n',
    'Acme™ Ltd…,jo@x.org\n',
    'Jo,jo@x.org,don’t\n'.repeat(200),
    'M\xfcller,a@x.org\nO’Neil “x”,b@x.org\n',
  ])('%j', async (text) => {
    expect(await read(encode(text), 64 * 1024)).toMatchObject({
      text,
      foreign: { decodedAs: 'windows-1252', isCertain: true, fallbacks: 0 },
    });
  });

  test.each([
    {
      encoding: 'ibm850',
      bytes: 'Panam\xa0,a@x.org\nJos\x82,b@x.org\nP\x82rez,c@x.org\n',
      text: 'Panamá,a@x.org\nJosé',
    },
    {
      encoding: 'ibm850',
      bytes: 'citt\x85,a@x.org\nNiccol\x95,b@x.org\npi\x97,c@x.org\n',
      text: 'città,a@x.org\nNiccolò',
    },
    { encoding: 'macintosh', bytes: 'Garc\x92a,a@x.org\nN\x9c\x96ez,b@x.org\n', text: 'García,a@x.org\nNúñez' },
  ])('letters of $encoding at the same bytes are: $text', async ({ encoding, bytes, text }) => {
    const result = await read(Buffer.from(bytes, 'latin1'), 64 * 1024);
    expect([result.foreign?.decodedAs, result.text]).toEqual([encoding, expect.stringContaining(text)]);
  });
});

test('one legacy line in a long UTF-8 text does not shorten the sample', async () => {
  const line = Buffer.from('김민준,서울,a@b.co\n');
  const bytes = Buffer.concat([Buffer.from([0xb1, 0xe8, 0x2c, 0x0a]), ...Array.from({ length: 20_000 }, () => line)]);
  const source = await openText({ stream: Readable.from([bytes.subarray(0, 200_000), bytes.subarray(200_000)]) });
  expect(source.sample.length).toBeGreaterThan(50_000);
  await source.close();
});

test('a line in a third encoding is decoded anyway, and counted', async () => {
  const { bytes = '' } = vectors.find(({ encoding }) => encoding === 'euc-kr') ?? {};
  const { text, foreign } = await read(
    Buffer.concat([Buffer.from(bytes, 'base64'), Buffer.from('M\xfcller\n', 'latin1')]),
    64,
  );
  expect(text.endsWith('Müller\n')).toBe(true);
  expect(foreign).toMatchObject({ decodedAs: 'euc-kr', lines: 13, fallbacks: 1 });
});
