import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { commandIn } from '../cli/command-in.js';
import { bareEnvironment } from './run-binary.js';

const run = promisify(execFile);

/** A folder with lists, and an environment whose PATH contains `mailvet`. */
function openFolder(name: string) {
  const env = bareEnvironment({ NO_COLOR: '1', LANG: 'C.UTF-8' });
  const cwd = String(env['HOME']);
  mkdirSync(join(cwd, 'bin'));
  symlinkSync(resolve(import.meta.dirname, '../../bin/mailvet.js'), join(cwd, 'bin/mailvet'));
  writeFileSync(join(cwd, name), 'email\nvalid@sandbox.mailvet.test\ngreylisted@sandbox.mailvet.test\n');
  return { cwd, env: { ...env, PATH: `${join(cwd, 'bin')}:${env['PATH']}` } };
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** util-linux's script(1) runs the command in a terminal. */
describe.skipIf(process.platform !== 'linux')('a printed command, pasted into the same shell', () => {
  const name = "Ada's list, final (2).csv";
  test.each([45, 80, 120])(
    'follows an upload, fetches its rows and runs it again, in %d columns',
    { timeout: 60_000 },
    async (columns) => {
      const { cwd, env } = openFolder(name);
      const paste = async (command: string): Promise<string> => {
        const line = `stty cols ${columns} rows 50; ${command}`;
        const { stdout } = await run('script', ['-qec', line, '/dev/null'], { cwd, env, timeout: 50_000 });
        return stdout.replaceAll('\r', '');
      };
      const uploaded = await paste(`mailvet upload ${quoted(name)} --yes`);
      expect(uploaded).toMatch(/Follow\s+it\s+with:/);
      const followed = await paste(commandIn(uploaded));
      expect(followed).toContain('completed');
      await paste(commandIn(followed));
      expect(readFileSync(join(cwd, "Ada's list, final (2).vetted.csv"), 'utf8').split('\n')).toHaveLength(4);

      const vetted = await paste(`mailvet bulk ${quoted(name)} -o ${quoted(`vetted ${name}`)}`);
      expect(vetted).toMatch(/asks the unknown one\s+again/);
      expect(await paste(commandIn(vetted))).toContain('1 answer reused');

      for (const flags of ['--clean', "-o 'vetted list.csv'"]) {
        const written = await paste(`mailvet bulk ${quoted(name)} ${flags}`);
        expect(written).toMatch(/asks the unknown one\s+again/);
        expect(await paste(commandIn(written.slice(written.indexOf('Wrote'))))).toContain('1 answer reused');
      }
    },
  );
});
