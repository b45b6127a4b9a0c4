import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { bareEnvironment } from './run-binary.js';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'mailvet-action-'));
const git = (...args: string[]): string => {
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
  return execFileSync('git', ['-C', folder, ...author, ...args], { encoding: 'utf8' }).trim();
};
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
let base = '';

beforeAll(() => {
  git('init', '--quiet');
  write('old.csv', 'email\nbad..old@gmail.com\n');
  git('add', '.');
  git('commit', '--quiet', '--message', 'one');
  base = git('rev-parse', 'HEAD');
  write('-new, list.csv', 'email,id\njane.doe@gmail.com,1\nbad..new@gmail.com,2\n');
  write('notes.md', 'Write to bad..notes@gmail.com.\n');
  write('empty.csv', '');
  git('add', '.');
  git('commit', '--quiet', '--message', 'two');
});

/** Runs the script of action.yml with its defaults, as a runner does. */
function runAction(inputs: Record<string, string>): { status: number | null; out: string } {
  const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as {
    inputs: Record<string, { default: string }>;
    runs: { steps: { run: string; env: Record<string, string> }[] };
  };
  const [step] = action.runs.steps;
  const inputValue = (name: string): string => inputs[name] ?? action.inputs[name]?.default ?? '';
  const variables = Object.entries(step?.env ?? {}).map(([variable, value]) => {
    const name = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1] ?? '';
    return [variable, inputValue(name)];
  });
  const env = {
    ...bareEnvironment(),
    ...Object.fromEntries(variables),
    GITHUB_ACTION_PATH: root,
    MAILVET: `${process.execPath} ${join(root, 'bin/mailvet.js')}`,
  };
  const { status, stdout } = spawnSync('bash', ['-c', step?.run ?? ''], { cwd: folder, env, encoding: 'utf8' });
  return { status, out: stdout };
}

test('the action checks changed files only, and names file and line', () => {
  const { status, out } = runAction({ base });
  expect(status).toBe(1);
  expect(out).toBe(
    '::error file=-new%2C list.csv,line=3::bad..new@gmail.com is invalid.\n1 file checked, 1 address is invalid.\n',
  );
});

test('the action gives each address its own status, and the line that has exactly this address', () => {
  const lines = ['info@gmail.com.au', 'x.info@gmail.com', 'info@gmail.com', 'x-a..b@b.co', '"j d"@b..co', 'a..b@b.co'];
  write('mixed.txt', lines.join('\n'));
  git('add', 'mixed.txt');
  const { status, out } = runAction({ base: '', paths: 'mixed.txt', 'fail-on': 'invalid,risky' });
  expect(status).toBe(1);
  expect(out.trim().split('\n')).toEqual([
    '::error file=mixed.txt,line=1::info@gmail.com.au is risky.',
    '::error file=mixed.txt,line=3::info@gmail.com is risky.',
    '::error file=mixed.txt,line=4::x-a..b@b.co is invalid.',
    '::error file=mixed.txt,line=5::"j d"@b..co is invalid.',
    '::error file=mixed.txt,line=6::a..b@b.co is invalid.',
    '1 file checked, 5 addresses are invalid or risky.',
  ]);
});

test('the action checks all files if the base is not known', () => {
  expect(runAction({ base: '0'.repeat(40) }).out).toContain('file=old.csv,line=2');
});

test.each([
  { name: 'nothing bad', inputs: { paths: 'old.csv' }, status: 0 },
  { name: 'addresses in any text', inputs: { paths: '*.md', input: 'text' }, status: 1 },
  { name: 'an unknown level', inputs: { level: 'deep' }, status: 2 },
])('the action with $name ends with $status', ({ inputs, status }) => {
  expect(runAction({ base, ...inputs }).status).toBe(status);
});
