import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runBinary } from './run-binary.js';

const folder = mkdtempSync(join(tmpdir(), 'mailvet-same-'));

/** Texts as people write them, and the address in each. */
const texts = [
  { text: 'ada@python.org', address: 'ada@python.org' },
  { text: '  ada@python.org ', address: 'ada@python.org' },
  { text: 'Ada Lovelace <ada@python.org>', address: 'ada@python.org' },
  { text: '"Lovelace, Ada" <ada@python.org>', address: 'ada@python.org' },
  { text: '<ada@python.org>', address: 'ada@python.org' },
  { text: 'mailto:ada@python.org', address: 'ada@python.org' },
  { text: 'ada@python.org (Ada)', address: 'ada@python.org' },
  { text: '"ada@python.org"', address: 'ada@python.org' },
  { text: 'ada@python.org,', address: 'ada@python.org' },
  { text: "'ada@python.org'", address: 'ada@python.org' },
  { text: '\u200bada@python.org', address: 'ada@python.org' },
  { text: 'ada@@python.org', address: 'ada@@python.org' },
  { text: 'ada at python.org', address: 'ada at python.org' },
  { text: 'ada', address: 'ada' },
  { text: 'ada@python', address: 'ada@python' },
  { text: '=ada@python.org', address: '=ada@python.org' },
];

const several = [
  'a@python.org, b@python.org',
  'a@python.org;b@python.org',
  'a@python.org b@python.org',
  'Ada <a@python.org>; Bob <b@python.org>',
  'a@python.org / b@python.org',
  'a@python.org; b@python',
  'a@python.org, b@@python.org',
];

interface Verdict {
  email: string;
  status: string;
  sub_status: string;
}

async function vet(args: readonly string[], stdin?: string): Promise<Verdict[]> {
  const { out } = await runBinary([...args, '--level', 'syntax', '--format', 'ndjson'], { ...(stdin && { stdin }) });
  return out
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { email, status, sub_status } = JSON.parse(line);
      return { email, status, sub_status };
    });
}

function list(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

describe('the same text has the same verdict', () => {
  const ways: Record<string, Verdict[]> = {};

  beforeAll(async () => {
    const all = texts.map(({ text }) => text);
    ways['an argument'] = await vet(['validate', ...all]);
    ways['a line'] = await vet(['bulk', list('lines.txt', `${all.join('\n')}\n`), '--input', 'lines']);
    ways['a cell'] = await vet([
      'bulk',
      list('cells.csv', `id,email\n${all.map((each) => `1,${quoted(each)}\n`).join('')}`),
    ]);
    ways['JSON'] = await vet(['bulk', list('list.json', JSON.stringify(all))]);
    ways['NDJSON'] = await vet(['bulk', list('list.ndjson', all.map((each) => `${JSON.stringify(each)}\n`).join(''))]);
  });

  test.each(texts.map((each, at) => ({ ...each, at })))('$text', ({ address, at }) => {
    const found = Object.entries(ways).map(([way, verdicts]) => [way, verdicts[at]]);
    const want = ways['an argument']?.[at];
    expect(want?.email).toBe(address);
    expect(found).toEqual(found.map(([way]) => [way, want]));
  });

  test.each(several)('%s is two addresses in an argument and a line, and unknown in a cell', async (text) => {
    const split = /[/]|@@|python$/.test(text) ? null : ['a@python.org', 'b@python.org'];
    const asArgument = await vet(['validate', text]);
    expect(await vet(['bulk', list('one.txt', `${text}\n`), '--input', 'lines'])).toEqual(asArgument);
    if (split !== null) expect(asArgument.map(({ email }) => email)).toEqual(split);
    const inCell = await vet(['bulk', list('one.csv', `id,email\n1,${quoted(text)}\n2,c@python.org\n`)]);
    const inJson = await vet(['bulk', list('one.json', JSON.stringify([text]))]);
    const unknown = { email: text, status: 'unknown', sub_status: 'several_addresses' };
    expect([inCell[0], inJson[0]]).toEqual([unknown, unknown]);
  });
});
