import { describe, expect, test } from 'vitest';
import { fakeService } from '../fakes/service.js';
import { runCli } from './run-cli.js';

describe('help', () => {
  test.each([
    { args: ['--help'], want: ['Commands:', 'Examples:', 'Exit status:', '130 interrupted'] },
    { args: ['help', 'validate'], want: ['--explain', '--set', 'Examples:', 'Exit status:'] },
    { args: ['config', '--help'], want: ['list', 'unset', 'Examples:'] },
    { args: ['help'], want: ['Commands:', 'Exit status:'] },
    { args: ['help', 'help'], want: ['Commands:', 'Exit status:'] },
    { args: ['help', 'jobs', 'help'], want: ['Usage: mailvet jobs', 'delete'] },
    { args: ['help', 'jobs', 'get'], want: ['Usage: mailvet jobs get', '--watch'] },
    { args: ['jobs', 'help', 'get'], want: ['Usage: mailvet jobs get'] },
  ])('$args goes to stdout and is complete', async ({ args, want }) => {
    const run = await runCli(args);
    expect(run).toMatchObject({ status: 0, err: '' });
    for (const text of want) expect(run.out).toContain(text);
  });

  test.each([
    ['--help'],
    ['validate'],
    ['bulk'],
    ['upload'],
    ['jobs'],
    ['jobs', 'list'],
    ['jobs', 'results'],
    ['jobs', 'resume'],
    ['login'],
    ['logout'],
    ['config'],
    ['config', 'set'],
    ['completion'],
  ])('no line of %s %s is wider than 80 columns', async (...args) => {
    const { status, out } = await runCli([...args, '--help']);
    expect(status).toBe(0);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('help lists the flags of the command first, then shared flags by group', async () => {
    const { out } = await runCli(['bulk', '--help']);
    const headings = [...out.matchAll(/^(\S.*):$/gm)].map((match) => match[1]);
    expect(headings).toEqual([...['Examples', 'Arguments', 'Input', 'Run', 'Output', 'Guards', 'Back end', 'General']]);
  });

  test.each([40, 60, 120])('help fits %d columns', async (columns) => {
    const { out } = await runCli(['validate', '--help'], { columns });
    const flags = out.slice(out.indexOf('Arguments:'), out.indexOf('Examples:'));
    expect(flags.split('\n').filter((line) => line.length > columns)).toEqual([]);
  });

  test('no arguments print the help', async () => {
    const run = await runCli([]);
    expect(run).toMatchObject({ status: 0, err: '' });
    expect(run.out).toContain('All of it: mailvet --help');
  });

  test('a group without a command prints its help, and ends with the same status as the program without a command', async () => {
    const run = await runCli(['jobs']);
    expect(run).toMatchObject({ status: 0, err: '' });
    expect(run.out).toContain('mailvet jobs');
  });

  test('help for an unknown command is an error', async () => {
    expect(await runCli(['nosuch', '--help'])).toMatchObject({ status: 2, out: '' });
  });

  test('an address alone is validated', async () => {
    const { status, out } = await runCli(['a@b.co', '--json'], { tty: false });
    expect(status).toBe(0);
    expect(out).toMatch(/"email":"a@b.co"/);
  });

  test('vets piped input', async () => {
    const { status, out } = await runCli([], { tty: false, stdin: 'a@b.co\ninvalid@b.co\n' });
    expect(status).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toEqual(['valid', 'invalid']);
  });
});

describe('usage errors', () => {
  test.each([{ args: ['bulk', '--only', 'valid', 'risky'], want: '--only valid,risky' }])(
    '$args: suggests the right command',
    async ({ args, want }) => {
      const { status, err } = await runCli(args);
      expect(status).toBe(2);
      expect(err).toContain(want);
    },
  );

  test.each([
    { args: ['validat'], want: 'Did you mean validate?' },
    { args: ['validate', 'a@b.co', '--fromat', 'csv'], want: 'Did you mean --format?' },
    { args: ['jobs', 'show', 'x'], want: 'Did you mean get?' },
    { args: ['check', 'a@b.co'], want: 'Did you mean validate?' },
    { args: ['jobs', 'rm', 'x'], want: 'Did you mean delete?' },
    { args: ['keys', 'delete', 'x'], want: 'Did you mean revoke?' },
    { args: ['doctor', 'example.com'], want: 'mailvet doctor --probe HOST' },
    { args: ['nonsense'], want: "Unknown command 'nonsense'" },
    { args: ['get', 'jobs'], want: "Unknown command 'get'.\n  Did you mean mailvet jobs get or mailvet config get?" },
    { args: ['vaildate'], want: "Unknown command 'vaildate'.\n  Did you mean validate?" },
    { args: ['bulk', 'no-one@b.co'], want: 'Check the path, or use "mailvet validate" for an address.' },
    { args: ['completion', 'tcsh'], want: 'Allowed choices are bash, zsh, fish' },
    {
      args: ['validate', 'a@b.co', '--level', 'smpt'],
      want: '--level cannot be "smpt".\n  Did you mean smtp? Allowed',
    },
    { args: ['bulk', 'x', '--limit', 'ten'], want: '--limit cannot be "ten".\n  Allowed: a whole number' },
    {
      args: ['diff', 'x', 'y', '--min-rows', 'abc'],
      want: 'Allowed: a whole number from 0 to 999999999, or a share such as 80%.',
    },
    { args: ['config', 'get'], want: "Missing required argument 'key'.\n  See: mailvet config get --help" },
    { args: ['help', 'exit-code'], want: "Unknown command 'exit-code'.\n  Did you mean exit-codes?" },
    { args: ['help', 'nope'], want: "Unknown command 'nope'.\n  Topics: exit-codes, formats, settings," },
    { args: ['help', 'formats', 'jobs'], want: "'formats' is a topic, not a command.\n  See: mailvet help formats" },
    { args: ['help', 'jobs', 'formats'], want: "'formats' is a topic, not a command.\n  See: mailvet help formats" },
    { args: ['help', 'jobs', 'bulk'], want: "Unknown command 'bulk'.\n  See: mailvet jobs --help" },
    { args: ['help', 'validat'], want: 'Did you mean validate?' },
    { args: ['help', 'jobs', 'gte'], want: 'Did you mean get?' },
    { args: ['jobs', 'help', 'nope'], want: 'See: mailvet jobs --help' },
    { args: ['validate', '-x@b.co'], want: 'Put -- before it: mailvet validate -- -x@b.co' },
    { args: ['bulk', 'x', '--json=1'], want: '--json takes no value.\n  Use --json alone.' },
    { args: ['bulk', 'x', '--levle=dns'], want: "Unknown option '--levle'.\n  Did you mean --level?" },
    { args: ['bulk', '--nope=hunter2'], want: "Unknown option '--nope'.\n  See: mailvet bulk --help" },
    ...[
      ['login', '--api-key=hunter2'],
      ['validate', 'a@b.co', '--key=hunter2'],
      ['--apikey', 'hunter2', 'login'],
    ].map((args) => ({
      args,
      want: 'A key does not belong on a command line, where others can read it.\n  Store it with "mailvet login", or "mailvet login --key-stdin" in a script, or set MAILVET_API_KEY.',
    })),
    ...[
      ['bulk', 'x', '--rejects', 'bad.csv'],
      ['bulk', 'x', '--rejects=bad.csv'],
      ['/etc/hosts', '--rejects', 'bad.csv'],
    ].map((args) => ({ args, want: 'mailvet bulk has no --rejects.\n  Use --clean, which writes NAME.clean.csv' })),
    { args: ['bulk', '--nope'], want: "Unknown option '--nope'.\n  See: mailvet bulk --help" },
    { args: ['jobs', 'get', '--json', 'x', '-n'], want: 'mailvet jobs get --help' },
  ])('$args', async ({ args, want }) => {
    const run = await runCli(args, { columns: 200 });
    expect(run).toMatchObject({ status: 2, out: '' });
    expect(run.err).toContain(want);
  });

  test('are wrapped to the width of the screen', async () => {
    const { err } = await runCli(['completion', 'tcsh'], { columns: 40 });
    expect(err.split('\n').filter((line) => line.length > 40)).toEqual([]);
    expect(err.replaceAll(/\s+/g, ' ')).toContain('Allowed choices are bash, zsh, fish.');
  });

  test.each([[['--json']], [['--format', 'ndjson']], [['--format=json']]])('are JSON with %s', async (asked) => {
    const { err } = await runCli(['validate', ...asked, '--nonsense']);
    expect(JSON.parse(err).error).toMatchObject({ code: 'usage', message: "Unknown option '--nonsense'." });
  });
});

test('a broken settings file fails a command that needs it, and is named', async () => {
  const run = await runCli(['validate', 'a@b.co'], {
    environment: { MAILVET_CONFIG_DIR: '/dev/null', MAILVET_LEVEL: 'x' },
  });
  expect(run.status).toBe(2);
  expect(run.err).toContain('MAILVET_LEVEL');
});

test('an uncaught error ends the command with 70, without a stack', async () => {
  const service = fakeService({ validate: () => new Promise(() => {}) });
  const bug = Promise.reject(new TypeError('stray'));
  const run = await runCli(['validate', 'a@b.co'], { service, bug });
  expect(run.status).toBe(70);
  expect(run.err).toMatch(/^error: Something went wrong inside mailvet: stray\n {2}This is a bug/);
  expect(run.err).not.toContain('TypeError');
});
