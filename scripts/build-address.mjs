// Builds dist/address.js, which runs without Node: in browsers, edge workers, Deno and Bun.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'rolldown';

/** The functions of src/engine/data-text.ts, as modules that contain the data. */
const data = {
  readTlds: text('tlds.txt'),
  readRoles: text('roles.txt'),
  readTypos: JSON.stringify(JSON.parse(read('typos.json'))),
  readFree: `new TextEncoder().encode(${linesByEnding('free.txt')})`,
  readPublicSuffixes: bytes('public-suffixes.txt'),
  readDisposable: bytes('disposable.txt'),
};

/** Replaces two modules that read files or load packages as only Node can. */
const withoutNode = {
  name: 'without-node',
  resolveId(source, importer) {
    if (source.endsWith('/idna-tables.js')) return resolve('src/engine/address/edge-idna.ts');
    if (source.endsWith('/data-text.js')) return resolve('src/engine/data-text.ts');
    if (source.startsWith('node:'))
      throw new Error(`${importer} imports ${source}, which mailvet/address cannot have.`);
    return null;
  },
  load(id) {
    if (id !== resolve('src/engine/data-text.ts')) return null;
    // One module for each, so that chunks hold only what they use.
    return Object.keys(data)
      .map((name) => `export { ${name} } from 'data:${name}';`)
      .join('\n');
  },
};

const dataModules = {
  name: 'data-modules',
  resolveId: (source) => (source.startsWith('data:read') ? { id: source, moduleSideEffects: false } : null),
  load: (id) => {
    const name = id.startsWith('data:read') ? id.slice('data:'.length) : null;
    return name === null ? null : `export const ${name} = () => (${data[name]});`;
  },
};

/** Writes dist/address.js and its chunks; returns the files that were bundled. */
export async function buildAddress() {
  const { output } = await build({
    input: { address: 'src/address.ts' },
    platform: 'browser',
    plugins: [dataModules, withoutNode],
    transform: { target: 'es2022' },
    output: {
      dir: 'dist',
      format: 'esm',
      minify: true,
      comments: false,
      chunkFileNames: 'address-[name].js',
    },
  });
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}

function read(name) {
  return readFileSync(`src/engine/data/${name}`, 'utf8');
}

function text(name) {
  return JSON.stringify(read(name));
}

function bytes(name) {
  return `new TextEncoder().encode(${text(name)})`;
}

/** Names after the ending that they share: a tenth smaller when compressed. Sorted again when they are read. */
function linesByEnding(name) {
  const endings = new Map();
  for (const line of read(name).trimEnd().split('\n')) {
    const dot = line.indexOf('.');
    const ending = line.slice(dot + 1);
    endings.set(ending, `${endings.get(ending) ?? ending} ${line.slice(0, dot)}`);
  }
  return `${JSON.stringify([...endings.values()].join('\n'))}.split('\\n').flatMap((group) => {
    const [ending, ...names] = group.split(' ');
    return names.map((name) => name + '.' + ending);
  }).sort().join('\\n')`;
}
