import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Matches a variable, or a collection that starts empty and can grow. */
const moduleState =
  /^(?:export )?(?:let |const \w+(?:: (?!readonly)[^=]+)? = (?:new (?:Map|Set|WeakMap|LruMap)(?:<.*>)?\((?:\)|\{)|\[\];))/m;

test('docs/architecture.md lists every module that has state', () => {
  const documented = [...read('docs/architecture.md').matchAll(/\]\(\.\.\/(src\/[^)]+)\)/g)].map(
    ([, path = '']) => path,
  );
  const files = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('web/'))
    .map((file) => `src/${file}`);
  const stateful = files.filter((file) => moduleState.test(read(file)));
  expect(stateful.length).toBeGreaterThan(15);
  expect(stateful.filter((file) => !documented.some((path) => file === path || file.startsWith(`${path}/`)))).toEqual(
    [],
  );
});
