import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ensureShells } from './packages.js';

const folder = mkdtempSync(join(tmpdir(), 'mailvet-shells-'));
const environment = {
  PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
  HOME: folder,
  LANG: 'C.UTF-8',
  TERM: 'screen',
  MAILVET_HOME: join(folder, 'home'),
  MAILVET_CONFIG_DIR: join(folder, 'config'),
};

const run = (program: string, args: string[]): string =>
  execFileSync(program, args, { cwd: folder, env: environment, encoding: 'utf8' });

beforeAll(() => {
  ensureShells();
  mkdirSync(join(folder, 'bin'));
  symlinkSync(resolve('bin/mailvet.js'), join(folder, 'bin/mailvet'));
  writeFileSync(join(folder, 'friends.csv'), 'Name,Work mail,Private\nAda,ada@python.org,\n');
  // Installing the shells takes minutes on a new machine.
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const typed = [
  { line: 'mailvet up', shows: 'mailvet upload' },
  { line: 'mailvet validate --expl', shows: 'mailvet validate --explain' },
  { line: 'mailvet bulk --level syn', shows: '--level syntax' },
  { line: 'mailvet jobs get lat', shows: 'jobs get latest' },
  { line: 'mailvet bulk frie', shows: 'bulk friends.csv' },
  { line: 'mailvet config set lev', shows: 'config set level' },
];

/** A shell without any configuration; `$ ` is its prompt. */
const shells = { bash: ['bash', '--norc', '--noprofile', '-i'], zsh: ['zsh', '-f', '-i'] };

describe.each(Object.entries(shells))('%s, with text typed at a terminal', (shell, words) => {
  // Each shell has its own tmux server: a stopping one may still run when the next is started.
  const tmux = (...args: string[]): string => run('tmux', ['-S', join(folder, `tmux-${shell}`), ...args]);
  const screen = (): string => tmux('capture-pane', '-p', '-J', '-t', 'shell');
  const seen = (text: string): Promise<void> =>
    vi.waitFor(() => expect(screen()).toContain(text), { timeout: 20_000, interval: 50 });

  beforeAll(async () => {
    tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'shell', '-x', '100', '-y', '40', '-c', folder, ...words);
    tmux('send-keys', '-t', 'shell', `PS1='$ '; source <(mailvet completion ${shell}); echo rea''dy`, 'Enter');
    await seen('\nready');
  });
  afterAll(() => void tmux('kill-server'));

  test.each(typed)('$line', async ({ line, shows }) => {
    tmux('send-keys', '-t', 'shell', 'C-u', 'C-l');
    tmux('send-keys', '-t', 'shell', '-l', line);
    tmux('send-keys', '-t', 'shell', 'Tab');
    await seen(shows);
  });

  test('latest stands for the newest job', async () => {
    tmux('send-keys', '-t', 'shell', 'C-u', 'C-l');
    tmux('send-keys', '-t', 'shell', '-l', 'mailvet jobs results ');
    tmux('send-keys', '-t', 'shell', 'Tab', 'Tab');
    await seen('latest');
  });
});

describe('fish', () => {
  const offered = (line: string): string =>
    run('fish', ['--no-config', '-c', `mailvet completion fish | source; complete -C ${JSON.stringify(line)}`]);

  test.each([
    { line: 'mailvet up', shows: 'upload\t' },
    { line: 'mailvet validate --expl', shows: '--explain\t' },
    { line: 'mailvet bulk --level ', shows: 'syntax' },
    { line: 'mailvet jobs get ', shows: 'latest\tthe newest job' },
    { line: 'mailvet bulk frie', shows: 'friends.csv' },
    { line: 'mailvet config set level ', shows: 'smtp' },
  ])('$line', ({ line, shows }) => expect(offered(line)).toContain(shows));
});
