#!/usr/bin/env node
const args = process.argv.slice(2);
if (args.length === 1 && args[0] === '--version') {
  // Loading the program takes longer than starting Node, and the package knows the answer.
  const { readFileSync, writeSync } = process.getBuiltinModule('node:fs');
  writeSync(1, `${JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version}\n`);
} else {
  const { main } = await import('../dist/main.js');
  process.exitCode = await main(args);
}
