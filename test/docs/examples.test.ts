import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/commands/all.js';
import { buildProgram } from '../../src/cli/program.js';
import type { Terminal } from '../../src/cli/terminal/terminal.js';
import { freshFolder, runCli } from '../cli/run-cli.js';

const root = resolve(import.meta.dirname, '../..');
const documents = [
  'README.md',
  'skills/mailvet/SKILL.md',
  ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`),
];
const pages = documents.filter((file) => file.endsWith('.md'));
const home = freshFolder();
for (const folder of ['.config/fish/completions', 'lists']) mkdirSync(join(home, folder), { recursive: true });
for (const file of ['key.txt', 'password.txt']) writeFileSync(join(home, file), 'a secret\n');

const blocksOf = (page: string): string[] =>
  readFileSync(join(root, page), 'utf8')
    .split(/^ *```.*$/m)
    .filter((_, index) => index % 2 === 1);

/** The command lines in a block that call mailvet, with their continuation lines, and without a prompt. */
function commandsIn(block: string): string[] {
  const hasPrompt = /^ *\$ /m.test(block);
  const commands: string[] = [];
  let continues = false;
  for (const line of block.split('\n')) {
    const start = hasPrompt ? /^ *\$ (.*)/.exec(line)?.[1] : /^(?:\S+ [^|]*\| *)?mailvet .*/.exec(line)?.[0];
    if (continues) commands.push(`${commands.pop()}\n${line}`);
    else if (start !== undefined) commands.push(start);
    continues = (continues || start !== undefined) && /(?:\\|&&|\|)$/.test(line);
  }
  // What runs in a container or for another user is not this shell's.
  return commands.filter((command) => /\bmailvet /.test(command) && !/^(?:docker|sudo) /.test(command));
}

/** The words of each call of mailvet that bash makes of a command. Other programs are not found. */
function callsIn(command: string): string[][] {
  const script = `mailvet() { { printf '%s\\0' "$@"; printf '\\1\\0'; } >&3; }\n${command}\n`;
  const { output } = spawnSync('/bin/bash', ['-c', script], {
    ...{ cwd: home, env: { PATH: home, HOME: home, KEY: 'mv_key' }, timeout: 5_000 },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  expect(String(output[2])).not.toMatch(/syntax error|unexpected/);
  const calls = String(output[3]).split('\u0001\0').slice(0, -1);
  return calls.map((call) => call.split('\0').slice(0, -1));
}

/** What the fakes of this test lack. Everything else must be understood. */
const lacks =
  /The fake has no jobs|this test has no|no stored lists|no such file|There is no (?:file|terminal|profile)|needs confirmation|does not reuse/;

async function faultIn(words: string[], mode: string): Promise<string | null> {
  const environment = {
    ...{ MAILVET_MODE: mode, MAILVET_API_KEY: 'mv_key', MAILVET_BASE_URL: 'https://service.example' },
    ...{ MAILVET_CONFIG_DIR: freshFolder(), MAILVET_RESOLVERS: '127.0.0.1:9' },
  };
  const stdin = words[0] === 'explain' ? '550 5.1.1 No such user\n' : 'email\na@b.co\n';
  const { status, err } = await runCli(words, { stdin, environment });
  return (status === 2 || status === 70) && err !== '' && !lacks.test(err) ? err : null;
}

async function faultsIn(commands: readonly string[], mode = 'local'): Promise<string[]> {
  const faults: string[] = [];
  for (const command of commands) {
    const calls = callsIn(command);
    if (calls.length === 0) faults.push(`${command}: does not call mailvet`);
    for (const words of calls) {
      const fault = await faultIn(words, mode);
      if (fault !== null) faults.push(`${command}: ${fault}`);
    }
  }
  return faults;
}

const mistyped = 'mailvet validat';

test.each(pages)(
  '%s: a shell and mailvet understand each command',
  async (page) => {
    const commands = blocksOf(page)
      .flatMap(commandsIn)
      .filter((command) => command !== mistyped);
    expect(await faultsIn(commands, page === 'docs/remote.md' ? 'remote' : 'local')).toEqual([]);
  },
  30_000,
);

const stream = { columns: 120, color: false };
const program = buildProgram(commands, async () => {}, { terminal: { stdout: stream, stderr: stream } as Terminal });
const pathsBelow = (command: Command, path: string[]): string[][] => [
  path,
  ...command.commands
    .filter((child) => child.name() !== 'help')
    .flatMap((child) => pathsBelow(child, [...path, child.name()])),
];

test.each(pathsBelow(program, []).map((path) => ({ path })))(
  'mailvet $path --help: a shell and mailvet understand each example',
  async ({ path }) => {
    const { out } = await runCli([...path, '--help'], { columns: 120 });
    expect(await faultsIn(commandsIn(out))).toEqual([]);
  },
);

test('examples are found', () => {
  expect(pages.flatMap((page) => blocksOf(page).flatMap(commandsIn)).length).toBeGreaterThan(60);
});
