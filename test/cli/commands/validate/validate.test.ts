import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../src/model/failure.js';
import { fakeService, resultOf } from '../../../fakes/service.js';
import { runCli } from '../../run-cli.js';

const piped = { tty: false };

test.each([
  { name: 'a remote service', flags: ['--remote'], want: 4 },
  { name: 'the engine', flags: [], want: 20 },
])('several addresses are asked of $name $want at a time', async ({ flags, want }) => {
  let [open, maxOpen] = [0, 0];
  const service = fakeService({
    validate: async (email) => {
      maxOpen = Math.max(maxOpen, ++open);
      await new Promise(setImmediate);
      open--;
      return resultOf(email);
    },
  });
  const emails = Array.from({ length: 50 }, (_, index) => `u${index}@b.co`);
  await runCli(['validate', ...emails, ...flags], { ...piped, service });
  expect(maxOpen).toBe(want);
});

describe('formats', () => {
  test.each([
    ['a terminal gets a card', ['a@b.co'], {}, /^✔ valid {3}a@b\.co\n {2}The mail .*\n[\s\S]*Confidence 95% /],
    [
      'several addresses get one line each',
      ['a@b.co', 'invalid@b.co'],
      {},
      /^STATUS .*\n✔ valid .*a@b\.co\n✖ invalid .*invalid@b\.co/,
    ],
    ['a pipe gets JSON', ['a@b.co'], piped, /^\{"email":"a@b\.co","status":"valid".*\}\n$/],
    ['several addresses in a pipe get one object per line', ['a@b.co', 'c@b.co'], piped, /^\{.*\}\n\{.*\}\n$/],
    ['--json on a terminal is indented', ['a@b.co', '--json'], {}, /^\{\n {2}"email": "a@b\.co",\n/],
    ['plain is the bare address', ['a@b.co', '--format', 'plain'], {}, /^a@b\.co\n$/],
    [
      'csv has the verdict columns',
      ['a@b.co', '--format', 'csv'],
      {},
      /^email,mailvet_status,.*\na@b\.co,valid,,0\.95,true,\n$/,
    ],
    [
      'fields are chosen',
      ['a@b.co', '--json', '--fields', 'email,details.domain'],
      piped,
      /^\{"email":"a@b\.co","details\.domain":"b\.co"\}\n$/,
    ],
    [
      'fields in plain are tab-separated',
      ['a@b.co', '--format', 'plain', '--fields', 'status,email'],
      piped,
      /^valid\ta@b\.co\n$/,
    ],
    [
      '--only omits other statuses',
      ['a@b.co', 'invalid@b.co', '--only', 'invalid', '--format', 'plain'],
      piped,
      /^invalid@b\.co\n$/,
    ],
    ['color is on if the terminal supports it', ['a@b.co'], { color: true }, /\x1b\[32m/],
    ['--no-color switches it off', ['a@b.co', '--no-color'], { color: true }, /^✔ valid {3}a@b\.co\n/],
  ])('%s', async (_name, args, world, want) => expect((await runCli(['validate', ...args], world)).out).toMatch(want));

  test('the JSON of one address is only the result', async () => {
    const { out } = await runCli(['validate', 'a@b.co'], piped);
    expect(JSON.parse(out)).toEqual(resultOf('a@b.co'));
  });

  test('no text from the network moves the cursor', async () => {
    const service = fakeService({
      validate: async (email) => resultOf(email, { status: 'odd\x1b[2J', sub_status: '\u202eevil', is_valid: false }),
    });
    const { out } = await runCli(['validate', 'a\x1b]0;x\x07@b.co'], { service });
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  });
});

test.each([
  { name: '0 if all are valid', args: ['a@b.co', 'c@d.co'], status: 0 },
  { name: '1 if one is not valid', args: ['a@b.co', 'risky@d.co'], status: 1 },
  { name: '1 if the only address is unknown', args: ['unknown@d.co'], status: 1 },
  { name: '1 if --only hides an invalid address', args: ['invalid@d.co', '--only', 'valid'], status: 1 },
])('exit status: $name', async ({ args, status }) => {
  expect((await runCli(['validate', ...args], piped)).status).toBe(status);
});

test.each([
  { name: 'stdin', args: ['-'], stdin: 'ada@b.co\nbob@b.co\nada@B.co\nada@b.co\n' },
  { name: 'the command line', args: ['ada@b.co', 'bob@b.co', 'ada@B.co', 'ada@b.co'], stdin: '' },
])('a service is asked, and paid, once for equal addresses of $name', async ({ args, stdin }) => {
  const asked: string[] = [];
  const validate = async (email: string) => {
    asked.push(email);
    return resultOf(email);
  };
  const command = ['validate', ...args, '--remote', '--format', 'plain'];
  const { out } = await runCli(command, { tty: false, stdin, service: fakeService({ validate }) });
  expect(asked).toEqual(['ada@b.co', 'bob@b.co']);
  expect(out.match(/\S+@\S+/g)).toEqual(['ada@b.co', 'bob@b.co', 'ada@B.co', 'ada@b.co']);
});

describe('stdin', () => {
  test.each([
    { name: '-', args: ['-'] },
    { name: 'no argument', args: [] },
  ])('$name reads lines, in order, without empty ones', async ({ args }) => {
    const stdin = '\ufeffa@b.co\r\n\n  c@b.co \ninvalid@b.co';
    const run = await runCli(['validate', ...args, '--format', 'plain'], { tty: false, stdin });
    expect(run.out).toBe('a@b.co\nc@b.co\ninvalid@b.co\n');
    expect(run.status).toBe(1);
  });

  test.each([
    { name: 'names and quotes around it', stdin: 'Ada <a@b.co>\n"c@b.co",\nmailto:d@b.co\n' },
    { name: 'several in a line', stdin: 'a@b.co; c@b.co\nd@b.co\n' },
    { name: 'UTF-16, as PowerShell writes it', stdin: Buffer.from('\ufeffa@b.co\r\nc@b.co\r\nd@b.co\r\n', 'utf16le') },
  ])('reads a line as bulk does: $name', async ({ stdin }) => {
    const read = (command: string) => runCli([command, '-', '--format', 'plain'], { tty: false, stdin });
    const run = await read('validate');
    expect(run).toMatchObject({ status: 0, out: 'a@b.co\nc@b.co\nd@b.co\n', err: '' });
    expect((await read('bulk')).out).toBe(run.out);
  });

  test('warns of an address that is not UTF-8, and does not vet a guess', async () => {
    const stdin = Buffer.from('a@b.co\nj\xfcrgen@b.co\n', 'latin1');
    const { out, err } = await runCli(['validate', '-', '--format', 'plain'], { tty: false, stdin });
    expect({ out, err }).toEqual({
      out: 'a@b.co\n\ufffdjürgen@b.co\n',
      err: expect.stringContaining('Name it, for example "mailvet bulk --encoding windows-1252".'),
    });
  });

  test.each([
    { name: 'nothing', stdin: '' },
    { name: 'blanks and comments', stdin: '\n# nobody yet\n' },
  ])('$name is noted, but is not a failure', async ({ stdin }) => {
    const run = await runCli(['validate'], { tty: false, stdin });
    expect(run).toMatchObject({ status: 0, out: '', err: 'note: No addresses were given.\n' });
  });
});

describe('settings reach the back end', () => {
  test('flags', async () => {
    const set = ['resolvers=127.0.0.1', 'resolvers=127.0.0.2:53', 'ai=false'].flatMap((each) => ['--set', each]);
    const { opened } = await runCli(['validate', 'a@b.co', '--level', 'dns', '--timeout', '2s', ...set]);
    expect(opened[0]).toMatchObject({
      mode: 'local',
      level: 'dns',
      resolvers: ['127.0.0.1', '127.0.0.2:53'],
      ai: false,
      timeoutMs: 2000,
    });
  });

  test('--remote and --get', async () => {
    const { opened, options } = await runCli(['validate', 'a@b.co', '--remote', '--get']);
    expect(opened[0]).toMatchObject({ mode: 'remote' });
    expect(options[0]).toMatchObject({ useGet: true });
  });

  test.each([
    {
      name: 'one',
      args: ['--set', 'ai=false'],
      want: '--set ai has no effect: the remote service uses its own settings.',
    },
    {
      name: 'several',
      args: ['--set', 'ai=false', '--set', 'resolvers=127.0.0.1', '--set', 'tls=required'],
      want: '--set resolvers, --set tls and --set ai have no effect: the remote service uses its own settings.',
    },
    {
      name: 'the proxy of SMTP',
      args: ['--set', 'proxy=socks5://127.0.0.1'],
      want: '--set proxy has no effect: the remote service uses its own settings. Requests to it use HTTPS_PROXY.',
    },
  ])('a note names flags that a remote service ignores: $name', async ({ args, want }) => {
    expect((await runCli(['validate', 'a@b.co', '--remote', ...args], { tty: false })).err).toBe(`note: ${want}\n`);
  });

  test('no note about flags of requests, or about settings from elsewhere', async () => {
    const args = ['validate', 'a@b.co', '--remote', '--timeout', '2s', '--set', 'concurrency=3', '--level', 'dns'];
    expect((await runCli(args, { tty: false, environment: { MAILVET_AI: 'false' } })).err).toBe('');
  });
});

describe('failures', () => {
  const key = 'mv_live_0123456789abcdef9f3c';
  const failing = fakeService({
    validate: async () => {
      throw new Failure('network', `No answer for ${key}.`, { hint: 'Look at the cable.' });
    },
  });
  const environment = { MAILVET_API_KEY: key };

  test('show a sentence and a hint, with the key masked', async () => {
    const run = await runCli(['validate', 'a@b.co'], { service: failing, environment });
    expect(run).toMatchObject({
      status: 4,
      out: '',
      err: 'error: No answer for ********9f3c.\n  Look at the cable.\n',
    });
  });

  const buggy = fakeService({ validate: () => Promise.reject(new TypeError(`x of ${key}`)) });
  test.each([
    { args: [], stack: false },
    { args: ['--verbose'], stack: true },
  ])('a bug ends with 70; its stack is shown with --verbose only: $args', async ({ args, stack }) => {
    const run = await runCli(['validate', 'a@b.co', ...args], { service: buggy, environment });
    expect(run.status).toBe(70);
    expect(run.err.includes('TypeError')).toBe(stack);
    expect(run.err).not.toContain(key);
  });

  test('any error after an interrupt counts as an interruption', async () => {
    const controller = new AbortController();
    const service = fakeService({
      validate: async () => {
        controller.abort();
        throw new TypeError('socket fell over');
      },
    });
    const run = await runCli(['validate', 'a@b.co'], { service, signal: controller.signal });
    expect(run).toMatchObject({ status: 130, err: 'error: Interrupted.\n' });
  });

  test.each([
    { name: 'no address on a terminal', args: [], want: 'no address' },
    { name: 'an unknown status', args: ['a@b.co', '--only', 'good'], want: '"good" is not a status' },
    { name: 'a misspelled status', args: ['a@b.co', '--only', 'risky,vlaid'], want: 'Did you mean valid? Allowed,' },
    { name: 'an unknown field', args: ['a@b.co', '--fields', 'emial'], want: 'no field "emial"' },
    { name: 'an unknown format', args: ['a@b.co', '--format', 'xml'], want: 'Allowed choices are' },
    { name: 'a bad time', args: ['a@b.co', '--timeout', 'soon'], want: '--timeout' },
    { name: 'a resolver from an unset variable', args: ['a@b.co', '--set', 'resolvers='], want: 'an IP address' },
    { name: '- together with an address', args: ['a@b.co', '-'], want: 'stands for stdin' },
    { name: 'both back ends', args: ['a@b.co', '--local', '--remote'], want: 'cannot be used with' },
    { name: '--get locally', args: ['a@b.co', '--get'], want: '--get only works with the remote service' },
    {
      name: 'the address of a service locally',
      args: ['a@b.co', '--base-url', 'https://vet.example'],
      want: '--base-url only works with the remote service',
    },
    { name: 'two formats', args: ['a@b.co', '--json', '--format', 'csv'], want: '--json and --format csv contradict' },
    { name: '--quiet together with --verbose', args: ['a@b.co', '-q', '-v'], want: "'-v, --verbose'" },
    { name: 'a mistyped flag', args: ['a@b.co', '--jsno'], want: 'Did you mean --json?' },
  ])('usage: $name', async ({ args, want }) => {
    const run = await runCli(['validate', ...args]);
    expect(run.err).toContain(want);
    expect(run).toMatchObject({ status: 2, out: '' });
  });
});

test('refuses a file, and suggests bulk', async () => {
  const { status, err } = await runCli(['validate', 'package.json']);
  expect(status).toBe(2);
  expect(err).toContain('mailvet bulk package.json');
});

test('several addresses on a terminal have a progress line, which counts answers after one that is awaited', async () => {
  const validate = async (email: string) => {
    if (email === 'slow@b.co') await setTimeout(600);
    return resultOf(email);
  };
  const { out, err } = await runCli(['validate', 'slow@b.co', 'c@b.co'], { service: fakeService({ validate }) });
  expect(err).toContain('50% · 1 of 2');
  expect(err).toMatch(/\r\x1b\[K$/);
  expect(out).toMatch(/slow@b\.co.*c@b\.co/s);
});

test('after one of several addresses fails, shows the answers so far and those in flight, and asks no more', async () => {
  const asked: string[] = [];
  let answerLast: () => void = () => {};
  const service = fakeService({
    validate: (email) => {
      asked.push(email);
      if (email === 'quick@b.co') return Promise.resolve(resultOf(email));
      if (email === 'late@b.co') {
        return new Promise((resolve) => {
          answerLast = () => resolve(resultOf(email));
        });
      }
      // The later addresses are in flight; the last is answered after the failure.
      return new Promise((_, reject) => {
        setImmediate(() => {
          reject(new Failure('no_credits', 'No credits.'));
          setImmediate(answerLast);
        });
      });
    },
  });
  const args = ['poor@b.co', 'quick@b.co', 'late@b.co', 'never@b.co', '--format', 'plain', '--set', 'concurrency=2'];
  const { status, out, err } = await runCli(['validate', ...args], { ...piped, service });
  expect({ status, out, asked }).toEqual({
    status: 3,
    out: 'quick@b.co\nlate@b.co\n',
    asked: ['poor@b.co', 'quick@b.co', 'late@b.co'],
  });
  expect(err).toMatch(/Stopped after 2 addresses[\s\S]*No credits\./);
});
