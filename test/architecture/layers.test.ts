import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { moduleEntryPoints, packageEntryPoints } from './entry-points.js';

const src = resolve(import.meta.dirname, '../../src');

/** A layer imports only from layers below it, and from itself. */
const layers: Record<string, number> = {
  model: 0,
  async: 0.5,
  disk: 0.5,
  net: 1,
  wire: 1,
  rows: 1,
  settings: 1,
  engine: 1.5,
  lists: 1.8,
  jobs: 2,
  report: 2,
  // Runs in a browser. A test below lists what it may import.
  web: 2.5,
  service: 3,
  server: 4,
  cli: 4,
};

interface Import {
  file: string;
  /** A package's or a Node module's name, or the path of one of our files. */
  target: string;
  ours: boolean;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.replaceAll('\\', '/'));
const textOf = (file: string): string => readFileSync(join(src, file), 'utf8');
const sourceOf = (path: string): string => {
  const source = path.replace(/\.js$/, '.ts');
  return files.includes(`${source}x`) ? `${source}x` : source;
};
const imports: Import[] = files.flatMap((file) => {
  const found = textOf(file).matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(?:type\s)?[^'";]*?from\s*'([^']+)'|\b(?:import|require)\(\s*'([^']+)'\s*\)/g,
  );
  return [...found].map((match) => {
    const name = match[1] ?? match[2] ?? '';
    const ours = name.startsWith('.');
    const path = relative(src, resolve(src, dirname(file), name)).replaceAll('\\', '/');
    return { file, target: ours ? sourceOf(path) : name, ours };
  });
});
const inside = imports.filter(({ ours }) => ours);

const layerOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : '');
const arrow = ({ file, target }: Import): string => `${file} → ${target}`;

/** The folder of a file; a file next to modules counts as its own module. */
const folders = new Set(files.map((file) => dirname(file)));
const moduleOf = (file: string): string => {
  const folder = dirname(file);
  return [...folders].some((other) => other.startsWith(`${folder}/`)) || folder === '.' ? file : folder;
};

/** Every cycle, the shortest first. */
function circles(edges: readonly (readonly [from: string, to: string])[]): string[] {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  const visited = new Set<string>();
  const found: string[] = [];
  const visit = (thing: string, path: string[]): void => {
    if (path.includes(thing)) {
      found.push([...path.slice(path.indexOf(thing)), thing].join(' → '));
      return;
    }
    if (visited.has(thing)) return;
    for (const next of graph.get(thing) ?? []) visit(next, [...path, thing]);
    visited.add(thing);
  };
  for (const thing of graph.keys()) visit(thing, []);
  return found;
}

describe('the architecture', () => {
  test('every folder of src is a layer', () => {
    expect([...new Set(files.map(layerOf))].filter((layer) => layer !== '' && !(layer in layers))).toEqual([]);
  });

  test('a layer imports only from layers below it, even its types', () => {
    const upward = inside.filter(({ file, target }) => {
      const [from, to] = [layerOf(file), layerOf(target)];
      if (from === '' || from === to) return false;
      return to === '' || (layers[to] ?? 99) >= (layers[from] ?? -1);
    });
    expect(upward.map(arrow)).toEqual([]);
  });

  test('the model imports nothing but itself', () => {
    expect(imports.filter(({ file, target }) => layerOf(file) === 'model' && layerOf(target) !== 'model')).toEqual([]);
  });

  test('the command line imports the service, but none of its internals', () => {
    const hidden = ['net', 'engine', 'jobs', 'server'];
    const seen = inside.filter(({ file, target }) => layerOf(file) === 'cli' && hidden.includes(layerOf(target)));
    expect(seen.map(arrow)).toEqual([]);
  });

  test('the browser imports only the model, the wire and the components that it shares with the report', () => {
    const allowed = /^(web|model|wire|report\/components)\//;
    expect(inside.filter(({ file, target }) => layerOf(file) === 'web' && !allowed.test(target)).map(arrow)).toEqual(
      [],
    );
  });

  test('what the browser imports runs in a browser', () => {
    const seen = (file: string): boolean => /^(web|model|wire|report\/components)\//.test(file);
    expect(imports.filter(({ file, target }) => seen(file) && target.startsWith('node:')).map(arrow)).toEqual([]);
  });

  test('only the web application uses browser APIs', () => {
    // The types of preact include those of the browser, so the compiler would not complain.
    const browser =
      /\b(?:window|localStorage|navigator|document\.(?:body|documentElement|getElementById|querySelector))\./;
    expect(files.filter((file) => layerOf(file) !== 'web' && browser.test(textOf(file)))).toEqual([]);
  });

  test('each module is imported through its entry points', () => {
    const around = inside.filter(({ file, target }) => {
      const module = dirname(target);
      const entryPoints = moduleEntryPoints[module];
      if (entryPoints === undefined || file === module || file.startsWith(`${module}/`)) return false;
      return !entryPoints.includes(target.slice(module.length + 1).replace(/(\.d)?\.tsx?$/, ''));
    });
    expect(around.map(arrow)).toEqual([]);
  });

  test('each module has an entry point, and each entry point is used', () => {
    const modules = [...folders].filter((folder) => folder.includes('/'));
    expect(modules.filter((module) => !(module in moduleEntryPoints))).toEqual([]);
    const unused = Object.entries(moduleEntryPoints).flatMap(([module, entryPoints]) =>
      entryPoints
        .map((entry) => `${module}/${entry}.ts`)
        .filter(
          (entry) =>
            !inside.some(({ file, target }) => target.replace(/x$/, '') === entry && !file.startsWith(`${module}/`)),
        ),
    );
    expect(unused).toEqual([]);
  });

  test('each package is imported only where it is allowed', () => {
    const nameOf = (target: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target;
    const violations = imports.filter(({ ours, target, file }) => {
      const allowed = ours ? undefined : (packageEntryPoints[target] ?? packageEntryPoints[nameOf(target)]);
      return allowed !== undefined && !allowed.some((prefix) => file.startsWith(prefix));
    });
    expect(violations.map(arrow)).toEqual([]);
  });

  test('every package has a rule', () => {
    const packages = imports.filter(({ ours, target }) => !ours && !target.startsWith('node:'));
    const names = new Set(packages.map(({ target }) => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target));
    expect([...names].filter((name) => !(name in packageEntryPoints))).toEqual([]);
  });

  test('only settings reads the environment', () => {
    expect(files.filter((file) => !file.startsWith('settings/') && /process\.env\b/.test(textOf(file)))).toEqual([]);
  });

  test('nothing ends the process', () => {
    expect(files.filter((file) => /process\.(exit|abort)\(/.test(textOf(file)))).toEqual([]);
  });

  test('no file imports itself through others, not even for a type', () => {
    expect(circles(inside.map(({ file, target }) => [file, target]))).toEqual([]);
  });

  test('no module imports itself through others, not even for a type', () => {
    const between = inside
      .map(({ file, target }) => [moduleOf(file), moduleOf(target)] as const)
      .filter(([from, to]) => from !== to);
    expect(circles(between)).toEqual([]);
  });

  test('there are no catch-all modules', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc|types)(\.tsx?|\/)/.test(file))).toEqual([]);
    expect(files.filter((file) => /\/index\.tsx?$/.test(file))).toEqual([]);
  });

  test('packages that are imported on demand are used by their default export', () => {
    const byName = files.filter((file) =>
      [...textOf(file).matchAll(/\{([^{}]*)\}\s*=\s*\(?await import\('(?!node:|\.)/g)].some(([, names = '']) =>
        names.split(',').some((name) => name.trim() !== '' && !name.trim().startsWith('default')),
      ),
    );
    expect(byName).toEqual([]);
  });
});
