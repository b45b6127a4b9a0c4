const { existsSync, readFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join, sep } = require('node:path');
const { Script } = require('node:vm');

const home = join(__dirname, '..', 'dist', 'cli') + sep;

/** Where the build keeps what V8 compiled of a file. Another release of V8 finds nothing there, and compiles for itself. */
const cacheOf = (file) => `${file}.${process.versions.v8}-${process.arch}.cache`;

/**
 * Loads the program with the code that was compiled when it was built: compiling takes a third of a short run. The build hands in a
 * map to collect what it is to keep.
 */
function loadProgram(compiled) {
  const usual = Module._extensions['.js'];
  Module._extensions['.js'] = (module, file) => {
    const cachedData = file.startsWith(home) ? readCache(file) : undefined;
    if (cachedData === undefined && compiled === undefined) return usual(module, file);
    const text = readFileSync(file, 'utf8');
    const wrapped = `(function (exports, require, module, __filename, __dirname) { ${text}\n})`;
    const script = new Script(wrapped, { filename: file, cachedData });
    compiled?.set(cacheOf(file), script);
    const require = (id) => module.require(id);
    require.resolve = (id) => Module._resolveFilename(id, module);
    script.runInThisContext()(module.exports, require, module, file, dirname(file));
  };
  try {
    return require('../dist/cli/main.js');
  } catch (error) {
    if (existsSync(join(home, 'main.js'))) throw error;
    return { main: async () => notBuilt() };
  }
}

/** A checkout that nobody built: the stack of a missing file would help nobody. */
function notBuilt() {
  process.stderr.write(`error: mailvet is not built.\n  Run in ${dirname(__dirname)}: npm ci\n`);
  return 70;
}

function readCache(file) {
  try {
    return readFileSync(cacheOf(file));
  } catch {
    return undefined;
  }
}

module.exports = { loadProgram };
