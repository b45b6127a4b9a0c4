import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as Address from '../../src/address.js';
import { freshFolder } from '../cli/run-cli.js';
import { type AddressCase, addressCases } from '../runtimes/address-cases.js';
import { runCases } from '../runtimes/run-cases.mjs';

const entry = resolve('dist/address.js');
/** A query loads a new copy of the module. */
const load = (query: string): Promise<typeof Address> => import(`${entry}?${query}`);

let cases: AddressCase[];
beforeAll(async () => {
  cases = await addressCases();
});

test('the built file answers as the sources do, on Node', async () => {
  expect(cases.filter(({ call }) => call === 'parseAddress').length).toBeGreaterThan(1_500);
  expect(await runCases(await load('tables'), cases)).toEqual([]);
});

test('without the tables for international names, every address stays valid, with the same canonical form', async () => {
  const { canonical } = await load('platform');
  const differences = cases.filter(
    ({ call, args: [text, options], want }) =>
      call === 'canonical' && options === undefined && want !== null && canonical(text as string) !== want,
  );
  expect(differences).toEqual([]);
});

describe('size', () => {
  const bundled = async (code: string): Promise<string[]> => {
    const folder = freshFolder();
    const input = join(folder, 'input.js');
    writeFileSync(input, code.replace('mailvet/address', entry));
    const options = {
      bundle: true,
      minify: true,
      splitting: true,
      format: 'esm',
      write: false,
      outdir: folder,
    } as const;
    const { outputFiles, metafile } = await build({ ...options, entryPoints: [input], metafile: true });
    // What the page loads at once: the entry and its static imports, but not dynamic imports.
    const outputs = Object.entries(metafile.outputs);
    const first = outputs.find(([, { entryPoint }]) => entryPoint?.endsWith('input.js'));
    const names = [
      first?.[0],
      ...(first?.[1].imports.filter(({ kind }) => kind !== 'dynamic-import').map(({ path }) => path) ?? []),
    ];
    return outputFiles
      .filter(({ path }) => names.some((name) => name && path.endsWith(name.replace(/^.*\//, ''))))
      .map(({ text }) => text);
  };
  const compressed = (texts: readonly string[]): number =>
    texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);

  test('the module without its lists and tables has at most 45 kB, compressed', async () => {
    const all = await bundled(`export * from 'mailvet/address';`);
    expect(compressed(all)).toBeLessThanOrEqual(45_000);
  });

  test('parseAddress alone has at most 15 kB, compressed', async () => {
    const alone = await bundled(`import { parseAddress } from 'mailvet/address'; globalThis.parse = parseAddress;`);
    expect(compressed(alone)).toBeLessThanOrEqual(15_000);
  });
});

test('no file imports a module of Node', () => {
  const files = readdirSync('dist').filter((file) => /^address.*\.js$/.test(file));
  expect(files.length).toBeGreaterThan(2);
  const needsNode = /\bnode:|\brequire\(|\bprocess\.|\bBuffer\b|__dirname|import\.meta/;
  expect(files.filter((file) => needsNode.test(readFileSync(`dist/${file}`, 'utf8')))).toEqual([]);
});
