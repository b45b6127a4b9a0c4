#!/usr/bin/env node
const args = process.argv.slice(2);
if (!(args.length === 1 && args[0] === '--version' && printVersion())) {
  // Node 22 and later keep what they compiled for the next start; an older one would load the module in vain.
  if (Number.parseInt(process.versions.node, 10) >= 22) require('node:module').enableCompileCache?.();
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
  const program = '../dist/cli/main.js';
  try {
    return require(program);
  } catch (error) {
    const { dirname, join } = require('node:path');
    if (require('node:fs').existsSync(join(__dirname, program))) throw error;
    // A checkout that nobody built: the stack of a missing file would help nobody.
    process.stderr.write(`error: mailvet is not built.\n  Run in ${dirname(__dirname)}: npm ci\n`);
    return { main: async () => 70 };
  }
}
