import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands/all.js';
import { buildProgram } from '../../src/cli/program.js';
import { defaultSessions } from '../../src/net/probe/smtp-prober.js';
import { defaultConcurrency, defaultTimeoutsMs } from '../../src/settings/definitions.js';
import { fakeTerminal } from '../fakes/terminal.js';
import { runCli } from './run-cli.js';

/** Every command that help shows, by the words that lead to it. */
function pathsOf(command: Command, path: readonly string[] = []): string[][] {
  const children = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
  return [[...path], ...children.flatMap((child) => pathsOf(child, [...path, child.name()]))];
}

const program = buildProgram(commands, async () => {}, { terminal: fakeTerminal() });
const commandAt = (path: readonly string[]): Command =>
  path.reduce((at, name) => at.commands.find((each) => each.name() === name) ?? at, program);
const paths = pathsOf(program).map((path) => ({ name: ['mailvet', ...path].join(' '), path }));

describe('help', () => {
  test.each(paths)('for $name has its own example, and fits 40, 80 and 120 columns', async ({ name, path }) => {
    for (const columns of [40, 80, 120]) {
      const { out, status } = await runCli([...path, '--help'], { columns });
      expect(status).toBe(0);
      expect(out).toContain(`$ ${name}`);
      // A flag with its value is not broken, however long it is.
      expect(out.split('\n').filter((line) => line.length > columns && !/^ {2}-/.test(line))).toEqual([]);
    }
  });

  test.each(paths)('for $name has examples to paste: the description is on a line above', async ({ path }) => {
    for (const columns of [40, 80, 120]) {
      const { out } = await runCli([...path, '--help'], { columns });
      const lines = out.split('\n');
      const commands = lines.flatMap((line, at) => (/^ {2}\$ /.test(line) ? [{ line, above: lines[at - 1] }] : []));
      expect(commands.filter(({ line }) => / {2}/.test(line.trim()))).toEqual([]);
      // A long description has further lines.
      expect(commands.filter(({ above = '' }) => !/^ {2}# | {4}\S/.test(above))).toEqual([]);
    }
  });

  test.each(paths)('for $name begins with a sentence; a list of commands has a phrase', ({ path }) => {
    const command = commandAt(path);
    expect(command.description()).toMatch(/^[A-Z].*[.?]$/s);
    if (path.length > 0) expect(command.summary()).toMatch(/^[a-z].*[^.]$/);
  });

  test('says "do not ask" for every --yes', () => {
    const flags = paths.flatMap(({ path }) => commandAt(path).options.filter(({ long }) => long === '--yes'));
    expect(flags.map(({ description }) => description).filter((text) => !text.includes('do not ask'))).toEqual([]);
  });

  test.each(paths)('for $name is not wrapped twice', async ({ path }) => {
    const { out } = await runCli([...path, '--help'], { columns: 80 });
    const lines = out.split('\n');
    const isShort = (line: string, next = ''): boolean => /^\w/.test(line) && /^[a-z\d]/.test(next) && line.length < 60;
    expect(lines.filter((line, index) => isShort(line, lines[index + 1]))).toEqual([]);
  });

  test.each([{ path: ['upload'], says: '--wait: print the rows instead of the job, in this format' }])(
    'for $path says what is printed, with fields of a row',
    async ({ path, says }) => {
      const { out } = await runCli([...path, '--help'], { columns: 200 });
      expect(out).toContain(says);
      expect(out).not.toContain('details.domain');
    },
  );

  test('for upload names one file', async () => {
    const { out } = await runCli(['upload', '--help']);
    expect(out).toContain('Usage: mailvet upload [options] <file>\n');
    expect(out).not.toContain('CSV file');
    expect((await runCli(['--help'], { columns: 120 })).out).toContain('upload a list (CSV, Excel, JSON');
  });

  test.each([['keys create', '--name <name>']])('for %s shows the flag that it needs', async (name, flag) => {
    const { out } = await runCli([...name.split(' '), '--help']);
    expect(out).toContain(`Usage: mailvet ${name} ${flag} [options]\n`);
  });

  test('breaks no word in the exit statuses', async () => {
    const { out } = await runCli(['bulk', '--help'], { columns: 40 });
    const text = out.replaceAll(/\s+/g, ' ');
    expect(text).toContain('Exit status: 0 done, 1 a guard tripped');
    expect(text).toContain('6 storage or already running, 130 interrupted (the same command goes on).');
  });
});

describe('-h', () => {
  test.each(paths)('for $name is one screen: at most 30 lines, five examples and ten flags', async ({ name, path }) => {
    const { out, status } = await runCli([...path, '-h'], { columns: 80 });
    expect(status).toBe(0);
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    expect(out.match(/^ {2}\$ mailvet|^ {2}\$ cat|^ {2}\$ tail/gm)?.length).toBeLessThanOrEqual(5);
    expect((out.match(/^ {2}-/gm) ?? []).length).toBeLessThanOrEqual(10);
    expect(out.trimEnd().split('\n').at(-1)).toBe(`All of it: ${name} --help`);
  });

  test('shows the flags that people use', async () => {
    for (const command of ['bulk', 'upload']) {
      expect((await runCli([command, '-h'], { columns: 120 })).out.match(/^ {2}-/gm)).toHaveLength(10);
    }
  });
});

describe('the number of flags', () => {
  const flagsOf = (path: readonly string[]): number => {
    const command = commandAt(path);
    return command.createHelp().visibleOptions(command).length;
  };

  test.each([
    { path: ['bulk'], ceiling: 34 },
    { path: ['upload'], ceiling: 28 },
    { path: ['validate'], ceiling: 20 },
    { path: ['serve'], ceiling: 22 },
  ])('on the page of $path is at most $ceiling', ({ path, ceiling }) => {
    expect(flagsOf(path)).toBeLessThanOrEqual(ceiling);
  });

  test('on all pages together is at most 340', () => {
    const counts = paths.map(({ name, path }) => ({ name, flags: flagsOf(path) }));
    console.info(counts.map(({ name, flags }) => `${flags} ${name}`).join('\n'));
    expect(counts.reduce((sum, { flags }) => sum + flags, 0)).toBeLessThanOrEqual(340);
  });
});

describe('help of the flags', () => {
  const seconds = (ms: number): string => (ms < 60_000 ? `${ms / 1000}s` : `${ms / 60_000}m`);
  const { address, single, bulk, upload } = defaultTimeoutsMs;

  test.each([
    [['bulk'], [`sessions (default: ${defaultSessions})`]],
    [['upload'], [`remote requests (default: ${defaultConcurrency.requests})`]],
    [['validate'], [`(default: ${seconds(address)}; remote: ${seconds(single)})`]],
    [['serve'], ['port to listen on; 0 for any free port (default: 8080)']],
  ])('%s names defaults as values', async (path, want) => {
    const { out } = await runCli([...path, '--help'], { columns: 80 });
    const text = out.replaceAll(/\s+/g, ' ');
    expect(want.filter((sentence) => !text.includes(sentence))).toEqual([]);
    expect(text).not.toContain('depends on');
    expect(upload).toBe(bulk);
  });

  test.each(paths)('for $name has its own flags first, and none under General', async ({ path }) => {
    const { out } = await runCli([...path, '--help'], { columns: 80 });
    const flags = out.slice(out.indexOf('\nGeneral:')).match(/^ {2}-.*?(?= {2})/gm) ?? [];
    const general = [
      '--profile <name>',
      '--set <key=value>',
      '-q, --quiet',
      '-v, --verbose',
      '--no-color',
      '-h, --help',
    ];
    if (path.length > 0) expect(flags.map((flag) => flag.trim()).filter((flag) => !general.includes(flag))).toEqual([]);
    const headings: string[] = out.match(/^[A-Z][a-z ]*(?=:$)/gm) ?? [];
    if (headings.includes('Options'))
      expect(headings.filter((heading) => !['Examples', 'Arguments'].includes(heading))[0]).toBe('Options');
  });
});

describe('help topics', () => {
  test('exit-codes counts a missing key as 3, as login does', async () => {
    expect((await runCli(['login', '--key-stdin', '--base-url', 'http://127.0.0.1:9'], { stdin: '' })).status).toBe(3);
    expect((await runCli(['help', 'exit-codes'])).out).toMatch(/^ {2}3 +no valid key, or no credits$/m);
  });

  test.each(['settings'])('%s names choices and defaults', async (topic) => {
    const { out } = await runCli(['help', topic], { columns: 200 });
    for (const text of [
      'syntax, dns, smtp (default: smtp)',
      'on (default: 25)',
      'safe (default: 3)',
      '(several with commas)',
    ])
      expect(out).toContain(text);
    expect(out).not.toContain('repeatable');
  });

  test.each(['exit-codes', 'formats', 'settings', 'environment'])('%s fits 40, 80 and 120 columns', async (topic) => {
    for (const columns of [40, 80, 120]) {
      const { status, out } = await runCli(['help', topic], { columns });
      expect(status).toBe(0);
      expect(out.split('\n').length).toBeGreaterThan(5);
      expect(out.split('\n').filter((line) => line.length > columns)).toEqual([]);
    }
  });
});
