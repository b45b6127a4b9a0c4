#!/usr/bin/env node
const { existsSync, writeSync } = require('node:fs');
const { dirname, join } = require('node:path');
const root = dirname(__dirname);
const program = join(root, 'dist', 'program.cjs');
const args = process.argv.slice(2);

// The status of a process that ends before its command does.
process.exitCode = 70;
if (!existsSync(program)) process.stderr.write(`error: mailvet is not built.\n  Run in ${root}: npm ci\n`);
else if (args.join() !== '--version' || !printVersion()) run();

async function run() {
  process.exitCode = await require(program).main(args);
}

/** Gives false if stdout cannot be written, which the program then reports. */
function printVersion() {
  try {
    writeSync(1, `${require('../package.json').version}\n`);
    process.exitCode = 0;
  } catch {}
  return process.exitCode === 0;
}
