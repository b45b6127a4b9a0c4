import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const src = join(import.meta.dirname, '../../src');

/** The modules that a module loads at once: its static imports, and theirs. */
function loadedBy(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(src, file), 'utf8');
  for (const [, name = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';$/gm)) {
    if (name.startsWith('.')) loadedBy(join(dirname(file), name).replace(/\.js$/, '.ts'), found);
    else found.add(name);
  }
  return found;
}

test.each([
  { module: 'rows/open-rows.ts', loads: false },
  { module: 'server/http/results-body.ts', loads: false },
  { module: 'rows/read/csv/open-csv.ts', loads: true },
  { module: 'rows/write/write-record.ts', loads: true },
])('$module loads papaparse at once: $loads', ({ module, loads }) => {
  expect(loadedBy(module).has('papaparse')).toBe(loads);
});
