import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
/** Files that are called from outside the repository: the program and the published libraries. */
const entryPoints = ['src/main.ts', 'src/index.ts', 'src/address.ts'];

const texts = new Map(
  ['src', 'test', 'training', 'scripts', 'bench', 'bin'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:tsx?|m?js)$/.test(file) && !file.includes('node_modules'))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
      .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const),
  ),
);

/** The files that refer to a source file, by its relative path or, as scripts do, by its name. */
function readersByFile(): Map<string, Set<string>> {
  const readers = new Map<string, Set<string>>();
  const note = (target: string, reader: string): void => {
    readers.set(target, (readers.get(target) ?? new Set()).add(reader));
  };
  for (const [reader, text] of texts) {
    for (const [, path = ''] of text.matchAll(/'(\.{1,2}\/[^'\n]+|[\w-]+\.tsx?)'/g)) {
      const target = path.startsWith('.') ? join(dirname(reader), path) : path;
      note(target.replace(/\.(?:js|tsx?)$/, ''), reader);
    }
  }
  return readers;
}

test('each export of a file is used by another file', () => {
  const readers = readersByFile();
  const mentions = (file: string, name: string): boolean => {
    const text = texts.get(file) ?? '';
    return text.includes(name) && new RegExp(`\\b${name}\\b`).test(text);
  };
  const unused = [...texts].flatMap(([file, text]) => {
    if (!file.startsWith('src/') || entryPoints.includes(file)) return [];
    const path = file.replace(/\.tsx?$/, '');
    const otherReaders = [...(readers.get(path) ?? []), ...(readers.get(basename(path)) ?? [])];
    const exported = text.matchAll(
      /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) ([\w$]+)/gm,
    );
    return [...exported]
      .map(([, name = '']) => name)
      .filter((name) => !otherReaders.some((other) => other !== file && mentions(other, name)))
      .map((name) => `${file}: ${name}`);
  });
  expect(unused).toEqual([]);
});
