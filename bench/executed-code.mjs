// How much of a program's code was executed: the characters of each block of dist/, times how often it ran, from the coverage
// that Node writes to NODE_V8_COVERAGE. Unlike time and instructions, it depends neither on the machine nor on its load.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The executed characters of each function, largest first. */
export function executedCode(folder) {
  const functions = new Map();
  for (const name of readdirSync(folder)) {
    for (const { url, functions: list } of JSON.parse(readFileSync(join(folder, name), 'utf8')).result) {
      if (!/\/(?:dist|bin)\//.test(url)) continue;
      // The name of a chunk ends in the hash of its content.
      const file = basename(url).replace(/-[\w-]{8}(?=\.[cm]?js$)/, '');
      for (const { functionName, ranges } of list) {
        const key = functionName === '' ? `(anonymous in ${file})` : functionName;
        functions.set(key, (functions.get(key) ?? 0) + executedIn(ranges));
      }
    }
  }
  return new Map([...functions].sort(([, a], [, b]) => b - a));
}

/** Ranges are nested, the outer one first; an inner count replaces that of the outer one. */
function executedIn(ranges) {
  let executed = 0;
  const open = [];
  for (const range of ranges) {
    const length = range.endOffset - range.startOffset;
    while (open.length > 0 && open.at(-1).endOffset <= range.startOffset) open.pop();
    executed += length * (range.count - (open.at(-1)?.count ?? 0));
    open.push(range);
  }
  return executed;
}
