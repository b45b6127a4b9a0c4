// The main script of the executable: runs the program, whose modules and files are assets of the executable.
const { writeSync } = require('node:fs');
const { getAsset } = require('node:sea');
const { compileFunction } = require('node:vm');

/** As a folder, it tells src/disk/bundled-file.ts to read assets. */
const folder = 'sea:';
const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
const loaded = new Map();

function requireEmbedded(name) {
  if (!name.startsWith('./')) return require(name);
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const filename = `${folder}${name.slice(1)}`;
  const run = compileFunction(getAsset(name.slice(2), 'utf8'), parameters, { filename });
  run.call(module.exports, module.exports, requireEmbedded, module, filename, folder);
  return module.exports;
}

const args = process.argv.slice(2);
// The status of a process that ends before its command does.
process.exitCode = 70;
if (args.join() !== '--version' || !printVersion()) run();

async function run() {
  process.exitCode = await requireEmbedded('./program.cjs').main(args);
}

/** Gives false if stdout cannot be written, which the program then reports. */
function printVersion() {
  try {
    writeSync(1, `${JSON.parse(getAsset('package.json', 'utf8')).version}\n`);
    process.exitCode = 0;
  } catch {}
  return process.exitCode === 0;
}
