import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { openOutcomes } from '../../../../src/service/bounces/track-outcomes.js';
import { openLearned } from '../../../../src/service/local/learned-deliveries.js';
import { readSections, shapes } from '../../../bounces/shapes.js';
import { freshFolder, runCli } from '../../run-cli.js';

const folder = freshFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const unknown = { status: '5.1.1', reply: '550 5.1.1 User unknown' };
const full = { status: '5.2.2', reply: '552 5.2.2 Mailbox full' };
const bounce = (shape: string, to: string, fill = unknown): string => shapes[shape]?.({ to, ...fill }) ?? '';

let files = 0;
function file(name: string, content: string | Buffer): string {
  const path = join(folder, `${++files}-${name}`);
  writeFileSync(path, content);
  return path;
}

const separator = 'From MAILER-DAEMON Tue Nov  3 10:11:12 2026\n';
const mbox = (...messages: string[]): string =>
  messages.map((each) => `${separator}${each.replace(/^(>*From )/gm, '>$1')}\n`).join('');

const pipe = { tty: false };
const read = (stdin: string, ...flags: string[]) => runCli(['bounces', '-', ...flags], { ...pipe, stdin });
const rowsOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, string>);
const kindsOf = (out: string) => rowsOf(out).map(({ address, kind }) => `${address} ${kind}`);

describe('input', () => {
  const first = bounce('postfix', 'a@rcpt.example');
  const second = bounce('qmail', 'b@rcpt.example', full);
  const want = ['a@rcpt.example hard', 'b@rcpt.example soft'];

  test('an mbox, with a line in a body that looks like a separator', async () => {
    const path = file('inbox.mbox', mbox(first, `${second}\n\nFrom here on 10:11 nothing follows\n\n`));
    const { status, out } = await runCli(['bounces', path], pipe);
    expect(status).toBe(0);
    expect(kindsOf(out)).toEqual(want);
    expect(rowsOf(out).map(({ source }) => source)).toEqual([
      `${path}:0`,
      `${path}:${separator.length + first.length + 1}`,
    ]);
  });

  test('an mbox in gzip, from a pipe', async () => {
    const { out } = await runCli(['bounces', '-'], { ...pipe, stdin: gzipSync(mbox(first, second)) });
    expect(kindsOf(out)).toEqual(want);
  });

  test('a stream of messages without separators', async () => {
    const { out } = await runCli(['bounces'], {
      ...pipe,
      stdin: `${first}${bounce('postfix', 'b@rcpt.example', full)}`,
    });
    expect(kindsOf(out)).toEqual(want);
  });

  test('a Maildir, and single messages', async () => {
    const maildir = join(folder, 'Maildir');
    for (const name of ['cur', 'new', 'tmp']) mkdirSync(join(maildir, name), { recursive: true });
    writeFileSync(join(maildir, 'new', '1762164672.M1.host'), first);
    writeFileSync(join(maildir, 'cur', '1762164671.M1.host:2,S'), second);
    writeFileSync(join(maildir, 'tmp', '1762164673.M1.host'), first.slice(0, 300));
    writeFileSync(join(maildir, 'dovecot.index.log'), 'x');
    const { out } = await runCli(['bounces', maildir], pipe);
    expect(kindsOf(out).sort()).toEqual(want);
    const eml = await runCli(['bounces', file('a.eml', first), file('b.eml', second)], pipe);
    expect(kindsOf(eml.out)).toEqual(want);
  });

  test.each([
    { name: 'a missing file', args: ['no-such.mbox'], status: 2, says: 'There is no file or folder no-such.mbox' },
    { name: 'an unknown kind', args: ['-', '--only', 'hrad'], status: 2, says: 'is not a kind of bounce' },
    { name: 'an unknown field', args: ['-', '--fields', 'adress'], status: 2, says: 'Did you mean address?' },
  ])('$name is a usage error', async ({ args, status, says }) => {
    const run = await runCli(['bounces', ...args], { ...pipe, stdin: '' });
    expect(run.status).toBe(status);
    expect(run.err).toContain(says);
  });

  test('an input without bounces is not an error', async () => {
    const { status, out, err } = await runCli(['bounces', file('empty.mbox', '')], pipe);
    expect({ status, out }).toEqual({ status: 0, out: '' });
    expect(err).toContain('0 messages read: 0 hard');
  });
});

describe('events', () => {
  const inputs = new Map(readSections('inputs'));
  const ses = (inputs.get('Amazon SES, also by SNS') ?? '')
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));

  test.each([...inputs])('%s', async (_name, section) => {
    const [want = '', ...lines] = section.split('\n');
    expect(kindsOf((await read(lines.join('\n'))).out).join(', ')).toBe(want);
  });

  test.each([
    ['an array', JSON.stringify(ses, null, 2)],
    ['objects on several lines', ses.map((event) => JSON.stringify(event, null, 2)).join('\n')],
  ])('Amazon SES as %s', async (_name, text) => {
    const { out } = await read(text);
    expect(kindsOf(out)).toHaveLength(4);
    expect(rowsOf(out)[0]).toMatchObject({
      ...{ message_id: 'm1@sender.example', reporting_mta: 'email.example', date: '2026-11-03T10:11:12.000Z' },
    });
  });

  test('the source of a row of CSV is its line in the file', async () => {
    const stdin = 'email,reply\na@x.org,"550 5.1.1\nno such user"\nb@x.org,gibberish\n';
    const { out } = await read(stdin);
    expect(rowsOf(out).map(({ source }) => source)).toEqual(['stdin:2', 'stdin:4']);
  });

  test('a broken event does not stop the run', async () => {
    const stdin = `${JSON.stringify(ses[0])}\n{"bounce": {"x": "unclosed\n${JSON.stringify(ses[3])}\n`;
    const { out, err } = await read(stdin);
    expect(kindsOf(out)).toEqual(['a@rcpt.example hard', ' unreadable', 'd@rcpt.example complaint']);
    expect(rowsOf(out)[1]).toMatchObject({ source: 'stdin:2' });
    expect(err).toContain('1 report could not be read');
  });

  const broken = [
    'rcpt.example',
    '@rcpt.example',
    'x',
    'a@rcpt.example, b@',
    'Ada a@rcpt.example',
    'b@x.org <a@x.org>',
  ];
  const sesOf = (emailAddress: string) => {
    const bouncedRecipients = [{ emailAddress, diagnosticCode: 'smtp; 550 5.1.1 unknown' }];
    return { ...ses[0], bounce: { ...ses[0].bounce, bouncedRecipients } };
  };
  const postmarkOf = (Email: string) => ({ ID: 1, Type: 'HardBounce', Email, Details: 'smtp;550 5.1.1 unknown' });
  const csvOf = (recipient: string) =>
    `recipient,smtp_response\na@rcpt.example,250 OK\n"${recipient.replaceAll('"', '""')}",550 5.1.1 no such user\n`;
  const formats = [
    { name: 'Amazon SES', create: (text: string) => JSON.stringify(sesOf(text)) },
    { name: 'Postmark', create: (text: string) => JSON.stringify(postmarkOf(text)) },
    { name: 'CSV', create: csvOf },
  ];

  test.each(formats)('$name: what is not an address is unreadable, and is never suppressed', async ({ create }) => {
    for (const text of broken) {
      const path = join(folder, `${++files}-stop.csv`);
      const environment = { MAILVET_HOME: join(folder, 'home') };
      const stdin = create(text);
      const { out, err } = await runCli(['bounces', '-', '--suppress', path], { ...pipe, stdin, environment });
      expect([text, kindsOf(out)]).toEqual([text, [' unreadable']]);
      expect(err).toContain('1 report could not be read');
      expect(readFileSync(path, 'utf8')).toBe('address,since,kind,times\n');
    }
  });

  test.each(formats)('$name: of several addresses, those that the reply names are bounces', async ({ create }) => {
    for (const { text, want } of [
      { text: 'a@rcpt.example, b@rcpt.example', want: [' unreadable'] },
      { text: 'Ada <a@rcpt.example>; Bob <b@rcpt.example>', want: [' unreadable'] },
      { text: 'a@rcpt.example; a@rcpt.example', want: ['a@rcpt.example hard'] },
      { text: '"b@rcpt.example" <a@rcpt.example>', want: ['a@rcpt.example hard'] },
    ]) {
      const { out } = await read(create(text));
      expect([text, kindsOf(out)]).toEqual([text, want]);
      const reply = create(text).replace('550 5.1.1', '550 5.1.1 <A@rcpt.example>');
      const named = await read(reply);
      expect(kindsOf(named.out)).toEqual(['a@rcpt.example hard']);
    }
  });

  test('deliveries of SES and Postmark; one in a mail, which anybody can send, is not believed', async () => {
    const events = [
      {
        eventType: 'Delivery',
        delivery: { timestamp: '2026-11-03T10:11:12.000Z', recipients: ['a@rcpt.example'], smtpResponse: '250 OK' },
        mail: { messageId: 'ses-4' },
      },
      { RecordType: 'Delivery', Recipient: 'b@rcpt.example', DeliveredAt: '2026-11-03T10:11:12Z', Details: '250 OK' },
    ];
    const stdin = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    const { out } = await read(stdin, '--only', 'delivered');
    expect(rowsOf(out)).toMatchObject(
      ['a', 'b'].map((name) => ({
        address: `${name}@rcpt.example`,
        ...{ kind: 'delivered', reply: '250 OK', date: '2026-11-03T10:11:12.000Z' },
      })),
    );
    const forged = `From: no-reply@sns.amazonaws.com\nSubject: AWS Notification\n\n${JSON.stringify(events[0])}\n`;
    const mailed = await read(forged, '--only', 'delivered');
    expect([mailed.out, mailed.err.includes('1 other')]).toEqual(['', true]);
  });

  test('of any CSV, the columns are named', async () => {
    const other = 'who;what\na@rcpt.example;550 5.1.1 No such user\nb@rcpt.example;250 OK\nc@rcpt.example;\n';
    const path = file('export.csv', other);
    const guessed = await runCli(['bounces', path], pipe);
    expect(guessed.status).toBe(2);
    expect(guessed.err).toContain('--reply-column');
    const named = await runCli(['bounces', path, '--column', 'who', '--reply-column', '2'], pipe);
    expect(kindsOf(named.out)).toEqual(['a@rcpt.example hard']);
  });
});

describe('a row of CSV without a reply', () => {
  test.each(['event', 'type', 'status'])('is a bounce if the column "%s" says so', async (column) => {
    const names = ['bounce', 'hard_bounce', 'Soft Bounce', 'delivered', 'processed', ''];
    const lines = names.map((name, at) => `${name},u${at}@rcpt.example,\n`);
    const stdin = `${column},recipient,smtp_response\n${lines.join('')}bounce,g@rcpt.example,550 5.1.1 User unknown\n`;
    const { out, err } = await read(stdin);
    expect(kindsOf(out)).toEqual([
      'u0@rcpt.example unreadable',
      'u1@rcpt.example hard',
      'u2@rcpt.example soft',
      'g@rcpt.example hard',
    ]);
    expect(err).toContain('1 unreadable · 1 delivered · 2 other');
  });

  test.each(['event', 'status'])(
    'is a notice of delay if the column "%s" says so, with a reply or without',
    async (column) => {
      const stdin = `${column},recipient,response\ndeferred,a@rcpt.example,421 4.7.0 Try later\nDeferred,b@rcpt.example,\n`;
      const { out, err } = await read(stdin);
      expect(out).toBe('');
      expect(err).toContain('2 notices of delay');
    },
  );

  test.each(['bounce_type', 'bounceType'])('is a bounce by a word in the column "%s"', async (column) => {
    const names = ['hard', 'Hard Bounce', 'Permanent', 'soft', 'Transient', 'Undetermined', 'unknown', 'none', '-', ''];
    const stdin = `email,event_type,${column}\n${names.map((name, at) => `u${at}@rcpt.example,bounce,${name}\n`).join('')}`;
    const { out } = await read(stdin.replaceAll(',bounce,none', ',open,none'));
    expect(kindsOf(out)).toEqual([
      ...['u0@rcpt.example hard', 'u1@rcpt.example hard', 'u2@rcpt.example hard'],
      ...['u3@rcpt.example soft', 'u4@rcpt.example soft'],
      ...['u5@rcpt.example unreadable', 'u6@rcpt.example unreadable'],
      // The column of the event still says that it bounced.
      ...['u8@rcpt.example unreadable', 'u9@rcpt.example unreadable'],
    ]);
  });
});

describe('output', () => {
  const stdin = mbox(
    bounce('exim', 'a@rcpt.example'),
    bounce('exim', '=cmd@rcpt.example', full),
    bounce('gmail', 'c@rcpt.example', { status: '5.7.1', reply: '550 5.7.1 Spam' }),
  );

  test('CSV with all fields', async () => {
    const target = join(folder, 'out.csv');
    const { status } = await read(stdin, '-o', target);
    expect(status).toBe(0);
    const [head, first, second] = readFileSync(target, 'utf8').split('\n');
    expect(head).toBe('address,date,kind,status,sub_status,reply,reporting_mta,message_id,source');
    expect(first).toBe(
      'a@rcpt.example,2026-11-03T10:11:12.000Z,hard,invalid,mailbox_not_found,550 5.1.1 User unknown,,20261103.1@sender.example,stdin:0',
    );
    expect(second).toMatch(/^'=cmd@/);
  });

  test('--only with plain addresses', async () => {
    const { out } = await read(stdin, '--only', 'hard,policy', '--format', 'plain');
    expect(out).toBe('a@rcpt.example\nc@rcpt.example\n');
  });

  test('one document with --json', async () => {
    const { out } = await read(stdin, '--json', '--fields', 'address,kind');
    expect(JSON.parse(out)).toMatchObject({
      results: [{ address: 'a@rcpt.example', kind: 'hard' }, {}, {}],
      messages: 3,
      total: 3,
      hard_count: 1,
      soft_count: 1,
      policy_count: 1,
    });
  });

  test('messages, events and rows are counted apart', async () => {
    const rows = file('export.csv', 'email,reply\na@rcpt.example,550 5.1.1 no such user\nb@rcpt.example,250 OK\n');
    const event = file(
      'event.json',
      JSON.stringify({ RecordType: 'Bounce', Type: 'HardBounce', Email: 'c@rcpt.example' }),
    );
    const inbox = file('inbox.mbox', stdin);
    const { err } = await runCli(['bounces', inbox, event, rows], { columns: 200 });
    expect(err).toMatch(/^3 messages, 1 event, and 2 rows read: 3 hard .* · 1 other$/m);
    expect((await runCli(['bounces', rows], { columns: 200 })).err).toMatch(/^2 rows read: /m);
    const { out } = await runCli(['bounces', inbox, event, rows, '--json'], pipe);
    expect(JSON.parse(out)).toMatchObject({ messages: 6, event_count: 1, row_count: 2 });
  });

  test.each([40, 80, 140])('a table of %i columns says where an unreadable report is', async (columns) => {
    const { out } = await runCli(['bounces', '-', '--only', 'unreadable'], { stdin: '{"bounce": {\n', columns });
    expect(out).toMatch(/^unreadable +in stdin:1$/m);
  });

  test.each([40, 80, 140])('a table of %i columns', async (columns) => {
    const { out, err } = await runCli(['bounces', '-'], { stdin, columns });
    expect(out).toMatch(/^KIND +ADDRESS/);
    expect(out).toMatch(/^hard {4}a@rcpt\.example\s+mailbox_not_found\s+550 5\.1\.1 User unknown$/m);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(err.replace(/\s+(?:· )?/g, ' ')).toContain(
      '3 messages read: 1 hard 1 soft 1 policy 0 complaints 0 unreadable',
    );
  });

  test.each([
    ['-o', 'vetted.csv', '--against', 'vetted.csv'],
    ['--report', 'sent.csv', '--sent', 'sent.csv'],
    ['-o', 'stop.csv', '--suppress', 'stop.csv'],
  ])('%s %s with %s %s is refused, and the file stays', async (...flags) => {
    const path = file(flags[1] ?? '', 'email\na@rcpt.example\n');
    const args = flags.map((word) => (word.startsWith('-') ? word : path));
    expect((await runCli(['bounces', file('in.mbox', stdin), ...args, '--format', 'csv'], pipe)).status).toBe(2);
    expect(readFileSync(path, 'utf8')).toBe('email\na@rcpt.example\n');
  });

  test('the input is not overwritten', async () => {
    const path = file('own.mbox', stdin);
    const { status, err } = await runCli(['bounces', path, '-o', path, '--format', 'csv'], pipe);
    expect(status).toBe(2);
    expect(err).toContain('is the list itself');
  });
});

describe('the end on a terminal', () => {
  const mail = mbox(bounce('exim', 'a@rcpt.example'), bounce('qmail', 'b@rcpt.example', full));

  test.each([
    { name: 'all rows', flags: [], rows: '2 rows' },
    { name: 'the rows of --only', flags: ['--only', 'hard'], rows: '1 row' },
  ])('names the file, and counts $name', async ({ flags, rows }) => {
    const path = join(folder, 'terminal.csv');
    const { err } = await runCli(['bounces', file('b.mbox', mail), '-o', path, ...flags], { columns: 300 });
    // After the progress line.
    expect(err.split('\u001b[K').at(-1)).toMatch(
      /^2 messages read: 1 hard · 1 soft .*\n {2}Wrote +(\S+) \((\d+ rows?)\)\n$/,
    );
    expect(err).toContain(`${path} (${rows})\n`);
  });

  test('names the report, and is apart from rows on the screen', async () => {
    const [report, vetted] = [
      join(folder, 'end.html'),
      file('vetted.csv', 'email,mailvet_status\na@rcpt.example,valid\n'),
    ];
    const environment = { MAILVET_HOME: join(folder, 'end') };
    const flags = ['--against', vetted, '--report', report];
    const { err } = await runCli(['bounces', file('b.mbox', mail), ...flags], { columns: 300, environment });
    expect(err).toMatch(/^\n2 messages read: /);
    expect(err).toContain(`  Wrote           ${report}\n`);
  });
});

describe('--suppress', () => {
  const home = join(folder, 'home');
  const environment = { MAILVET_HOME: home };
  const complaint = JSON.stringify({
    notificationType: 'Complaint',
    complaint: {
      complainedRecipients: [{ emailAddress: 'A@rcpt.example' }],
      timestamp: '2026-11-05T10:11:12.000Z',
      feedbackId: 'f2',
    },
    mail: { messageId: 'ses-2' },
  });
  const run = (stdin: string, path: string) =>
    runCli(['bounces', '-', '--suppress', path], { ...pipe, stdin, environment });
  const runExcluding = (path: string) => {
    const list = file('list.csv', 'email\na@rcpt.example\nb@rcpt.example\nnew@rcpt.example\n');
    const flags = ['--exclude', path, '--format', 'csv', '--fields', 'email,status'];
    return runCli(['bulk', list, ...flags], { ...pipe, environment });
  };

  test('adds hard bounces and complaints once; reading the same mail again changes nothing', async () => {
    const path = join(folder, 'stop.csv');
    const mail = mbox(
      bounce('exim', 'a@rcpt.example'),
      bounce('postfix', 'b@rcpt.example', full),
      bounce('sendmail', 'c@gone.example'),
    );
    const first = await run(mail, path);
    expect([first.status, first.err.includes('2 addresses added')]).toEqual([0, true]);
    const content = 'address,since,kind,times\na@rcpt.example,2026-11-03,hard,1\nc@gone.example,2026-11-03,hard,1\n';
    expect(readFileSync(path, 'utf8')).toBe(content);
    await run(mail, path);
    expect(readFileSync(path, 'utf8')).toBe(content);
    await run(complaint, path);
    expect(readFileSync(path, 'utf8')).toContain('a@rcpt.example,2026-11-03,complaint,2\n');
    expect(readFileSync(`${path}.seen`, 'utf8')).not.toContain('rcpt.example');
  });

  test.each([
    { column: 'date', day: '2026-10-03' },
    { column: 'When', day: '2026-10-03' },
    { column: 'day_of_bounce', day: new Date().toISOString().slice(0, 10) },
  ])('the day of a row of CSV is in the column $column, or else today with a note', async ({ column, day }) => {
    const path = join(folder, `${column}-stop.csv`);
    const rows = `email,reply,${column}\na@rcpt.example,550 5.1.1 no such user,2026-10-03\n`;
    const { err } = await run(rows, path);
    expect(readFileSync(path, 'utf8')).toContain(`a@rcpt.example,${day},hard,1\n`);
    const isDated = day === '2026-10-03';
    expect(err.includes('1 of the added addresses has no readable date, so "since" is today.')).toBe(!isDated);
  });

  test('a later bounce with a date gives the day', async () => {
    const path = join(folder, 'later-stop.csv');
    const reply = 'a@rcpt.example,550 5.1.1 no such user';
    const { err } = await run(`email,reply,date\n${reply},\n${reply},2026-10-03\n`, path);
    expect(readFileSync(path, 'utf8')).toContain('a@rcpt.example,2026-10-03,hard,2\n');
    expect(err).not.toContain('no readable date');
  });

  test('is described with its second file', async () => {
    expect((await runCli(['bounces', '--help'], { columns: 300 })).out).toMatch(/--suppress <file> .*FILE\.seen/);
  });

  test('--exclude accepts a list that has no address yet', async () => {
    const list = join(folder, 'empty-stop.csv');
    await run(mbox(bounce('qmail', 'b@rcpt.example', full)), list);
    expect(readFileSync(list, 'utf8')).toBe('address,since,kind,times\n');
    const { status, out } = await runExcluding(list);
    expect(status).toBe(0);
    expect(out).not.toContain('suppressed');
  });

  test('--exclude accepts the list', async () => {
    const path = join(folder, 'filled-stop.csv');
    await run(mbox(bounce('exim', 'a@rcpt.example')), path);
    const { out } = await runExcluding(path);
    expect(out).toContain('a@rcpt.example,suppressed');
    expect(out).not.toContain('new@rcpt.example,suppressed');
  });

  test.each([
    { entry: 'rcpt.example', name: 'a domain', suppresses: true },
    { entry: '"""new shop""@rcpt.example"', name: 'a quoted local part', suppresses: false },
    { entry: 'new', name: 'other text', suppresses: false },
  ])('--exclude reads a list whose only entry is $name', async ({ entry, suppresses }) => {
    const path = file('one-stop.csv', `address,since,kind,times\n${entry},2026-11-03,hard,1\n`);
    const { status, out } = await runExcluding(path);
    expect([status, out.includes('new@rcpt.example,suppressed')]).toEqual([0, suppresses]);
    const again = await run(mbox(bounce('exim', 'a@rcpt.example')), path);
    expect([again.status, again.err.includes('which has 2')]).toEqual([0, true]);
  });

  test('another table is not overwritten', async () => {
    const path = file('customers.csv', 'name,email\nAda,ada@rcpt.example\n');
    const { status, err } = await run(mbox(bounce('exim', 'a@rcpt.example')), path);
    expect([status, err.includes('is not a suppression list')]).toEqual([2, true]);
    expect(readFileSync(path, 'utf8')).toBe('name,email\nAda,ada@rcpt.example\n');
  });
});

describe('--against and --sent', () => {
  const environment = { MAILVET_HOME: join(folder, 'home') };
  const vetted = file(
    'vetted.csv',
    `email,mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean
good@rcpt.example,valid,,0.97,true,
gone@rcpt.example,valid,,0.97,true,
all@rcpt.example,risky,catch_all,0.6,false,
bad@rcpt.example,invalid,mailbox_not_found,0.98,false,
left@rcpt.example,valid,,0.97,true,
`,
  );
  const sent = file(
    'sent.csv',
    'email,message_id\ngood@rcpt.example,m1@x\ngone@rcpt.example,m2@x\nall@rcpt.example,m3@x\nbad@rcpt.example,m4@x\nnew@rcpt.example,m5@x\n',
  );
  const mail = mbox(
    bounce('exim', 'gone@rcpt.example'),
    bounce('qmail', 'bad@rcpt.example'),
    bounce('postfix', 'forged@other.example'),
  );

  test('a bounce for an unknown reason is not delivered, and nothing is learned from it', async () => {
    const events = 'email,event,reason\ngood@rcpt.example,bounce,\nall@rcpt.example,bounce,could not be delivered\n';
    const home = join(folder, 'unreadable');
    const args = ['bounces', file('events.csv', events), '--against', vetted, '--sent', sent, '--learn', '--json'];
    const { out, err } = await runCli(args, { tty: false, environment: { MAILVET_HOME: home } });
    const { outcomes } = JSON.parse(out) as { outcomes: Record<string, unknown> };
    expect(outcomes).toMatchObject({
      by_status: expect.arrayContaining([
        expect.objectContaining({ name: 'valid', mailed: 2, no_bounce_seen: 1, delivered: 0, unreadable: 1 }),
        expect.objectContaining({ name: 'risky', mailed: 1, no_bounce_seen: 0, unreadable: 1 }),
      ]),
    });
    expect(err).toContain('On record: 0 mailed addresses');
  });

  test('a file that is missing is named', async () => {
    const args = ['bounces', '-', '--against', join(folder, 'missing.csv')];
    const { status, err } = await runCli(args, { tty: false, stdin: mail, environment });
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining('There is no file') });
  });

  test('print a comparison of verdicts with outcomes, and write a report', async () => {
    const [rows, report] = [join(folder, 'rows.csv'), join(folder, 'truth.html')];
    const args = ['bounces', '-', '--against', vetted, '--sent', sent, '-o', rows, '--report', report];
    const { status, out, err } = await runCli(args, { ...pipe, stdin: mail, environment });
    expect([status, err.includes('3 messages read: 3 hard')]).toEqual([0, true]);
    expect(out).toMatch(/^valid +1 +1 +50% \(9.5–90.5%\)$/m);
    expect(out).toMatch(/^catch_all +1 /m);
    expect(out).toContain('False valid: 1 of 2 mailed valid addresses, 50%');
    expect(out).toContain('Saved bounces: 1 of 1 mailed invalid address, 100%');
    expect(out.replace(/\s+/g, ' ')).toContain(
      'that were delivered (a complaint shows that, too), bounced hard, or for which no bounce was seen. A soft',
    );
    expect(out).toContain('1 address without a verdict · 1 bounce of other addresses');
    expect(readFileSync(rows, 'utf8').split('\n')).toHaveLength(5);
    const page = readFileSync(report, 'utf8');
    for (const text of ['gone@rcpt.example', '1 of 2 mailed valid addresses', 'for which no bounce was seen']) {
      expect(page).toContain(text);
    }
  });

  test('a narrow screen has a title above the blocks of each table', async () => {
    const args = ['bounces', '-', '--against', vetted, '--sent', sent];
    const { err } = await runCli(args, { stdin: mail, environment, columns: 35 });
    expect(err).toMatch(/^VERDICT\nvalid\n {2}NO BOUNCE SEEN/m);
    expect(err).toMatch(/^REASON\nvalid\n {2}NO BOUNCE SEEN/m);
    expect(err).toMatch(/^CONFIDENCE\n60%\n {2}WAS RIGHT/m);
  });

  test('as JSON, the comparison is in the document', async () => {
    const { out } = await runCli(['bounces', '-', '--json', '--against', vetted, '--sent', sent], {
      ...pipe,
      stdin: mail,
      environment,
    });
    expect(JSON.parse(out)).toMatchObject({
      hard_count: 3,
      outcomes: {
        mailed: 4,
        not_vetted: 1,
        not_sent: 1,
        false_valid: { count: 1, of: 2 },
        saved_bounces: { count: 1, of: 1 },
      },
    });
  });

  test('a mail log says what was mailed, delivered, and bounced after it was accepted', async () => {
    const relay = 'relay=mx.rcpt.example[192.0.2.1]:25, delay=1, dsn=2.0.0, status=sent (250 2.0.0 Ok)';
    const line = (name: string) => `Nov  2 10:11:12 mail postfix/smtp[9]: 4F1A: to=<${name}@rcpt.example>, ${relay}\n`;
    const log = file('mail.log', ['good', 'all', 'gone', 'stranger'].map(line).join(''));
    const args = ['bounces', log, file('late.mbox', mail), '--against', vetted];
    const { out } = await runCli([...args, '--json'], { ...pipe, environment });
    expect(JSON.parse(out)).toMatchObject({
      ...{ line_count: 4, delivered_count: 4, results: expect.arrayContaining([]) },
      outcomes: {
        knows_sent: true,
        by_status: [
          { name: 'valid', mailed: 2, delivered: 1, hard: 1, no_bounce_seen: 0 },
          { name: 'risky', mailed: 1, delivered: 1 },
          { name: 'invalid', mailed: 1, hard: 1 },
        ],
        late_bounces: { count: 1, of: 3 },
      },
    });
    const shown = await runCli([...args, '--only', 'delivered', '--format', 'plain', '-q'], { ...pipe, environment });
    expect(shown.out.split('\n')).toEqual([
      ...['good', 'all', 'gone', 'stranger'].map((name) => `${name}@rcpt.example`),
      '',
    ]);
  });

  test('without --sent nothing counts as delivered', async () => {
    const { out, err } = await runCli(['bounces', '-', '--json', '--against', vetted], {
      ...pipe,
      stdin: mail,
      environment,
    });
    expect(JSON.parse(out).outcomes).toMatchObject({ knows_sent: false, mailed: 2, calibration_error: null });
    expect(err).toContain('Without --sent FILE');
  });

  test.each([
    ['a file without verdicts', ['--against', sent], 'has no results'],
    ['a missing list', ['--sent', 'none.csv'], 'none.csv'],
    ['a report in a missing folder', ['--against', vetted, '--report', 'no/x.html'], 'folder does not exist'],
    ['a report of nothing', ['--report', join(folder, 'x.html')], '--report needs --against or --sent'],
  ])('%s is refused before any work', async (_name, args, says) => {
    const { status, out, err } = await runCli(['bounces', '-', ...args], { ...pipe, stdin: mail, environment });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(says);
  });
});

test('a bounce of forwarded mail counts for the address that it was sent to, by its Message-ID', async () => {
  const sent = file('sent.csv', 'email,message_id\na@x.example,<1@s>\nb@x.example,<2@s>\nc@x.example,<2@s>\n');
  const against = file(
    'vetted.csv',
    'email,mailvet_status,mailvet_confidence\na@x.example,valid,0.9\nb@x.example,valid,0.9\nc@x.example,valid,0.9\n',
  );
  const recall = async () => new Map();
  const tracker = await openOutcomes({ sent, against, recall, signal: new AbortController().signal });
  const hard = { kind: 'hard', status: 'invalid', sub_status: 'mailbox_not_found' } as const;
  const forwarded = (message_id: string) =>
    tracker.add({
      ...hard,
      address: 'z@else.example',
      reply: '550',
      message_id,
      date: '',
      reporting_mta: '',
      source: '',
    });
  forwarded('1@s');
  // Two addresses share this Message-ID, and the other was never sent.
  forwarded('2@s');
  forwarded('3@s');
  const { not_sent, mailed, false_valid } = await tracker.stats();
  expect({ not_sent, mailed }).toEqual({ not_sent: 2, mailed: 3 });
  expect(false_valid).toMatchObject({ count: 1, of: 3 });
});

describe('--learn', () => {
  const home = join(folder, 'learning');
  const environment = { MAILVET_HOME: home };
  const head = 'email,mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean\n';
  const names = Array.from({ length: 10 }, (_, at) => `n${at}@all.example`);
  const vetted = file(
    'learn.csv',
    `${head}${names.map((name) => `${name},risky,catch_all,0.6,false,\n`).join('')}v@sure.example,valid,,0.97,true,\n`,
  );
  const sent = file('mailed.txt', `${names.join('\n')}\nv@sure.example\n`);
  const mail = mbox(
    bounce('exim', 'n0@all.example'),
    bounce('qmail', 'n1@all.example'),
    bounce('postfix', 'n2@all.example', full),
    bounce('postfix', 'forged@all.example'),
  );
  const learn = () =>
    runCli(['bounces', '-', '-q', '--only', 'soft', '--learn', '--against', vetted, '--sent', sent], {
      ...pipe,
      stdin: mail,
      environment,
    });

  const find = async (email: string) => {
    const learned = openLearned({ home });
    try {
      return await learned.find(email);
    } finally {
      await learned.close();
    }
  };

  test('stores the rates of domains; forged bounces and a second run change nothing', async () => {
    for (let time = 0; time < 2; time++) {
      expect((await learn()).status).toBe(0);
      expect((await find('x@all.example')).deliveries).toEqual({ delivered: 7, mailed: 9 });
      expect(await find('x@sure.example')).toEqual({});
    }
  });

  test('keeps what a mail log says was delivered; only a bounce of what was mailed takes it back', async () => {
    const stamp = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString();
    const line = (name: string, daysAgo: number) =>
      `${stamp(daysAgo)} mail postfix/smtp[9]: 4F1A: to=<${name}@log.example>, relay=mx.log.example[192.0.2.1]:25, delay=1, dsn=2.0.0, status=sent (250 2.0.0 Ok)\n`;
    const log = file('mail.log', line('ann', 9) + line('ann', 5) + line('bob', 9));
    const late = (name: string) =>
      bounce('exim', `${name}@log.example`).replace(
        /^Date:.*\n/m,
        `Date: ${new Date(Date.now() - 86_400_000).toUTCString()}\n`,
      );
    const mailbox = file('late.mbox', mbox(late('bob'), late('forged')));
    // The notice may be read before the log.
    const { err } = await runCli(['bounces', mailbox, log, '--learn', '--only', 'soft'], { ...pipe, environment });
    expect(err).toContain('Of those that took mail, 1 of 2, 50%');
    expect((await find('ann@log.example')).delivery).toMatchObject({ daysSinceFirst: 9, daysSinceLast: 5 });
    expect((await find('bob@log.example')).delivery).toMatchObject({ first: null });
    expect((await find('forged@log.example')).delivery).toBeUndefined();
  });

  test('forget removes the rates', async () => {
    const { status, err } = await runCli(['bounces', 'forget'], { ...pipe, environment });
    expect([status, err.includes('Removed')]).toEqual([0, true]);
    expect(await find('x@all.example')).toEqual({});
    expect((await runCli(['bounces', 'forget'], { ...pipe, environment })).err).toContain('Nothing was learned');
  });
});
