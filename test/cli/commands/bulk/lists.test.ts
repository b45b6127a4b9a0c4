import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeService, resultOf } from '../../../fakes/service.js';
import { freshFolder, runCli } from '../../run-cli.js';

const added = 'mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean';
const valid = 'valid,,0.95,true,';

function fileWith(name: string, text: string | Buffer): string {
  const path = join(freshFolder(), name);
  writeFileSync(path, text);
  return path;
}

const vet = (text: string | Buffer, args: string[] = [], name = 'list.csv') =>
  runCli(['bulk', fileWith(name, text), '--format', 'csv', ...args], { tty: false });
const addressesOf = async (text: string | Buffer, args: string[] = [], name = 'list.txt') =>
  (await runCli(['bulk', fileWith(name, text), '--format', 'plain', ...args], { tty: false })).out
    .split('\n')
    .slice(0, -1);

describe('a list without any address', () => {
  test('has no header if its first row begins with a mail domain', async () => {
    const { status, err } = await vet('gmail.com;spam\nx.org;spam\nfoo.org;ham\n', [], 'stop.txt');
    expect([status, err]).toEqual([2, expect.stringContaining('No column looks like email addresses.')]);
    expect(await addressesOf('user.email;n\na@b.co;1\n')).toEqual(['a@b.co']);
  });

  test('is warned about if it is lines', async () => {
    const { status, err } = await vet('Ann\nBob\nCem\n', ['--quiet'], 'people.txt');
    expect([status, err]).toEqual([0, 'warning: No row of the list contains an @. Is it the right list?\n']);
    expect((await vet('Ann\nBob\na@b.co\n', ['--quiet'], 'people.txt')).err).toBe('');
  });
});

describe('the count of rows', () => {
  test('reports what was read, from which column, and what was skipped', async () => {
    const { out, err } = await vet('name,email,private\nA,a@b.co,x@b.co\nB,,\nC,"c@b.co; d@b.co",\n');
    expect(err.split('\n').slice(0, -1)).toEqual([
      'note: Row 4 holds several addresses, which stay unknown; --input text finds each.',
      'note: Read 3 rows: 2 addresses in the column "email", 1 row without an address. ' +
        'Other columns hold addresses that are not vetted: "private" (1 row). Name all with --column A,B.',
      expect.stringMatching(
        /^note: list.csv: 2 valid, 0 risky, 0 invalid, 0 unknown · 1 row without an address in \d+ ms$/,
      ),
    ]);
    expect(out).toContain('\nB,,,empty,,,,\n');
  });

  test.each([
    ['list.csv', 'id,email\r\n\r\n1,a@b.co\r\n\r\n', 'Read 1 row: 1 address in the column "email", 2 lines skipped'],
    ['list.txt', '# friends\na@b.co\n\n', 'Read 1 row: 1 address in the list, 2 lines skipped'],
    ['list.ndjson', '{"email":"a@b.co"}\n\n', '1 line skipped (empty, or a comment).'],
  ])('counts lines of %s that are not rows', async (name, text, says) => {
    expect((await vet(text, [], name)).err).toContain(says);
  });

  test.each([
    ['a CSV whose lines were quoted whole', '"id,email"\n"1,a@b.co"\n', 'an address and other text'],
    ['columns of one name', 'Email,Email\na@b.co,\nb@b.co,c@b.co\n', 'not vetted: "Email_2" (1 row)'],
    ['a broken line', '{"email":"a@b.co"}\n{"email":"b@b.co"\n', '1 line is not JSON', 'a.ndjson'],
    ['several in a field', '[{"email":["a@b.co","b@b.co"]}]', 'holds several addresses', 'a.json'],
  ])('%s: warns of rows that may be judged wrongly', async (_name, text, says, file?: string) => {
    expect((await vet(text, [], file ?? 'list.csv')).err).toContain(says);
  });

  test('keeps the line end CR CR LF', async () => {
    const { out } = await vet('id,email\r\r\n1,a@b.co\r\r\n2,b@b.co\r\r\n');
    expect(out).toBe(`id,email,${added}\r\r\n1,a@b.co,${valid}\r\r\n2,b@b.co,${valid}\r\r\n`);
  });

  test('reads 5,000 addresses in one line, even from a web page', async () => {
    const all = Array.from({ length: 5_000 }, (_, n) => `name${n}@example.com`);
    expect(await addressesOf(all.map((address) => `Jane Doe <${address}>`).join('; '))).toEqual(all);
    const image = `<img src="data:image/png;base64,${'iVBORw0KGgo'.repeat(20_000)}">`;
    const page = all.map((address) => `<a href="mailto:${address}">`).join('');
    expect(await addressesOf(`<html>${image}${page}`, ['--input', 'text'], 'page.html')).toEqual(all);
  });

  test('warns of a truncated line even with --quiet', async () => {
    const { err } = await vet(`a@b.co\n${'x'.repeat(200_000)}\n`, ['--quiet', '--input', 'lines']);
    expect(err).toContain('1 line is longer than the line limit, truncated.');
  });

  test('--only empty shows the rows without an address', async () => {
    expect((await vet('id,email\n1,a@b.co\n2,\n', ['--only', 'empty'])).out).toBe(`id,email,${added}\n2,,empty,,,,\n`);
  });

  test('writes rows without an address at the end of a list, and a list that has no other rows', async () => {
    const rows = '1,\n'.repeat(50_000);
    expect((await vet(`id,email\n1,a@b.co\n${rows}`)).out.split('\n')).toHaveLength(50_003);
    expect((await vet(`id,email\n${rows}`)).out.split('empty')).toHaveLength(50_001);
  });

  test.each([
    { name: 'commas', text: 'a@b.co, b@b.co,c@b.co\n' },
    { name: 'an Outlook paste', text: 'Ada <a@b.co>; "Bob" <b@b.co>; c@b.co\n' },
    { name: 'blanks', text: 'a@b.co b@b.co\nc@b.co\n' },
    { name: 'a name that says CSV', text: 'a@b.co,b@b.co,c@b.co\n', file: 'list.csv' },
    { name: 'quotes around each', text: '"a@b.co", "b@b.co", \'c@b.co\'\n' },
  ])('reads several addresses in a line: $name', async ({ text, file }) => {
    expect(await addressesOf(text, [], file)).toEqual(['a@b.co', 'b@b.co', 'c@b.co']);
  });

  test('keeps a mistyped address among several', async () => {
    expect(await addressesOf('a@b.co, b@@b.co, Cy <c@>; d@b.co\n')).toEqual(['a@b.co', 'b@@b.co', 'c@', 'd@b.co']);
  });

  test.each([
    { name: 'a page', file: 'a.html', text: '<!doctype html>a@b.co; <p>b&gt; c@b.co' },
    { name: 'a drawn table', file: 'a.txt', text: '+----+\n| email |\n+----+\n| a@b.co |\n| c@b.co |\n' },
  ])('finds the addresses in text: $name', async ({ text, file }) => {
    expect(await addressesOf(text, [], file)).toEqual(['a@b.co', 'c@b.co']);
  });

  test.each([
    { name: 'as jq writes strings', text: '"a@b.co"\n"o\'b@b.co"\n' },
    { name: 'as in the source code of programs', text: "'a@b.co',\n'o'b@b.co'\n" },
    { name: 'as word processors quote', text: "“a@b.co”\n‘o'b@b.co’\n" },
    { name: 'within the quotes of a cell', text: 'email\n"""a@b.co"""\n"""o\'b@b.co"""\n', file: 'list.csv' },
  ])('removes quotes around an address: $name', async ({ text, file }) => {
    expect((await addressesOf(text, [], file)).join()).toBe("a@b.co,o'b@b.co");
  });
});

describe('columns', () => {
  const sparse = `Work Email,Personal Email\n${Array.from({ length: 200 }, (_, n) => `${n === 7 ? 'w@b.co' : ''},u${n}@b.co\n`).join('')}`;

  test.each([
    ['an address above the header', 'By ada@b.co\nName,Email,Tel\nAda,a@b.co,1\n', 'Name,Email,Tel', 'Email'],
    ['empty names', ',,\n1,a@b.co,2\n', ',,', '_2'],
    ['one name, and none for the addresses', 'name,,\nAda,a@b.co,2\n', 'name,,', ''],
    ['an index without a name', ',email\n1,a@b.co\n', ',email', 'email'],
  ])('a header keeps its place: %s', async (_name, list, head, column) => {
    const { out, err } = await vet(list);
    expect(out).toContain(`${head},${added}\n`);
    expect(err).toContain(`Read 1 row: 1 address in the column "${column}".`);
  });

  test('columns of the same name have one name each, everywhere', async () => {
    const list = 'email,email,x\na@b.co,b@b.co,1\n';
    expect((await vet(list, ['--column', 'email,email', '--fields', 'email'])).out).toBe('email\na@b.co\nb@b.co\n');
    expect((await vet(list, ['--column', '2', '--fields', 'email'])).out).toBe('email\nb@b.co\n');
    const second = await vet(list, ['--column', 'email_2', '--fields', 'email']);
    expect(second.out).toBe('email\nb@b.co\n');
    expect(second.err).toContain(
      '1 address in the column "email_2". Other columns hold addresses that are not vetted: "email"',
    );
    const both = await vet(list, ['--column', '1,2']);
    expect(both.out).toContain('email_mailvet_status');
    expect(both.out).toContain('email_2_mailvet_status');
    expect(both.err).toContain('2 addresses in the columns "email" and "email_2".');
    expect((await vet(list, ['--column', 'mail'])).err).toContain('The columns are: 1 "email", 2 "email_2", 3 "x".');
    expect((await vet(list, ['--quiet'])).err).toBe(
      'warning: The column "email" is vetted, but "email_2" may be meant. Name the right one with --column.\n',
    );
  });

  test('counts an address in another column though the vetted cell holds other text', async () => {
    const { err } = await vet('email,work\na@b.co,\nnobody,b@b.co\n', ['--column', 'email']);
    expect(err).toContain('"work" (1 row)');
  });

  test('prefers a full column to a nearly empty one with a better name, and notes it', async () => {
    const { err } = await vet(sparse);
    expect(err).toContain('200 addresses in the column "Personal Email"');
    expect(err).toContain('"Work Email" (1 row)');
  });

  test('vets several columns in one run, each with its own verdict columns', async () => {
    const { out } = await vet('work,private\nw@b.co,invalid@b.co\n,p@b.co\n', ['--column', 'work,private']);
    const [header, first, second] = out.split('\n');
    expect(header).toContain('work,private,work_mailvet_status,');
    expect(header).toContain(',private_mailvet_status,');
    expect(first).toBe(`w@b.co,invalid@b.co,${valid},invalid,invalid_for_test,0.95,false,`);
    expect(second).toBe(`,p@b.co,empty,,,,,${valid}`);
  });

  test('--only keeps a row if one of its addresses matches', async () => {
    const { out } = await vet('work,private\nw@b.co,invalid@b.co\nx@b.co,y@b.co\n', [
      '--column',
      '1,2',
      '--only',
      'invalid',
    ]);
    expect(out.split('\n').slice(1, -1)).toEqual([`w@b.co,invalid@b.co,${valid},invalid,invalid_for_test,0.95,false,`]);
  });

  test.each([
    { format: 'plain', want: 'w@b.co\nx@b.co\ny@b.co\n' },
    { format: 'csv', fields: 'email', want: 'email\nw@b.co\nx@b.co\ny@b.co\n' },
    { format: 'ndjson', fields: 'email', want: '{"email":"w@b.co"}\n{"email":"x@b.co"}\n{"email":"y@b.co"}\n' },
    {
      format: 'json',
      fields: 'email',
      want: /^{"results":\[\n{"email":"w@b.co"},\n{"email":"x@b.co"},\n{"email":"y@b.co"}\n],/,
    },
    { format: 'table', want: /^STATUS.*\n.* w@b.co\n.* x@b.co\n.* y@b.co\n$/ },
  ])('--only keeps an address that matches where $format has an entry for each', async ({ format, fields, want }) => {
    const path = join(freshFolder(), 'out');
    const args = ['--column', 'work,private', '--only', 'valid', '--format', format, '-o', path];
    const list = fileWith('list.csv', 'work,private\nw@b.co,invalid@b.co\nx@b.co,y@b.co\ninvalid@b.co,\n');
    const { err } = await runCli(['bulk', list, ...args, ...(fields ? ['--fields', fields] : [])], { tty: false });
    expect(readFileSync(path, 'utf8')).toMatch(want);
    expect(err).toContain(`${path} (3 rows)`);
  });

  test('--dedupe leaves out an address where the output has an entry for each, and counts it', async () => {
    const text = 'work,private\nw@b.co,x@b.co\nw@b.co,y@b.co\n';
    const { out, err } = await vet(text, ['--column', 'work,private', '--dedupe', '--format', 'plain']);
    expect(out).toBe('w@b.co\nx@b.co\ny@b.co\n');
    expect(err).toContain('--dedupe left out 1 row.');
    const rows = await vet(text, ['--column', 'work,private', '--dedupe']);
    expect(rows.out.split('\n')).toHaveLength(4);
    expect(rows.err).not.toContain('left out');
  });

  test('refuses a column without addresses, and suggests another', async () => {
    const run = await vet('name,email\nAda,a@b.co\nBob,b@b.co\n', ['--column', 'name']);
    expect(run).toMatchObject({ status: 2, out: '' });
    expect(run.err).toContain('The column "name" has no addresses.\n  Did you mean "email"?');
  });

  test('--header names the line of the header, or says that there is none', async () => {
    expect((await vet('junk,b@b.co\nname,email\nAda,a@b.co\n', ['--header', '2'])).out).toBe(
      `junk,b@b.co\nname,email,${added}\nAda,a@b.co,${valid}\n`,
    );
    const { out } = await vet('email,x\na@b.co,y\n', ['--header', 'none', '--column', '1']);
    expect(out).toBe(`email,x,${valid}\na@b.co,y,${valid}\n`);
    const title = '"a\ntitle",\nname,email\nAda,a@b.co\n';
    expect((await vet(title, ['--header', '2'])).out).toContain(`name,email,${added}\nAda,a@b.co,${valid}\n`);
    expect(await vet(title, ['--header', '7'])).toMatchObject({ status: 2, out: '' });
    expect(await vet('email\na@b.co\n', ['--header', 'x'])).toMatchObject({ status: 2 });
  });
});

describe('text is preserved', () => {
  test.each([
    {
      name: 'a suggestion of ours',
      list: 'name,email\nJos\xe9,a@b.co\n',
      out: 'out.csv',
      want: 'Jos\xe9,a@b.co,risky,possible_typo,0.9,false,jos\xe9@b.co',
    },
    {
      name: 'another delimiter',
      list: 'name\temail\t\nJos\xe9, x\ta@b.co\t\n',
      out: 'out.csv',
      want: '"Jos\xe9, x",a@b.co,,risky,possible_typo,0.9,false,jos\xe9@b.co',
    },
  ])('$name does not bring another encoding into a list', async ({ list, out, want }) => {
    const result = resultOf('a@b.co', {
      status: 'risky',
      sub_status: 'possible_typo',
      confidence: 0.9,
      safe_to_send: false,
      did_you_mean: 'josé@b.co',
    });
    const service = fakeService({}, () => result);
    const output = join(freshFolder(), out);
    const path = fileWith('list.csv', Buffer.from(list, 'latin1'));
    await runCli(['bulk', path, '--encoding', 'windows-1252', '-o', output], { tty: false, service });
    expect(readFileSync(output, 'latin1').split('\n')[1]).toBe(want);
  });

  test('our own columns never begin a formula', async () => {
    const verdict = { status: 'risky', sub_status: 'possible_typo', confidence: 0.9, safe_to_send: false };
    const result = resultOf('a@b.co', { ...verdict, did_you_mean: '=a@gmail.com' });
    const service = fakeService({}, () => result);
    const path = fileWith('list.csv', 'email\na@b.co\n');
    const { out } = await runCli(['bulk', path, '--format', 'csv'], { tty: false, service });
    expect(out.split('\n')[1]).toBe("a@b.co,risky,possible_typo,0.9,false,'=a@gmail.com");
  });

  test('refuses an unknown encoding', async () => {
    expect(await vet('email\na@b.co\n', ['--encoding', 'klingon'])).toMatchObject({ status: 2, out: '' });
  });

  test('an unclosed quote hides no row, and is reported even with --quiet', async () => {
    const { out, err } = await vet('name,email\n"Ada,a@b.co\nBob,b@b.co\n', ['--quiet']);
    expect(out).toBe(`name,email,${added}\n"""Ada",a@b.co,${valid}\nBob,b@b.co,${valid}\n`);
    expect(err).toBe('warning: Row 2 opens a quote (") that is never closed; it was read as text.\n');
  });

  test.each([
    ['text after the quote', 'name,email\n"Acme,a@x.org\nBeta,b@x.org\n"Gamma",c@x.org\n', '2 lines'],
    ['too many cells', 'name,email\n"Acme,a@x.org\nBeta",b@x.org,c@x.org\n', '1 line'],
    ['many lines', `name,email\n"Acme${'\nx'.repeat(51)}",a@x.org\n`, '51 lines'],
    ['a note of two lines', 'name,email\n"Acme, call\n""Bob"" first",a@x.org\n', null],
    ['a cell of 50 lines', `name,email\n"Acme${'\nx'.repeat(50)}",a@x.org\n`, null],
  ])('a quote that hides lines is named with its row: %s', async (_name, list, lines) => {
    const { err, status } = await runCli(['bulk', '--input', 'csv', '-q'], { tty: false, stdin: list });
    const warning = `warning: Row 2 opens a quote (") that hides the next ${lines}, which may be rows. Check the quotes there.\n`;
    expect({ err, status }).toEqual({ err: lines === null ? '' : warning, status: 0 });
  });
});

describe('JSON objects stay as they are, as the input of a result', () => {
  const objects = '[{"id":9007199254740993,"Email":"a@b.co","tags":["x"]},\n {"id":2,"name":"no address"}]';
  const inputs = [
    '"input":{"id":9007199254740993,"Email":"a@b.co","tags":["x"]}}',
    '"input":{"id":2,"name":"no address"}}',
  ];

  test.each(['ndjson', 'json'])('in %s', async (format) => {
    const { out } = await vet(objects, ['--format', format], 'list.json');
    for (const input of inputs) expect(out).toContain(input);
    const rows: object[] =
      format === 'json'
        ? JSON.parse(out).results
        : out
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line));
    expect(rows).toMatchObject([
      { email: 'a@b.co', status: 'valid' },
      { email: '', status: 'empty' },
    ]);
  });

  test('have no confidence if they are suppressed, as in CSV', async () => {
    const stop = ['--exclude', fileWith('stop.txt', 'a@b.co\n')];
    for (const format of ['ndjson', 'json']) {
      const { out } = await vet(objects, ['--format', format, ...stop], 'list.json');
      expect(out).toMatch(/"status":"suppressed".*"confidence":0/);
      expect(out).toContain(inputs[0]);
    }
    expect((await vet(objects, stop, 'list.json')).out).toContain(',suppressed,,,,\n');
  });

  test('to the letter, also a result of an earlier run', async () => {
    const row = '{"10":1.0,"id":12345678901234567890,"a":"},\\"x\\":","2":{"y":1e999},"Email":"a@b.co","status":""}';
    const first = await vet(`${row}\n`, ['--format', 'ndjson'], 'list.ndjson');
    expect(first.out).toContain(`"input":${row}}`);
    const pretty = `[\n  ${first.out.trimEnd().replace('{', '{\n    ')}\n]\n`;
    const { out } = await vet(pretty, ['--format', 'ndjson'], 'pretty.json');
    expect(out).toContain(`"input":${first.out.trimEnd().replace('{', '{ ')}}`);
  });

  test('a long run of blanks takes no longer than other text', async () => {
    const { out } = await vet(
      `[{"Email":"a@b.co",\n"note":"${' '.repeat(500_000)}x"}]`,
      ['--format', 'ndjson'],
      'list.json',
    );
    expect(out).toContain(' x"');
  }, 10_000);

  test('keep numbers of any length in the cells of a table, also in arrays and objects', async () => {
    const text = '[{"email":"a@b.co","id":98765432109876543210,"h":{"id":9007199254740993},"a":[1.10,"1e400"]}]';
    const { out } = await vet(text, ['--format', 'csv'], 'list.json');
    expect(out.split('\n')[1]).toBe(
      `a@b.co,98765432109876543210,"{""id"":9007199254740993}","[1.10,""1e400""]",${valid}`,
    );
  });

  test('become CSV with every field in a column', async () => {
    const { out } = await vet(objects, [], 'list.json');
    expect(out).toBe(
      `id,Email,tags,name,${added}\n9007199254740993,a@b.co,"[""x""]",,${valid}\n2,,,no address,empty,,,,\n`,
    );
  });

  test.each([
    { name: 'on one line', text: '{"total":1,"contacts":[{"email":"a@b.co"}],"next":null}' },
    { name: 'over several', text: '{\n  "contacts": [\n    {\n      "email": "a@b.co"\n    }\n  ]\n}\n' },
    { name: 'deeper', text: '{"data":{"page":1,"people":["a@b.co"]}}' },
  ])('finds a list within an object: $name', async ({ text }) => {
    expect(await addressesOf(text, [], 'list.json')).toEqual(['a@b.co']);
  });

  test('warns of a field that occurs too late for a column, even with --quiet', async () => {
    const early = '{"email":"a@b.co"}\n'.repeat(8_000);
    const { err } = await vet(`${early}{"email":"b@b.co","late":1}\n`, ['--quiet'], 'list.ndjson');
    expect(err).toContain('warning: No column has "late", which came too late; NDJSON output has it.');
  });
});

test('--fields email_sha256 is the hash of the mailbox, for ad platforms', async () => {
  const hash = createHash('sha256').update('a@b.co').digest('hex');
  const { out } = await vet('email\nA@B.co\n', ['--fields', 'email_sha256,status']);
  expect(out).toBe(`email_sha256,status\n${hash},valid\n`);
});
