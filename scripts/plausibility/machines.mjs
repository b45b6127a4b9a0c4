// The machine-made half of a test: what programs made (fetch-machines.mjs), and what the formats of mail systems and robots make.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * As many names of each kind, { text, label, groups }, as make `count` in all; `names` are real ones for formats that hold one. Of
 * the programs whose names lie in `files`, `only` says which are taken; `together` has kinds that are reported together as well.
 */
export function machineHalf(random, { folder, files, only, formats, together }, names, count) {
  const programs = {};
  for (const { kind, text } of files.flatMap((file) => read(folder, file))) {
    if (only !== undefined && !only.includes(kind)) continue;
    programs[kind] ??= [];
    programs[kind].push(text);
  }
  const kinds = {
    ...formats,
    ...Object.fromEntries(Object.entries(programs).map(([kind, made]) => [kind, () => random.pick(made)])),
  };
  const each = Math.ceil(count / Object.keys(kinds).length);
  return Object.entries(kinds).flatMap(([kind, make]) => {
    const others = Object.keys(together).filter((group) => together[group].includes(kind));
    return Array.from({ length: each }, () => ({
      text: make(random, random.pick(names)),
      label: 0,
      groups: [kind, ...others],
    }));
  });
}

function read(folder, file) {
  const path = join(folder, file);
  if (!existsSync(path)) throw new Error(`${path} is missing. Run fetch-machines.mjs first.`);
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
