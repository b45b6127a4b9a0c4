import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshFolder, runCli } from './run-cli.js';

/** What is offered for the last word, without descriptions; `files:` asks the shell for file names. */
async function offered(words: readonly string[], environment = {}): Promise<string[]> {
  const { out } = await runCli(['complete', '--', ...words.slice(1)], { tty: false, environment });
  return out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

describe('completes', () => {
  test.each([
    ['commands', ['mailvet', 'va'], ['validate']],
    ['subcommands', ['mailvet', 'config', 'u'], ['unset']],
    ['flags', ['mailvet', 'validate', '--exp'], ['--explain']],
    ['flags after other words', ['mailvet', 'validate', 'a@b.co', '--lev'], ['--level']],
    ['the choices of a flag', ['mailvet', 'validate', '--level', ''], ['syntax', 'dns', 'smtp']],
    ['the choices of an argument', ['mailvet', 'completion', 'z'], ['zsh']],
    ['keys of settings', ['mailvet', 'config', 'get', 'allow_'], ['allow_networks', 'allow_list']],
    ['keys to set', ['mailvet', 'config', 'set', 'lev'], ['level']],
    ['keys to unset', ['mailvet', 'config', 'unset', 'prox'], ['proxy']],
    ['the values of a setting', ['mailvet', 'config', 'set', 'level', ''], ['syntax', 'dns', 'smtp']],
    ['codes', ['mailvet', 'explain', 'catch'], ['catch_all', 'catch_all_inconclusive']],
    ['statuses', ['mailvet', 'explain', 'risk'], ['risky']],
    ['formats', ['mailvet', 'bulk', '--format', ''], ['table', 'json', 'ndjson', 'csv', 'plain']],
    ['statuses to keep', ['mailvet', 'bulk', '--only', 'in'], ['invalid']],
    ['kinds of bounces', ['mailvet', 'bounces', '--only', 'hard,comp'], ['hard,complaint']],
    ['commands after help', ['mailvet', 'help', 'doc'], ['doctor']],
    ['topics after help', ['mailvet', 'help', 'exit'], ['exit-codes']],
    ['flags of a subcommand', ['mailvet', 'config', 'list', '--js'], ['--json']],
    ['a value after =', ['mailvet', 'validate', '--level', '=', 's'], ['syntax', 'smtp']],
    ['a list after a flag without a value', ['mailvet', 'bulk', '--dedupe', '/etc/hos'], ['files:']],
    ['statuses without a verdict', ['mailvet', 'bulk', '--fail-on', 'em'], ['empty']],
    ['the last item of a list', ['mailvet', 'bulk', '--only', 'valid,r'], ['valid,risky']],
    ['a list in place of a command', ['mailvet', '/etc/hos'], ['files:']],
    ['flags after a list', ['mailvet', '/etc/hosts', '--cle'], ['--clean']],
    ['flags after an address', ['mailvet', 'a@b.co', '--exp'], ['--explain']],
    ['files for a flag that takes one', ['mailvet', 'bulk', '-o', '/etc/hos'], ['files:']],
  ])('%s', async (_name, words, want) => expect(await offered(words)).toEqual(expect.arrayContaining(want)));

  test.each([
    { command: ['validate'], argument: 'a@b.co' },
    { command: ['bulk'], argument: 'none.csv' },
    { command: ['jobs', 'results'], argument: 'latest' },
    { command: ['bounces'], argument: 'none.mbox' },
  ])('the fields that $command takes, and no others', async ({ command, argument }) => {
    const fields = await offered(['mailvet', ...command, '--fields', '']);
    const errorsWith = async (names: string) => (await runCli([...command, argument, '--fields', names])).err;
    expect(await errorsWith([...fields, 'other'].join())).toContain('has no field "other"');
    expect(await errorsWith(fields.join())).not.toContain('has no field');
  });

  test('offers commands before a list is named, and both once it is', async () => {
    expect(await offered(['mailvet', ''])).toEqual(expect.arrayContaining(['validate', 'lists']));
    expect(await offered(['mailvet', ''])).not.toContain('files:');
    expect(await offered(['mailvet', 'li'])).toEqual(['lists', 'files:']);
    expect(await offered(['mailvet', '-q', ''])).toEqual(['files:']);
  });

  test('offers profiles, values after =, and the newest job', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'config.json'), '{"profiles":{"work":{}}}', { mode: 0o600 });
    expect(await offered(['mailvet', 'validate', '--profile', 'wo'], { MAILVET_CONFIG_DIR: folder })).toEqual(['work']);
    writeFileSync(join(folder, 'config.json'), '{');
    expect(await offered(['mailvet', 'validate', '--profile', 'wo'], { MAILVET_CONFIG_DIR: folder })).toEqual(['']);
    expect(await offered(['mailvet', 'validate', '--level=sy'])).toEqual(['--level=syntax']);
    expect(await offered(['mailvet', 'jobs', 'get', ''])).toEqual(['latest']);
  });

  test('offers no command after a flag, and after help only what help accepts', async () => {
    expect(await offered(['mailvet', '-q', 'serv'])).toEqual(['files:']);
    expect(await offered(['mailvet', 'help', 'keys', ''])).toEqual(['create', 'list', 'set', 'revoke']);
    expect(await offered(['mailvet', 'keys', 'help', ''])).toEqual(['create', 'list', 'set', 'revoke']);
    expect(await offered(['mailvet', 'help', 'hel'])).toEqual(['']);
  });

  test('offers each item of a list once, and no secret to set', async () => {
    expect(await offered(['mailvet', 'bulk', '--only', 'valid,risky,'])).not.toContain('valid,risky,valid');
    expect(await offered(['mailvet', 'bulk', '--only', 'valid,risky,'])).toContain('valid,risky,invalid');
    expect(await offered(['mailvet', 'config', 'set', 'api'])).toEqual(['']);
    expect(await offered(['mailvet', 'config', 'unset', 'api'])).toEqual(['api_key']);
  });

  test('offers no argument after the last one that a command takes', async () => {
    expect(await offered(['mailvet', 'config', 'get', '--profile', 'work', 'prox'])).toEqual(['proxy']);
    for (const words of [
      ['config', 'get', 'level', ''],
      ['completion', 'bash', ''],
      ['config', 'set', 'level', 'dns', ''],
    ])
      expect(await offered(['mailvet', ...words])).toEqual(['']);
  });

  test('offers no flags of another command', async () => {
    expect(await offered(['mailvet', 'logout', '--lev'])).toEqual(['']);
  });
});

test.each(['bash', 'zsh', 'fish'])('the script of %s is a few lines that ask mailvet complete', async (shell) => {
  const { out, status } = await runCli(['completion', shell]);
  expect(status).toBe(0);
  expect(out).toContain('complete --');
  expect(out.split('\n').length).toBeLessThanOrEqual(15);
});

const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

/** A folder with a list, and a `mailvet` that is the built program. */
function folderWithProgram(): { cwd: string; env: NodeJS.ProcessEnv } {
  const cwd = freshFolder();
  for (const name of ['list.csv', '.list.csv.swp']) writeFileSync(join(cwd, name), '');
  const program = `#!/bin/sh\nexec '${process.execPath}' '${join(process.cwd(), 'bin/mailvet.js')}' "$@"\n`;
  writeFileSync(join(cwd, 'mailvet'), program, { mode: 0o755 });
  return { cwd, env: { ...process.env, PATH: `${cwd}:${process.env['PATH']}`, MAILVET_HOME: cwd } };
}

describe('in a real shell', () => {
  test.each([
    { words: ['mailvet', 'validate', '--exp'], want: ['--explain'] },
    { words: ['mailvet', 'validate', '--level', '=', 's'], want: ['syntax', 'smtp'] },
    { words: ['mailvet', 'bulk', 'li'], want: ['list.csv'] },
    { words: ['mailvet', 'bulk', '.li'], want: ['.list.csv.swp'] },
    { words: ['mailvet', 'li'], want: ['lists', 'list.csv'] },
  ])('bash completes $words', async ({ words, want }) => {
    const script = (await runCli(['completion', 'bash'])).out;
    const ask = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _mailvet; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { cwd, env } = folderWithProgram();
    const out = execFileSync('bash', ['--norc', '-c', `${script}\n${ask}`], { cwd, env, encoding: 'utf8' });
    expect(out.trim().split('\n')).toEqual(want);
  });

  test.skipIf(!isInstalled('fish'))('fish completes a line', async () => {
    const script = (await runCli(['completion', 'fish'])).out;
    const ask = `${script}\ncomplete -C 'mailvet config set level s'`;
    const out = execFileSync('fish', ['--no-config', '-c', ask], { ...folderWithProgram(), encoding: 'utf8' });
    expect(out.trim().split('\n').sort()).toEqual(['smtp', 'syntax']);
  });

  test.skipIf(!isInstalled('zsh'))('zsh reads the script', async () => {
    const script = (await runCli(['completion', 'zsh'])).out;
    const out = execFileSync('zsh', ['-f', '-c', `${script}\nprint $+functions[_mailvet]`], { encoding: 'utf8' });
    expect(out.trim()).toBe('1');
  });
});
