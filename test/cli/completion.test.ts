import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { freshFolder, runCli } from './run-cli.js';

/** What bash offers after the words typed so far; the last one is being typed. */
function offered(script: string, words: string[]): string[] {
  const list = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const ask = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _mailvet; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--norc', '-c', `${script}\n${ask}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

describe('bash completes', () => {
  test.each([
    { name: 'commands', words: ['mailvet', 'va'], want: ['validate'] },
    { name: 'subcommands', words: ['mailvet', 'config', 'u'], want: ['unset'] },
    { name: 'flags', words: ['mailvet', 'validate', '--exp'], want: ['--explain'] },
    { name: 'flags after other words', words: ['mailvet', 'validate', 'a@b.co', '--lev'], want: ['--level'] },
    { name: 'the choices of a flag', words: ['mailvet', 'validate', '--level', ''], want: ['syntax', 'dns', 'smtp'] },
    { name: 'the choices of an argument', words: ['mailvet', 'completion', 'z'], want: ['zsh'] },
    { name: 'keys of settings', words: ['mailvet', 'config', 'get', 'allow_'], want: ['allow_networks', 'allow_list'] },
    { name: 'keys to set', words: ['mailvet', 'config', 'set', 'lev'], want: ['level'] },
    { name: 'keys to unset', words: ['mailvet', 'config', 'unset', 'prox'], want: ['proxy'] },
    {
      name: 'the values of a setting',
      words: ['mailvet', 'config', 'set', 'level', ''],
      want: ['syntax', 'dns', 'smtp'],
    },
    { name: 'codes', words: ['mailvet', 'explain', 'catch'], want: ['catch_all', 'catch_all_inconclusive'] },
    { name: 'statuses', words: ['mailvet', 'explain', 'risk'], want: ['risky'] },
    { name: 'providers', words: ['mailvet', 'explain', 'gma'], want: ['gmail'] },
    { name: 'formats', words: ['mailvet', 'bulk', '--format', ''], want: ['table', 'json', 'ndjson', 'csv', 'plain'] },
    { name: 'statuses to keep', words: ['mailvet', 'bulk', '--only', 'in'], want: ['invalid'] },
    { name: 'kinds of bounces', words: ['mailvet', 'bounces', '--only', 'hard,comp'], want: ['hard,complaint'] },
    { name: 'commands after help', words: ['mailvet', 'help', 'doc'], want: ['doctor'] },
    { name: 'topics after help', words: ['mailvet', 'help', 'exit'], want: ['exit-codes'] },
    { name: 'flags of a subcommand', words: ['mailvet', 'config', 'list', '--js'], want: ['--json'] },
    { name: 'a value after =', words: ['mailvet', 'validate', '--level', '=', 's'], want: ['syntax', 'smtp'] },
    {
      name: 'a list after a flag without a value',
      words: ['mailvet', 'bulk', '--dedupe', '/etc/hos'],
      want: ['/etc/hosts'],
    },
    { name: 'statuses without a verdict', words: ['mailvet', 'bulk', '--fail-on', 'em'], want: ['empty'] },
    { name: 'the last item of a list', words: ['mailvet', 'bulk', '--only', 'valid,r'], want: ['valid,risky'] },
    { name: 'flags of an alias', words: ['mailvet', 'check', 'a@b.co', '--exp'], want: ['--explain'] },
    { name: 'a list in place of a command', words: ['mailvet', '/etc/hos'], want: ['/etc/hosts'] },
    { name: 'flags after a list', words: ['mailvet', '/etc/hosts', '--cle'], want: ['--clean'] },
    { name: 'flags after an address', words: ['mailvet', 'a@b.co', '--exp'], want: ['--explain'] },
    { name: 'flags before an address', words: ['mailvet', '--exp'], want: ['--explain'] },
    { name: 'flags before a list', words: ['mailvet', '-q', '--cle'], want: ['--clean'] },
    { name: 'their values', words: ['mailvet', '--level', ''], want: ['syntax', 'dns', 'smtp'] },
    { name: 'files for a flag that takes one', words: ['mailvet', 'validate', '-o', '/etc/hos'], want: ['/etc/hosts'] },
  ])('$name', async ({ words, want }) => {
    const { out } = await runCli(['completion', 'bash']);
    expect(offered(out, words)).toEqual(expect.arrayContaining(want));
  });

  test.each([
    { command: ['validate'], argument: 'a@b.co' },
    { command: ['bulk'], argument: 'none.csv' },
    { command: ['jobs', 'results'], argument: 'latest' },
    { command: ['bounces'], argument: 'none.mbox' },
  ])('the fields that $command takes, and no others', async ({ command, argument }) => {
    const { out } = await runCli(['completion', 'bash']);
    const fields = offered(out, ['mailvet', ...command, '--fields', '']);
    const errorsWith = async (names: string) => (await runCli([...command, argument, '--fields', names])).err;
    expect(await errorsWith([...fields, 'other'].join())).toContain('has no field "other"');
    expect(await errorsWith(fields.join())).not.toContain('has no field');
  });

  test('offers hidden files only if their dot is typed', async () => {
    const { out } = await runCli(['completion', 'bash']);
    const folder = freshFolder();
    for (const name of ['list.csv', '.list.csv.swp']) writeFileSync(join(folder, name), '');
    expect(offered(out, ['mailvet', `${folder}/`])).toEqual([join(folder, 'list.csv')]);
    expect(offered(out, ['mailvet', `${folder}/.`])).toContain(join(folder, '.list.csv.swp'));
  });

  test('offers commands before a list is named, and both once it is', async () => {
    const { out } = await runCli(['completion', 'bash']);
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'list.csv'), '');
    const script = `cd '${cwd}'\n${out}`;
    expect(offered(script, ['mailvet', ''])).toEqual(expect.arrayContaining(['validate', 'lists']));
    expect(offered(script, ['mailvet', ''])).not.toContain('list.csv');
    expect(offered(script, ['mailvet', 'li'])).toEqual(['lists', 'list.csv']);
    expect(offered(script, ['mailvet', '-q', ''])).toEqual(['list.csv']);
  });

  test('offers no command after a flag, and after help only what help accepts', async () => {
    const { out } = await runCli(['completion', 'bash']);
    expect(offered(out, ['mailvet', '-q', 'serv'])).toEqual(['']);
    expect(offered(out, ['mailvet', 'help', 'keys', ''])).toEqual(['create', 'list', 'set', 'revoke']);
    expect(offered(out, ['mailvet', 'keys', 'help', ''])).toEqual(['create', 'list', 'set', 'revoke']);
    expect(offered(out, ['mailvet', 'help', 'hel'])).toEqual(['']);
  });

  test('offers each item of a list once, and no secret to set', async () => {
    const { out } = await runCli(['completion', 'bash']);
    expect(offered(out, ['mailvet', 'bulk', '--only', 'valid,risky,'])).not.toContain('valid,risky,valid');
    expect(offered(out, ['mailvet', 'bulk', '--only', 'valid,risky,'])).toContain('valid,risky,invalid');
    expect(offered(out, ['mailvet', 'config', 'set', 'api'])).toEqual(['']);
    expect(offered(out, ['mailvet', 'config', 'unset', 'api'])).toEqual(['api_key']);
  });

  test('offers no argument after the last one that a command takes', async () => {
    const { out } = await runCli(['completion', 'bash']);
    expect(offered(out, ['mailvet', 'config', 'get', '--profile', 'work', 'prox'])).toEqual(['proxy']);
    for (const words of [
      ['config', 'get', 'level', ''],
      ['completion', 'bash', ''],
      ['config', 'set', 'level', 'dns', ''],
    ])
      expect(offered(out, ['mailvet', ...words])).toEqual(['']);
  });

  test('offers no flags of another command', async () => {
    const { out } = await runCli(['completion', 'bash']);
    expect(offered(out, ['mailvet', 'logout', '--lev'])).toEqual(['']);
  });
});

test.each([
  {
    shell: 'zsh',
    want: [
      '#compdef mailvet',
      "'validate':",
      "'--level':",
      'compadd -- syntax dns smtp',
      'choices=(mode base_url',
      'level) compadd -- syntax',
    ],
  },
  {
    shell: 'fish',
    want: [
      'complete -c mailvet',
      '-a validate',
      '-l level -x -a',
      "__mailvet_at 'config",
      '__mailvet_after level',
      'mode base_url api_key',
      'valid invalid risky',
    ],
  },
])('$shell completes commands, flags and choices', async ({ shell, want }) => {
  const { out, status } = await runCli(['completion', shell]);
  expect(status).toBe(0);
  for (const text of want) expect(out.replaceAll("\\'", "'")).toContain(text);
});

const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

/** Pairs of the text typed before Tab and the completed line. */
const typed = [
  ['mailvet explain gma', 'mailvet explain gmail'],
  ['mailvet explain micros', 'mailvet explain microsoft'],
  ['mailvet explain catch_all_', 'mailvet explain catch_all_inconclusive'],
  ['mailvet validate --level=sy', 'mailvet validate --level=syntax'],
  ['mailvet bulk --only valid,r', 'mailvet bulk --only valid,risky'],
  ['mailvet bulk --fields sub_status,safe_to_send,s', 'mailvet bulk --fields sub_status,safe_to_send,status'],
  ['mailvet bulk --dedupe=', 'mailvet bulk --dedupe=provider'],
  ['mailvet check a@b.co --exp', 'mailvet check a@b.co --explain'],
  ['mailvet --level sy', 'mailvet --level syntax'],
  ['mailvet --lev', 'mailvet --level'],
  ['mailvet --profile wo', 'mailvet --profile work'],
  ['mailvet help jobs ge', 'mailvet help jobs get'],
  ['mailvet config use wo', 'mailvet config use work'],
  ['mailvet config use -q wo', 'mailvet config use -q work'],
  ["mailvet bulk 'big list.csv' --column pl", "mailvet bulk 'big list.csv' --column plan"],
  ['mailvet bulk "big list.csv" --column pl', 'mailvet bulk "big list.csv" --column plan'],
  ['mailvet bulk big\\ list.csv --column pl', 'mailvet bulk big\\ list.csv --column plan'],
  ['mailvet big\\ list.csv --column pl', 'mailvet big\\ list.csv --column plan'],
] as const;

/** Lines with an argument too many, for which nothing is offered. */
const untouched = [
  'mailvet config use work wo',
  'mailvet config get level prox',
  'mailvet config get level bi',
  'mailvet completion bash z',
];

/** A folder with a list, and a `mailvet` that only completes its columns and a profile. */
function folderWithProgram(): { cwd: string; env: NodeJS.ProcessEnv } {
  const cwd = freshFolder();
  writeFileSync(join(cwd, 'big list.csv'), 'email\nplan\n');
  const program =
    '#!/bin/sh\nif [ "$2" = profiles ]; then echo work; fi\nfor file; do [ -f "$file" ] && cat "$file"; done\n';
  writeFileSync(join(cwd, 'mailvet'), program, { mode: 0o755 });
  return { cwd, env: { ...process.env, PATH: `${cwd}:${process.env['PATH']}` } };
}

const interactive = {
  zsh: {
    start: 'zsh -f -i',
    showLine: `show() { print -r -- "<<$BUFFER>>"; BUFFER='' }; zle -N show; bindkey '^T' show; LISTMAX=10000`,
  },
  bash: {
    start: 'bash --norc --noprofile -i',
    showLine: `show() { echo "<<$READLINE_LINE>>"; READLINE_LINE=''; }; bind -x '"\\C-t": show'
for each in 'show-all-if-ambiguous on' 'page-completions off' 'completion-query-items 0'; do bind "set $each"; done`,
  },
};

/** Runs a shell in a pseudo-terminal, presses Tab after each line, prints the line with Ctrl-T, and then all that was shown. */
const pressTab = (start: string): string => `
zmodload zsh/zpty
zpty shell ${start}
zpty -w shell "PS1=''; source $1; echo ready-\\$((1+1))"
zpty -r -m shell out '*ready-2*'
for line in "\${@:2}"; do
  zpty -w -n shell "$line"$'\\t'$'\\x14'
  zpty -r -m shell out '*<<*>>*'
  print -rn -- "$out"$'\\0'
done
zpty -d shell`;

describe('in a real shell', () => {
  const run = promisify(execFile);

  /** What a shell shows when Tab is pressed after each line. */
  const press = async (shell: keyof typeof interactive, lines: readonly string[]): Promise<string[]> => {
    const folder = freshFolder();
    const { start, showLine } = interactive[shell];
    const script = join(folder, `mailvet.${shell}`);
    writeFileSync(script, `${(await runCli(['completion', shell])).out}${showLine}\n`);
    const driver = join(folder, 'press-tab.zsh');
    writeFileSync(driver, pressTab(start));
    const options = { ...folderWithProgram(), timeout: 25_000 };
    return (await run('zsh', ['-f', driver, script, ...lines], options)).stdout.split('\0').slice(0, -1);
  };

  test.skipIf(!isInstalled('zsh')).each(['zsh', 'bash'] as const)(
    '%s completes lines',
    { timeout: 30_000 },
    async (shell) => {
      const shown = await press(shell, [...typed.map(([line]) => line), ...untouched]);
      const lines = shown.map((text) => text.split('<<').at(-1)?.split(/ ?>>/)[0]);
      expect(lines).toEqual([...typed.map(([, whole]) => whole), ...untouched]);
    },
  );

  test.skipIf(!isInstalled('zsh')).each(['zsh', 'bash'] as const)(
    '%s shows commands before a list is named, and both once it is',
    { timeout: 30_000 },
    async (shell) => {
      const [commands, both] = await press(shell, ['mailvet ', 'mailvet b']);
      for (const name of ['bounces', 'validate']) expect(commands).toContain(name);
      expect(commands).not.toMatch(/big\\? list\.csv/);
      expect(both).toMatch(/big\\? list\.csv/);
      expect(both).toContain('bounces');
    },
  );

  test.skipIf(!isInstalled('fish'))('fish completes lines', { timeout: 30_000 }, async () => {
    const script = join(freshFolder(), 'mailvet.fish');
    writeFileSync(script, (await runCli(['completion', 'fish'])).out);
    const quoted = (line: string): string => line.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
    const asks = typed.map(([line]) => `complete -C '${quoted(line)}' | head -1 | cut -f 1`);
    const commands = [`source '${script}'`, ...asks].join('\n');
    const folder = folderWithProgram();
    const { stdout } = await run('fish', ['--no-config', '-c', commands], folder);
    const offers = async (line: string): Promise<string[]> => {
      const answer = await run('fish', ['--no-config', '-c', `source '${script}'\ncomplete -C '${line}'`], folder);
      return answer.stdout.trim().split('\n').sort();
    };
    expect(await offers('mailvet config set level ')).toEqual(['dns', 'smtp', 'syntax']);
    // The description is shown with the flag, and not with each of its values.
    expect(await offers('mailvet bulk --level ')).toEqual(['dns', 'smtp', 'syntax']);
    const isCommand = expect.stringMatching(/^bounces\t/);
    // Commands before a list is named, and both once it is.
    expect(await offers('mailvet ')).toContainEqual(isCommand);
    expect(await offers('mailvet ')).not.toContain('big list.csv');
    expect(await offers('mailvet b')).toEqual(expect.arrayContaining([isCommand, 'big list.csv']));
    expect(await offers('mailvet -q ')).toContain('big list.csv');
    for (const line of ['mailvet -q serv', ...untouched]) expect(await offers(line)).toEqual(['']);
    expect(await offers('mailvet bulk --lev')).toEqual(['--level\thow deep to check (default: smtp)']);
    const lastWords = typed.map(([, whole]) => whole.split(' ').at(-1));
    expect(stdout.trimEnd().split('\n')).toEqual(lastWords);
  });
});
