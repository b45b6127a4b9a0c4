// Builds dist/web: the browser's files with content hashes in their names, each also compressed, and the list that the
// server reads.
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

/** Returns the bundled files, for the list of licenses. */
export async function buildWeb(version) {
  const options = {
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[name]-[hash]',
    bundle: true,
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
  };
  // The theme is set before the first paint. Pages that are seldom the first one are a file of their own.
  const built = await Promise.all([
    build({ ...options, format: 'iife', entryPoints: ['src/web/theme.ts', 'src/web/web.css', 'src/web/icon.svg'] }),
    build({ ...options, format: 'esm', splitting: true, entryPoints: ['src/web/main.tsx'] }),
  ]);
  const outputFiles = built.flatMap((each) => each.outputFiles);
  mkdirSync(folder, { recursive: true });
  const assets = outputFiles.map(({ path, contents }) => writeCompressed(basename(path), contents));
  const urlOf = (name) => `/assets/${assets.find(({ file }) => file.startsWith(`${name}-`))?.file ?? missing(name)}`;
  const page = readFileSync('src/web/page.html', 'utf8').replace(/\{(main|theme|web|icon)\}/g, (_, name) =>
    urlOf(name),
  );
  const list = {
    // Browsers cache the assets forever, and the page that names them never.
    page: writeCompressed('page.html', Buffer.from(page)),
    assets: assets.map((asset) => ({ path: `/assets/${asset.file}`, ...asset })),
  };
  writeFileSync(join(folder, 'files.json'), `${JSON.stringify(list, null, 2)}\n`);
  return built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

/** Writes a file, and next to it its Brotli (.br) and gzip (.gz) forms. */
function writeCompressed(file, contents) {
  const bytes = Buffer.from(contents);
  const gzip = gzipSync(bytes, { level: 9 });
  writeFileSync(join(folder, file), bytes);
  writeFileSync(join(folder, `${file}.gz`), gzip);
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  writeFileSync(join(folder, `${file}.br`), brotliCompressSync(bytes, brotli));
  return { file, type: types[file.slice(file.lastIndexOf('.') + 1)], bytes: bytes.length, gzipBytes: gzip.length };
}

function missing(name) {
  throw new Error(`The web application has no file ${name}.`);
}
