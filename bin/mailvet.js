#!/usr/bin/env node
const args = process.argv.slice(2);
/** Node 22 and later keep what they compiled for the next start. */
const keepsCompiled = Number.parseInt(process.versions.node, 10) >= 22;
if (!(args.length === 1 && args[0] === '--version' && printVersion())) {
  if (keepsCompiled) require('node:module').enableCompileCache?.();
  loadProgram()
    .main(args)
    .then((status) => {
      process.exitCode = status;
    });
}

/** Loading the program takes longer than starting Node, and the package knows the answer. */
function printVersion() {
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
    return true;
  } catch {
    // The program knows what to say of a stdout that cannot be written.
    return false;
  }
}

function loadProgram() {
  const { dirname, join } = require('node:path');
  const program = join(dirname(__dirname), 'dist', 'cli', 'program.js');
  try {
    if (keepsCompiled) return require(program);
    const load = compiledBeside(program);
    return Object.assign(load(program), { load });
  } catch (error) {
    if (require('node:fs').existsSync(program)) throw error;
    // A checkout that nobody built: the stack of a missing file would help nobody.
    process.stderr.write(`error: mailvet is not built.\n  Run in ${dirname(__dirname)}: npm ci\n`);
    return { main: async () => 70 };
  }
}

/** Loads files with what the build kept of them compiled, for this V8 and processor. Others find them as they find any module. */
function compiledBeside(program) {
  const { readFileSync } = require('node:fs');
  const { Module, createRequire } = require('node:module');
  const { dirname, resolve } = require('node:path');
  const { Script } = require('node:vm');
  const folder = dirname(program);
  const requireBeside = createRequire(program);
  return (name) => {
    const filename = resolve(folder, name);
    const source = readFileSync(filename, 'latin1');
    let cachedData;
    try {
      cachedData = readFileSync(`${filename}.${process.arch}-${process.versions.v8}`);
      // A damaged one would end the process without a word.
      require('node:v8').setFlagsFromString('--verify-snapshot-checksum');
    } catch {
      // Built by another Node: compiled anew at each start.
    }
    const script = new Script(`(function (module, require, __dirname) {${source}})`, { filename, cachedData });
    const module = new Module(filename);
    require.cache[filename] = module;
    script.runInThisContext()(module, requireBeside, folder);
    module.loaded = true;
    return module.exports;
  };
}
