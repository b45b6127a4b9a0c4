// Builds dist/: one split ESM bundle, the data files beside it, the type declarations, and the licences of what is bundled.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
const require = createRequire(import.meta.url);

if (!existsSync('node_modules/esbuild')) {
  // `npm install --omit=dev` in a checkout: nothing to build with, and an installed package brings its own dist/.
  console.error('mailvet: development packages are missing, so dist/ is not built. Run: npm ci');
  process.exit(existsSync('dist/main.js') ? 0 : 1);
}

const { build } = await import('esbuild');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

const target = 'node20.18';
const bundle = (entryPoints, chunkNames) =>
  build({
    entryPoints,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target,
    chunkNames,
    external: ['node-sqlite3-wasm'],
    plugins: [{ name: 'on-demand', setup: leaveOnDemand }],
    define: { __VERSION__: JSON.stringify(version) },
    // Bundled CommonJS packages call require() for Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
// Apart, since what two entries share becomes a file of its own, and each file costs start-up time.
const { metafile } = await bundle({ main: 'src/main.ts' }, 'cli-[name]-[hash]');
await bundle({ index: 'src/index.ts' }, 'api-[name]-[hash]');

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

// Modules that read data say './data/…': src/engine/data in the sources, dist/data here.
cpSync('src/engine/data', 'dist/data', { recursive: true });
const inputs = [...Object.keys(metafile.inputs), ...Object.keys(onDemand.metafile.inputs)];
writeFileSync('dist/third-party-licences.txt', licencesOf(bundledPackages(inputs)));
execFileSync(
  process.execPath,
  [require.resolve('typescript/package.json').replace('package.json', 'bin/tsc'), '-p', 'tsconfig.build.json'],
  {
    stdio: 'inherit',
  },
);

function leaveOnDemand(setup) {
  setup.onResolve({ filter: /^tr46$/ }, () => ({ path: './tr46.cjs', external: true }));
  // commander starts programs only for commands that are files of their own, which we have none of; node:child_process would
  // bring half of Node's networking into every start.
  setup.onLoad({ filter: /[/\\]commander[/\\]lib[/\\]command\.js$/ }, ({ path }) => ({
    contents: readFileSync(path, 'utf8').replace(
      "const childProcess = require('node:child_process');",
      "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };",
    ),
    loader: 'js',
  }));
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
