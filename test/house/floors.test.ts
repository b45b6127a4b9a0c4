import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageDoors, roomDoors } from './doors.js';

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
  report: 2,
  // Runs in a browser, so only what it needs of the floors below; a fact of its own says what that is.
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

const floorOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : '');
const arrow = ({ file, target }: Import): string => `${file} → ${target}`;

/** The folder that a file lies in; a file that lies beside rooms stands for itself. */
const folders = new Set(files.map((file) => dirname(file)));
const roomOf = (file: string): string => {
  const folder = dirname(file);
  return [...folders].some((other) => other.startsWith(`${folder}/`)) || folder === '.' ? file : folder;
};

/** Every way that leads from a thing back to itself, by the shortest way found first. */
function circles(edges: readonly (readonly [from: string, to: string])[]): string[] {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (thing: string, path: string[]): void => {
    if (path.includes(thing)) {
      found.push([...path.slice(path.indexOf(thing)), thing].join(' → '));
      return;
    }
    if (done.has(thing)) return;
    for (const next of graph.get(thing) ?? []) visit(next, [...path, thing]);
    done.add(thing);
  };
  for (const thing of graph.keys()) visit(thing, []);
  return found;
}

describe('the house', () => {
  test('every folder of src is a floor', () => {
    expect([...new Set(files.map(floorOf))].filter((floor) => floor !== '' && !(floor in floors))).toEqual([]);
  });

  test('a floor imports only from floors below it, even its types', () => {
    const upward = inside.filter(({ file, target }) => {
      const [from, to] = [floorOf(file), floorOf(target)];
      if (from === '' || from === to) return false;
      return to === '' || (floors[to] ?? 99) >= (floors[from] ?? -1);
    });
    expect(upward.map(arrow)).toEqual([]);
  });

  test('the model imports nothing but itself', () => {
    expect(imports.filter(({ file, target }) => floorOf(file) === 'model' && floorOf(target) !== 'model')).toEqual([]);
  });

  test('the command line sees the service, and nothing that the service is made of', () => {
    const hidden = ['net', 'engine', 'jobs', 'server'];
    const seen = inside.filter(({ file, target }) => floorOf(file) === 'cli' && hidden.includes(floorOf(target)));
    expect(seen.map(arrow)).toEqual([]);
  });

  test('the browser sees the model, the wire and the components that it shares with the report', () => {
    const allowed = /^(web|model|wire|report\/components)\//;
    expect(inside.filter(({ file, target }) => floorOf(file) === 'web' && !allowed.test(target)).map(arrow)).toEqual(
      [],
    );
  });

  test('what the browser sees runs in a browser', () => {
    const seen = (file: string): boolean => /^(web|model|wire|report\/components)\//.test(file);
    expect(imports.filter(({ file, target }) => seen(file) && target.startsWith('node:')).map(arrow)).toEqual([]);
  });

  test('only the web application speaks to a browser', () => {
    // The types of preact bring those of the browser along, so the compiler would not say a word.
    const browser =
      /\b(?:window|localStorage|navigator|document\.(?:body|documentElement|getElementById|querySelector))\./;
    expect(files.filter((file) => floorOf(file) !== 'web' && browser.test(textOf(file)))).toEqual([]);
  });

  test('each room is entered by its door', () => {
    const around = inside.filter(({ file, target }) => {
      const room = dirname(target);
      const doors = roomDoors[room];
      if (doors === undefined || file === room || file.startsWith(`${room}/`)) return false;
      return !doors.includes(target.slice(room.length + 1).replace(/(\.d)?\.tsx?$/, ''));
    });
    expect(around.map(arrow)).toEqual([]);
  });

  test('each room has a door, and each door is used', () => {
    const rooms = [...folders].filter((folder) => folder.includes('/'));
    expect(rooms.filter((room) => !(room in roomDoors))).toEqual([]);
    const unused = Object.entries(roomDoors).flatMap(([room, doors]) =>
      doors
        .map((door) => `${room}/${door}.ts`)
        .filter(
          (door) =>
            !inside.some(({ file, target }) => target.replace(/x$/, '') === door && !file.startsWith(`${room}/`)),
        ),
    );
    expect(unused).toEqual([]);
  });

  test('each package enters by its door', () => {
    const nameOf = (target: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target;
    const trespassers = imports.filter(({ ours, target, file }) => {
      const allowed = ours ? undefined : (packageDoors[target] ?? packageDoors[nameOf(target)]);
      return allowed !== undefined && !allowed.some((door) => file.startsWith(door));
    });
    expect(trespassers.map(arrow)).toEqual([]);
  });

  test('every package has a door', () => {
    const packages = imports.filter(({ ours, target }) => !ours && !target.startsWith('node:'));
    const names = new Set(packages.map(({ target }) => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target));
    expect([...names].filter((name) => !(name in packageDoors))).toEqual([]);
  });

  test('only settings reads the environment', () => {
    expect(files.filter((file) => !file.startsWith('settings/') && /process\.env\b/.test(textOf(file)))).toEqual([]);
  });

  test('nothing ends the process', () => {
    expect(files.filter((file) => /process\.(exit|abort)\(/.test(textOf(file)))).toEqual([]);
  });

  test('no file imports itself by way of others, not even for a type', () => {
    expect(circles(inside.map(({ file, target }) => [file, target]))).toEqual([]);
  });

  test('no room imports itself by way of others, not even for a type', () => {
    const between = inside
      .map(({ file, target }) => [roomOf(file), roomOf(target)] as const)
      .filter(([from, to]) => from !== to);
    expect(circles(between)).toEqual([]);
  });

  test('there are no drawers', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc|types)(\.tsx?|\/)/.test(file))).toEqual([]);
    expect(files.filter((file) => /\/index\.tsx?$/.test(file))).toEqual([]);
  });

  test('packages that are imported on demand are asked for what is the same in the bundle', () => {
    const byName = files.filter((file) =>
      [...textOf(file).matchAll(/\{([^{}]*)\}\s*=\s*\(?await import\('(?!node:|\.)/g)].some(([, names = '']) =>
        names.split(',').some((name) => name.trim() !== '' && !name.trim().startsWith('default')),
      ),
    );
    expect(byName).toEqual([]);
  });
});
