import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { addressCases } from './address-cases.js';
import { installRuntime } from './install-runtimes.js';

const folder = mkdtempSync(join(tmpdir(), 'address-'));
const modules = [...readdirSync('dist').filter((file) => /^address.*\.js$/.test(file)), 'run-cases.mjs', 'cases.mjs'];

/** Compares the results with those on Node: `print.mjs` prints the differences, workerd's test throws them. */
const imports = `import * as address from './address.js';
import { runCases } from './run-cases.mjs';
import { cases } from './cases.mjs';
const differences = () => runCases(address, cases);
`;

beforeAll(async () => {
  for (const file of modules.filter((name) => name.startsWith('address'))) cpSync(`dist/${file}`, join(folder, file));
  cpSync('test/runtimes/run-cases.mjs', join(folder, 'run-cases.mjs'));
  writeFileSync(join(folder, 'cases.mjs'), `export const cases = ${JSON.stringify(await addressCases())};`);
  writeFileSync(join(folder, 'print.mjs'), `${imports}console.log(JSON.stringify(await differences()));`);
  writeFileSync(
    join(folder, 'worker.mjs'),
    `${imports}export default { async test() {
      const found = await differences();
      if (found.length > 0) throw new Error(JSON.stringify(found.slice(0, 20)));
    } };`,
  );
  const list = ['worker.mjs', ...modules].map((name) => `(name = "${name}", esModule = embed "${name}")`);
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .address)]);
const address :Workerd.Worker = (modules = [${list.join(', ')}], compatibilityDate = "2026-01-01");`,
  );
});

const [bun, deno, workerd] = [installRuntime('bun'), installRuntime('deno'), installRuntime('workerd')];
const run = (program: string | null, args: string[]): string =>
  execFileSync(program ?? '', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

test.skipIf(bun === null)('mailvet/address returns the same results in bun as on Node', () => {
  expect(JSON.parse(run(bun, ['run', 'print.mjs']))).toEqual([]);
});

test.skipIf(deno === null)(
  'mailvet/address returns the same results in deno as on Node, without any permission',
  () => {
    expect(JSON.parse(run(deno, ['run', '--no-remote', '--no-npm', 'print.mjs']))).toEqual([]);
  },
);

test.skipIf(workerd === null)('mailvet/address returns the same results in workerd as on Node', () => {
  expect(() => run(workerd, ['test', 'config.capnp'])).not.toThrow();
});
