import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../../src');

/** A floor imports only from floors below it, and from itself. */
const floors: Record<string, number> = {
  model: 0,
  async: 0.5,
  disk: 0.5,
  net: 1,
  wire: 1,
  rows: 1,
  settings: 1,
  engine: 2,
  jobs: 2,
  service: 3,
  server: 4,
  cli: 4,
};

/** Where a package or a Node module may be imported: a folder, or a file's path without its ending. */
const doors: Record<string, string[]> = {
  commander: ['cli'],
  chalk: ['cli'],
  'cli-table3': ['cli'],
  '@clack/prompts': ['cli'],
  undici: ['service/remote'],
  papaparse: ['rows'],
  tr46: ['engine/grammar/idna'],
  conf: ['settings'],
  'node:dns': ['net'],
  'node:dgram': ['net'],
  'node:net': ['net', 'server'],
  'node:tls': ['net'],
  'node:http': ['server'],
  fastify: ['server'],
  'node:sqlite': ['jobs'],
  'node-sqlite3-wasm': ['jobs'],
};

interface Import {
  file: string;
  floor: string;
  target: string;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(src, file), 'utf8');
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^'";]*?from\s*'([^']+)'|\b(?:import|require)\(\s*'([^']+)'\s*\)/g,
  );
  return [...found].map((match) => ({
    file,
    floor: floorOf(file),
    target: match[2] ?? match[3] ?? '',
  }));
});

function floorOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : '';
}

describe('the house', () => {
  test('every folder of src is a floor', () => {
    const folders = new Set(files.map(floorOf).filter((floor) => floor !== ''));
    expect([...folders].filter((folder) => !(folder in floors))).toEqual([]);
  });

  test('a floor imports only from floors below it', () => {
    const upward = imports
      .filter(({ floor, target }) => floor !== '' && target.startsWith('.'))
      .map(({ file, floor, target }) => {
        const to = relative(src, resolve(src, dirname(file), target));
        return { file, floor, to, toFloor: floorOf(to) };
      })
      .filter(({ floor, toFloor }) => {
        if (toFloor === floor) return false;
        return toFloor === '' || (floors[toFloor] ?? 99) >= (floors[floor] ?? -1);
      })
      .map(({ file, to }) => `${file} → ${to}`);
    expect(upward).toEqual([]);
  });

  test('the model imports nothing but itself', () => {
    const foreign = imports.filter(({ floor, target }) => floor === 'model' && !target.startsWith('./'));
    expect(foreign).toEqual([]);
  });

  test('each package enters by its door', () => {
    const trespassers = imports
      .filter(({ target, file }) => {
        const allowed =
          doors[target] ??
          doors[
            target
              .split('/')
              .slice(0, target.startsWith('@') ? 2 : 1)
              .join('/')
          ];
        return allowed !== undefined && !allowed.some((door) => file.startsWith(door));
      })
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(trespassers).toEqual([]);
  });

  test('only settings reads the environment', () => {
    const readers = files.filter(
      (file) => !file.startsWith('settings/') && /process\.env\b/.test(readFileSync(join(src, file), 'utf8')),
    );
    expect(readers).toEqual([]);
  });

  test('nothing ends the process', () => {
    const enders = files.filter((file) => /process\.(exit|abort)\(/.test(readFileSync(join(src, file), 'utf8')));
    expect(enders).toEqual([]);
  });

  test('no file imports itself by way of others, not even for a type', () => {
    const graph = new Map<string, string[]>();
    for (const { file, target } of imports) {
      if (!target.startsWith('.')) continue;
      const to = relative(src, resolve(src, dirname(file), target)).replace(/\.js$/, '.ts');
      graph.set(file, [...(graph.get(file) ?? []), to]);
    }
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
        return;
      }
      if (done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  test('there are no drawers', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc|types)(\.ts|\/)/.test(file))).toEqual([]);
    expect(files.filter((file) => file.endsWith('/index.ts'))).toEqual([]);
  });
});
