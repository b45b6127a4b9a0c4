// Builds dist/: the library and the program, the data files beside them, the type declarations, and the licences of what is bundled.
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
  process.exit(existsSync('dist/cli/main.js') ? 0 : 1);
}

const { build, transform } = await import('esbuild');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

const target = 'node20.18';
const bundle = (entryPoints, options) =>
  build({
    entryPoints,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target,
    external: ['node-sqlite3-wasm'],
    define: { __VERSION__: JSON.stringify(version) },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    ...options,
  });

// The library: ES modules. Bundled CommonJS packages call require() for Node's own modules.
await bundle(
  { index: 'src/index.ts' },
  {
    outdir: 'dist',
    chunkNames: 'api-[name]-[hash]',
    plugins: [{ name: 'on-demand', setup: leaveOnDemand('./tr46.cjs') }],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  },
);

// The program: the same modules, split the same way, then each file turned into CommonJS. Node's loader of ES modules alone costs
// half of a bare start, and splitting, which only ES modules have, keeps a start from reading what its command does not use.
const { metafile, outputFiles } = await bundle(
  { main: 'src/main.ts' },
  {
    outdir: 'dist/cli',
    chunkNames: '[name]-[hash]',
    plugins: [
      { name: 'on-demand', setup: leaveOnDemand('../tr46.cjs') },
      {
        name: 'together',
        setup: keepTogether('src/main.ts', 'src/cli/commands/validate/run.ts', 'src/service/local/local.ts'),
      },
    ],
    write: false,
  },
);
mkdirSync('dist/cli');
writeFileSync('dist/cli/package.json', '{ "type": "commonjs" }\n');
for (const { path, text } of outputFiles) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target,
    minifyWhitespace: true,
    minifySyntax: true,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__base' },
    banner: "'use strict'; const __base = require('node:url').pathToFileURL(__dirname).href;",
  });
  writeFileSync(path, code);
}

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

// Modules say './data/…' of their own folder: in the sources it lies beside them, here all of it is dist/data.
for (const room of ['engine', 'net/replies']) cpSync(`src/${room}/data`, 'dist/data', { recursive: true });
const inputs = [...Object.keys(metafile.inputs), ...Object.keys(onDemand.metafile.inputs)];
writeFileSync('dist/third-party-licences.txt', licencesOf(bundledPackages(inputs)));
keepCompiledCode();
execFileSync(
  process.execPath,
  [require.resolve('typescript/package.json').replace('package.json', 'bin/tsc'), '-p', 'tsconfig.build.json'],
  {
    stdio: 'inherit',
  },
);

function leaveOnDemand(tr46) {
  return (setup) => {
    setup.onResolve({ filter: /^tr46$/ }, () => ({ path: tr46, external: true }));
    // commander starts programs only for commands that are files of their own, which we have none of; node:child_process would
    // bring half of Node's networking into every start.
    setup.onLoad({ filter: /[/\\]commander[/\\]lib[/\\]command\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        "const childProcess = require('node:child_process');",
        "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };",
      ),
      loader: 'js',
    }));
  };
}

/**
 * Keeps what every start needs in one file. esbuild cuts shared code by who reaches it, and each file costs a start half a
 * millisecond; so every module that is imported on demand is made to reach all of the hot path, which therefore stays together.
 */
function keepTogether(...hot) {
  return (setup) => {
    const demanded = new Set();
    setup.onResolve({ filter: /^\./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData?.seen || importer.includes('node_modules')) return;
      const found = await setup.resolve(path, { kind, importer, resolveDir, pluginData: { seen: true } });
      demanded.add(found.path);
      return found;
    });
    setup.onResolve({ filter: /^hot:/ }, ({ path }) => ({ path: join(root, path.slice('hot:'.length)) }));
    setup.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
      if (!demanded.has(path)) return;
      const reach = hot.map((file) => `import 'hot:${file}';\n`).join('');
      return { contents: `${readFileSync(path, 'utf8')}\n${reach}`, loader: 'ts' };
    });
  };
}

/** Runs the program once on a short errand, and keeps what V8 compiled for it beside each file. */
function keepCompiledCode() {
  const errand = `
    const compiled = new Map();
    require('./bin/boot.js').loadProgram(compiled).main(['validate', 'a@b.co', '--level', 'syntax', '--json']).then(() => {
      for (const [file, script] of compiled) require('node:fs').writeFileSync(file, script.createCachedData());
    });`;
  execFileSync(process.execPath, ['-e', errand], {
    env: {
      ...process.env,
      MAILVET_CONFIG_DIR: join(root, 'dist', 'no-settings'),
      MAILVET_LEVEL: 'syntax',
      MAILVET_MODE: 'local',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
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
