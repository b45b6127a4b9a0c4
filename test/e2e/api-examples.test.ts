import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { engineSettings } from '../../src/settings/definitions.js';
import { freshFolder } from '../cli/run-cli.js';
import { bareEnvironment, waitForExit } from './run-binary.js';

const page = readFileSync('docs/api.md', 'utf8');
const examples = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
const nameOf = (code: string): string => /import \{ (.*?) \}/.exec(code)?.[1] ?? code.slice(0, 40);

/** `expression; // → value` becomes a comparison. */
const checked = (code: string): string =>
  `import { deepStrictEqual } from 'node:assert';\n${code.replace(/^(\s*)(.+); \/\/ → (.+)$/gm, '$1deepStrictEqual($2, $3);')}`;

test('each export of both entries has an example', async () => {
  const exported = [await import('../../src/address.js'), await import('../../src/index.js')].flatMap(Object.keys);
  const imported = examples.flatMap((code) => nameOf(code).split(', '));
  expect(exported.filter((name) => !imported.includes(name))).toEqual([]);
});

test('each option of the engine is documented', () => {
  const documented = page.slice(page.indexOf('### Options'), page.indexOf('### Results'));
  expect([...engineSettings, 'exclude', 'onNote'].filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
});

test.each(examples.map((code) => ({ name: nameOf(code), code })))('the example of $name runs', async ({ code }) => {
  const folder = freshFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('.'), join(folder, 'node_modules/mailvet'));
  writeFileSync(join(folder, 'example.mjs'), checked(code));
  const run = await waitForExit(spawn(process.execPath, [join(folder, 'example.mjs')], { env: bareEnvironment() }));
  expect(run).toMatchObject({ err: '', status: 0 });
});
