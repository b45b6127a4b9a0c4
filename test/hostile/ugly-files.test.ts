import { spawnSync } from 'node:child_process';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { openRows } from '../../src/rows/open-rows.js';
import { verdictColumns } from '../../src/rows/table/verdict-columns.js';
import { RecordWriter } from '../../src/rows/write/write-record.js';
import { inPieces } from '../rows/pieces.js';
import { makeUglyFile, type UglyFile } from './ugly-files.js';

const fileCount = 3_000;
const files = Array.from({ length: fileCount }, (_, seed) => makeUglyFile(seed));

/** The records of texts as another program reads them; empty lines are not records. */
type Oracle = (texts: readonly { text: string; delimiter: string }[]) => string[][][];

const script = `
import csv, io, json, sys
csv.field_size_limit(10**9)
for line in sys.stdin:
    given = json.loads(line)
    rows = csv.reader(io.StringIO(given["text"], newline=""), delimiter=given["delimiter"])
    print(json.dumps([row for row in rows if row]))
`;

const readWithPython: Oracle = (texts) => {
  const input = texts.map((each) => `${JSON.stringify(each)}\n`).join('');
  const { stdout } = spawnSync('python3', ['-c', script], { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as string[][]);
};

/** papaparse knows one line end per text, so it gets texts with just one. */
const readWithPapa: Oracle = (texts) =>
  texts.map(({ text, delimiter }) => {
    const newline = text.includes('\r\n') ? '\r\n' : text.includes('\r') ? '\r' : '\n';
    const { data } = Papa.parse<string[]>(text, { delimiter, newline });
    return data.filter(isWritten);
  });

/** papaparse does not distinguish an empty line from a record with one empty quoted cell. */
const isWritten = (cells: readonly string[]): boolean => cells.length > 1 || cells[0] !== '';

const hasPython = spawnSync('python3', ['-c', 'import csv']).status === 0;
const hasOneLineEnd = ({ text }: UglyFile): boolean =>
  [/\r\n/, /\r(?!\n)/, /(?<!\r)\n/].filter((end) => end.test(text)).length <= 1;

const oracles: { name: string; read: Oracle; files: readonly UglyFile[] }[] = [
  { name: 'papaparse', read: readWithPapa, files: files.filter(hasOneLineEnd) },
  ...(hasPython ? [{ name: "Python's csv module", read: readWithPython, files }] : []),
];

/** What mailvet reads from a file, and what it writes for it. */
async function vet({ seed, text }: UglyFile) {
  const source = await openRows({
    stream: inPieces(Buffer.from(text), seed % 10 === 0 ? 401 : text.length * 4),
    name: 'x.csv',
  });
  const writer = new RecordWriter(source, verdictColumns);
  const records: (readonly string[])[] = source.hasHeader ? [source.columns] : [];
  const emails: string[] = [];
  let output = writer.head();
  for await (const rows of source.chunks) {
    for (const row of rows) {
      records.push(row.cells);
      if (row.email !== '') emails.push(row.email);
      output += writer.record(row, () => ['valid', '', '1', 'true', '']);
    }
  }
  output = Buffer.from(source.charset?.toBytes(output + writer.tail()) ?? output).toString();
  return { records, emails, output, delimiter: source.delimiter, warnings: source.warnings() };
}

const vetted = await Promise.all(files.map(vet));

/** The expected output of a row: only short rows are padded. */
function expectedCells(cells: readonly string[], width: number): string[] {
  const padded = [...cells, ...Array<string>(Math.max(0, width - cells.length)).fill('')];
  return [...padded.slice(0, width), 'verdict', ...padded.slice(width)];
}

function withoutByteOrderMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}

describe(`${fileCount} ugly files`, () => {
  test('keep their delimiter, and every address', () => {
    for (const [index, { seed, delimiter, addresses }] of files.entries()) {
      expect([seed, vetted[index]?.delimiter, vetted[index]?.emails]).toEqual([seed, delimiter, addresses]);
    }
  });

  test.each(oracles)('are read as $name reads them', ({ read, files: given }) => {
    const expected = read(given.map(({ text, delimiter }) => ({ text: withoutByteOrderMark(text), delimiter })));
    for (const [index, { seed }] of given.entries()) {
      const records = vetted[seed]?.records.filter((cells) => read === readWithPython || isWritten(cells));
      expect({ seed, records }).toEqual({ seed, records: expected[index] });
    }
  });

  test.each(oracles)('lose no row and change no cell, as $name reads the output', ({ read, files: given }) => {
    const texts = given.map(({ seed, delimiter }) => ({
      text: withoutByteOrderMark(vetted[seed]?.output ?? ''),
      delimiter,
    }));
    const written = read(texts);
    for (const [index, { seed }] of given.entries()) {
      const [header = [], ...rows] = vetted[seed]?.records ?? [];
      const width = header.length;
      const found = (written[index] ?? [])
        .slice(1)
        .map((cells) => [...cells.slice(0, width), 'verdict', ...cells.slice(width + 5)]);
      expect({ seed, rows: found }).toEqual({ seed, rows: rows.map((cells) => expectedCells(cells, width)) });
    }
  });
});
