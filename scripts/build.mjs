// Builds dist/: the program, the library, the data files they read, type declarations, the web application and the
// licenses and the list of bundled packages.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
const require = createRequire(import.meta.url);

if (!existsSync('node_modules/rolldown')) {
  // After `npm install --omit=dev` in a checkout. An installed package has its dist/ already.
  console.error('mailvet: development packages are missing, so dist/ is not built. Run: npm ci');
  process.exit(existsSync('dist/program.cjs') ? 0 : 1);
}

const { build } = await import('rolldown');
const { buildAddress } = await import('./build-address.mjs');
const { buildWeb } = await import('./build-web.mjs');
const { createSbom } = await import('./package/sbom.mjs');
const { programConstants } = await import('./workbook-worker.mjs');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

const constants = await programConstants(version);

rmSync('dist', { recursive: true, force: true });

/** Shipped as separate files: tr46 because few addresses need it, SQLite because it reads its .wasm file. */
const separateFiles = { tr46: './tr46.cjs', 'node-sqlite3-wasm': './sqlite/node-sqlite3-wasm.js' };

/**
 * commander imports node:child_process for subcommands that are separate programs. mailvet has none, and the module
 * takes a tenth of a start.
 */
const commanderWithoutChildProcess = {
  name: 'commander-without-child-process',
  resolveId: (source, importer = '') =>
    source === 'node:child_process' && importer.includes('/node_modules/commander/') ? 'no-child-process' : null,
  load: (id) => (id === 'no-child-process' ? 'export {};' : null),
};

/** Node has less to parse. Functions and classes keep their names for stack traces. */
const minify = { compress: true, mangle: { keepNames: true }, codegen: true };

const bundled = [
  // CommonJS, which Node loads faster than ES modules.
  ...(await bundle('program', 'src/main.ts', {
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // A single executable has no loader of ES modules.
    dynamicImportInCjs: false,
    minify,
    codeSplitting: {
      groups: [
        // Few files load faster. A module that several groups need is in the one with the highest priority.
        { name: 'program', tags: ['$initial'], priority: 3 },
        { name: 'base', test: /src[\\/](?:(?:model|async|disk)[\\/]|net[\\/]ip-)/, priority: 2 },
        // One address needs the network, and no lists.
        {
          name: 'network',
          test: /src[\\/](engine[\\/]network-checks|service[\\/]local[\\/](port25|mail-host))/,
          priority: 1,
        },
        // Lists and cards need no grid, whose libraries are larger than the rest.
        { name: 'style', test: /src[\\/]cli[\\/]render[\\/]style[\\/](?!grid)/, priority: 1 },
        { name: 'lists', test: /src[\\/](cli[\\/]commands[\\/]bulk[\\/](?!define)|service[\\/]local[\\/]ask-list)/ },
      ],
    },
  })),
  ...(await bundle('index', 'src/index.ts', {
    format: 'esm',
    chunkFileNames: 'api-[name]-[hash].js',
    comments: false,
  })),
  ...(await buildAddress()).map((id) => relative(root, id)),
  ...(await bundle('tr46', 'tr46', { format: 'cjs', entryFileNames: '[name].cjs', minify })),
];

/** Writes an entry and its chunks to dist/; returns the files that were bundled. */
async function bundle(name, entry, output) {
  const { output: chunks } = await build({
    input: { [name]: entry },
    platform: 'node',
    external: Object.keys(separateFiles).filter((file) => file !== entry),
    plugins: [commanderWithoutChildProcess],
    // Lets chunks import from the entry, so that its modules need no separate file.
    preserveEntrySignatures: 'allow-extension',
    transform: { target: 'node20.18', define: constants },
    output: { dir: 'dist', paths: separateFiles, ...output },
  });
  return chunks.flatMap(({ moduleIds = [] }) => moduleIds.map((id) => relative(root, id)));
}

const sqlite = dirname(require.resolve('node-sqlite3-wasm/package.json'));
mkdirSync('dist/sqlite');
writeFileSync('dist/sqlite/package.json', '{ "type": "commonjs" }\n');
cpSync(join(sqlite, 'dist'), 'dist/sqlite', { recursive: true });
cpSync(join(sqlite, 'LICENSE'), 'dist/sqlite/LICENSE');

// Source modules read './data/…' next to themselves; all bundled files are in dist/, so dist/data holds all of it.
for (const module of ['engine', 'net/replies', 'report', 'rows/read'])
  cpSync(`src/${module}/data`, 'dist/data', { recursive: true });
// The program reads three columns of the phrases. The others document and test them.
const phrases = readFileSync('dist/data/phrases.tsv', 'utf8');
writeFileSync('dist/data/phrases.tsv', phrases.replace(/^((?:[^\t\n]*\t){2}[^\t\n]*).*$/gm, '$1'));

const web = await buildWeb(version);
const packages = [...packagesOf([...bundled, ...web]), relative(root, sqlite).replaceAll('\\', '/')];
writeFileSync('dist/third-party-licenses.txt', licensesOf(packages));
writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(createSbom(packages), null, 2)}\n`);
const compiler = require.resolve('typescript/package.json').replace('package.json', 'bin/tsc');
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });

/** The folders of the packages that files were bundled from. */
function packagesOf(files) {
  const folders = files.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  return [...new Set(folders.filter(Boolean))].sort();
}

function licensesOf(folders) {
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '';
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(72)}\n\n`);
}
