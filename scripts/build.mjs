// Builds dist/: the library and the program, the data files beside them, the type declarations, the web application,
// and the licences of what is bundled.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
const require = createRequire(import.meta.url);

if (!existsSync('node_modules/esbuild')) {
  // `npm install --omit=dev` in a checkout: nothing to build with, and an installed package brings its own dist/.
  console.error('mailvet: development packages are missing, so dist/ is not built. Run: npm ci');
  process.exit(existsSync('dist/cli/program.js') ? 0 : 1);
}

const { build, transform } = await import('esbuild');
const { buildWeb } = await import('./build-web.mjs');
const { keepCompiled } = await import('./keep-compiled.mjs');
const { packProgram } = await import('./pack-program.mjs');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

const target = 'node20.18';
/**
 * What `validate` and `bulk` read where this machine asks, and what shows it: all that one address needs if nobody is asked about it,
 * and apart from it what lists, the network and commander need. A list reads both before it tunes V8, which then refuses what is kept.
 */
const packs = {
  'program.js': ['main'],
  'lists.js': [
    'cli/commands/bulk/',
    'cli/commands/validate/',
    'cli/render/ending',
    'cli/render/result/',
    'cli/render/rows/',
    'cli/terminal/failure-report',
    'cli/terminal/file-sink',
    'cli/terminal/output-target',
    'cli/terminal/waiting',
    'engine/',
    'rows/',
    'service/local/ask-list',
    'service/local/mailbox-secret',
    'service/local/port-memory',
  ],
};
const bundle = (entryPoints, options) =>
  build({
    entryPoints,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target,
    define: { __VERSION__: JSON.stringify(version) },
    // A plugin that resolves a file keeps esbuild from reading this in tsconfig.json.
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
    ...options,
  });

// The library: ES modules. Bundled CommonJS packages call require() for Node's own modules.
const library = await bundle(
  { index: 'src/index.ts' },
  {
    outdir: 'dist',
    chunkNames: 'api-[name]-[hash]',
    plugins: [{ name: 'beside', setup: leaveBeside('.') }],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  },
);
for (const { path, text } of library.outputFiles) writeFileSync(path, withConstants(text));

// The program: the same modules, split the same way, then each file turned into CommonJS. Node's loader of ES modules alone costs
// half of a bare start, and splitting, which only ES modules have, keeps a start from reading what its command does not use.
const { metafile, outputFiles } = await bundle(
  { main: 'src/main.ts' },
  {
    outdir: 'dist/cli',
    chunkNames: '[name]-[hash]',
    plugins: [
      { name: 'beside', setup: leaveBeside('..') },
      { name: 'late', setup: loadLate },
    ],
  },
);
const base = "const __base = require('node:url').pathToFileURL(__dirname).href;";
const files = new Map();
for (const { path, text } of outputFiles) {
  const { code } = await transform(withConstants(withPlainExports(text)), {
    format: 'cjs',
    platform: 'node',
    target,
    minifyWhitespace: true,
    minifySyntax: true,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__base' },
    banner: `'use strict';${text.includes('import.meta.url') ? ` ${base}` : ''}`,
  });
  files.set(basename(path), code);
}
mkdirSync('dist/cli');
writeFileSync('dist/cli/package.json', '{ "type": "commonjs" }\n');
for (const [name, code] of packProgram(files, metafile, packs)) writeFileSync(`dist/cli/${name}`, code);
// A synchronous function cannot wait for import(), and tr46 inside the bundle would cost 5 ms at every start although few
// addresses need it. So it is one CommonJS file beside the bundle, which the first require('tr46') reads.
const onDemand = await build({
  entryPoints: { tr46: 'tr46' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});

// SQLite for a Node that has none: it finds its .wasm file beside itself, so both are copied as they are.
const sqlite = dirname(require.resolve('node-sqlite3-wasm/package.json'));
mkdirSync('dist/sqlite');
writeFileSync('dist/sqlite/package.json', '{ "type": "commonjs" }\n');
cpSync(join(sqlite, 'dist'), 'dist/sqlite', { recursive: true });
cpSync(join(sqlite, 'LICENSE'), 'dist/sqlite/LICENSE');

// Modules say './data/…' of their own folder: in the sources it lies beside them, here all of it is dist/data.
for (const room of ['engine', 'net/replies', 'report']) cpSync(`src/${room}/data`, 'dist/data', { recursive: true });
// Of what hosts say the program reads the first two columns; the rest of the table is for those who read or test it.
const phrases = readFileSync('dist/data/phrases.tsv', 'utf8');
writeFileSync('dist/data/phrases.tsv', phrases.replace(/^([^\t\n]*\t[^\t\n]*).*$/gm, '$1'));
// With all that it reads in its place; Node 22 and later keep by themselves what they compiled.
if (process.version.startsWith('v20.')) await keepCompiled(Object.keys(packs).map((pack) => `dist/cli/${pack}`));
const web = await buildWeb(version);
const inputs = [...Object.keys(metafile.inputs), ...Object.keys(onDemand.metafile.inputs), ...web];
writeFileSync('dist/third-party-licences.txt', licencesOf([...bundledPackages(inputs), relative(root, sqlite)]));
execFileSync(
  process.execPath,
  [require.resolve('typescript/package.json').replace('package.json', 'bin/tsc'), '-p', 'tsconfig.build.json'],
  {
    stdio: 'inherit',
  },
);

/** Leaves out of a bundle what lies beside it in dist, which is `dist` away. */
function leaveBeside(dist) {
  const beside = { tr46: `${dist}/tr46.cjs`, 'node-sqlite3-wasm': `${dist}/sqlite/node-sqlite3-wasm.js` };
  return (setup) => {
    setup.onResolve({ filter: /^(tr46|node-sqlite3-wasm)$/ }, ({ path }) => ({ path: beside[path], external: true }));
  };
}

/** Commander can start other programs, and does not do so here: Node's module for that, 4 ms of a start, waits until one is started. */
function loadLate(setup) {
  setup.onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
    /[\\/]commander[\\/]/.test(importer) ? { path, namespace: 'late' } : undefined,
  );
  setup.onLoad({ filter: /./, namespace: 'late' }, ({ path }) => ({
    contents: `module.exports = { spawn: (...args) => require('${path}').spawn(...args) };`,
  }));
}

/**
 * Turns the list of exports that ends a file into an object. esbuild's own way puts two getters in front of every call from one file
 * into another; a function can be there as it is, and what may be filled in later needs one.
 */
function withPlainExports(text) {
  return text.replace(/\nexport \{\n([^}]*)\};\n*$/, (_, list) => {
    const members = list.split(',').map((each) => {
      const [local, name = local] = each.trim().split(' as ');
      const isFunction = new RegExp(`^(async )?function\\*? ${local.replaceAll('$', '\\$')}\\(`, 'm').test(text);
      return isFunction ? `${name}: ${local}` : `get ${name}() { return ${local}; }`;
    });
    return `\nmodule.exports = { __esModule: true, ${members.join(', ')} };\n`;
  });
}

/**
 * Makes constants again of those of the plausibility model. esbuild turns what stands outside of functions into variables, which
 * V8 loads and checks at every use; constants become part of the code. It saves a fifth of an answer's time.
 */
function withConstants(text) {
  return text.replace(/^\/\/ src\/engine\/plausibility\/.*\n(?:(?!\/\/ ).*\n)*/gm, (module) =>
    module.replace(/^var (\w+ = )/gm, 'const $1').replace(/^function (\w+)\(/gm, 'const $1 = function('),
  );
}

/** The package folders that the bundle took files from. */
function bundledPackages(inputs) {
  const folders = inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  return [...new Set(folders.filter(Boolean))].sort();
}

function licencesOf(folders) {
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '';
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(72)}\n\n`);
}
