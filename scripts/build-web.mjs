// Builds dist/web: the browser's code under names that change with their content, packed twice, and the list that the server serves from.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const folder = 'dist/web';
const types = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** Gives the files that went into it, for the list of licenses. */
export async function buildWeb(version) {
  const { metafile, outputFiles } = await build({
    entryPoints: ['src/web/main.tsx', 'src/web/theme.ts', 'src/web/web.css', 'src/web/icon.svg'],
    outdir: folder,
    entryNames: '[name]-[hash]',
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome111', 'firefox114', 'safari16.4'],
    tsconfig: 'src/web/tsconfig.json',
    loader: { '.svg': 'copy' },
    define: { __VERSION__: JSON.stringify(version) },
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  mkdirSync(folder, { recursive: true });
  const assets = outputFiles.map(({ path, contents }) => writePacked(basename(path), contents));
  const named = (name) => `/assets/${assets.find(({ file }) => file.startsWith(`${name}-`))?.file ?? missing(name)}`;
  const page = readFileSync('src/web/page.html', 'utf8').replace(/\{(main|theme|web|icon)\}/g, (_, name) =>
    named(name),
  );
  const list = {
    // The page changes with the version and is never kept; what it names is kept for ever.
    page: writePacked('page.html', Buffer.from(page)),
    assets: assets.map((asset) => ({ path: `/assets/${asset.file}`, ...asset })),
  };
  writeFileSync(join(folder, 'files.json'), `${JSON.stringify(list, null, 2)}\n`);
  return Object.keys(metafile.inputs);
}

/** A file, and beside it what it is when packed with Brotli (.br) and gzip (.gz). */
function writePacked(file, contents) {
  const bytes = Buffer.from(contents);
  const gzip = gzipSync(bytes, { level: 9 });
  writeFileSync(join(folder, file), bytes);
  writeFileSync(join(folder, `${file}.gz`), gzip);
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  writeFileSync(join(folder, `${file}.br`), brotliCompressSync(bytes, brotli));
  return { file, type: types[file.slice(file.lastIndexOf('.') + 1)], bytes: bytes.length, gzipBytes: gzip.length };
}

function missing(name) {
  throw new Error(`The build of the web application made no ${name}.`);
}
