#!/usr/bin/env node
const args = process.argv.slice(2);
if (!(args.length === 1 && args[0] === '--version' && printVersion())) {
  require('./boot.js')
    .loadProgram()
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
