#!/usr/bin/env node
const args = process.argv.slice(2);
if (args.length === 1 && args[0] === '--version') {
  // Loading the program takes longer than starting Node, and the package knows the answer.
  require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
} else {
  require('../dist/cli/main.js')
    .main(args)
    .then((status) => {
      process.exitCode = status;
    });
}
