import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const folder = resolve(import.meta.dirname, '../../bench');

test('`npm run bench` runs only files that are benchmarks and need no argument', () => {
  const { stderr } = spawnSync(process.execPath, [join(folder, 'run.mjs'), 'unknown'], { encoding: 'utf8' });
  const names = /There are: (.*)\./.exec(stderr)?.[1]?.split(', ') ?? [];
  expect(names).toContain('syntax');
  const unsuited = names.filter((name) =>
    /^export |Usage: node \S+ [A-Z]/m.test(readFileSync(join(folder, `${name}.mjs`), 'utf8')),
  );
  expect(unsuited).toEqual([]);
});
