// The machine-made half of a test: what programs made (fetch-machines.mjs), and what the formats of mail systems make.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As many names of each kind, { text, label, groups }, as make `count` in all; `names` are real ones for formats that hold one. */
export function machineHalf(random, { folder, file, formats, sayable }, names, count) {
  const path = join(folder, file);
  if (!existsSync(path)) throw new Error(`${path} is missing. Run fetch-machines.mjs first.`);
  const programs = {};
  for (const line of readFileSync(path, 'utf8').trim().split('\n')) {
    const { kind, text } = JSON.parse(line);
    programs[kind] ??= [];
    programs[kind].push(text);
  }
  const kinds = {
    ...formats,
    ...Object.fromEntries(Object.entries(programs).map(([kind, made]) => [kind, () => random.pick(made)])),
  };
  const each = Math.ceil(count / Object.keys(kinds).length);
  return Object.entries(kinds).flatMap(([kind, make]) =>
    Array.from({ length: each }, () => ({
      text: make(random, random.pick(names)),
      label: 0,
      groups: [kind, ...(sayable.includes(kind) ? ['all that can be pronounced'] : [])],
    })),
  );
}
