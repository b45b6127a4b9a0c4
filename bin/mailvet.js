#!/usr/bin/env node
const { existsSync, writeSync } = require('node:fs');
const { dirname, join } = require('node:path');
const root = dirname(__dirname);
const program = join(root, 'dist', 'program.cjs');
const args = process.argv.slice(2);

if (!existsSync(program)) {
  process.stderr.write(`error: mailvet is not built.\n  Run in ${root}: npm ci\n`);
  process.exitCode = 70;
} else if (args.join() !== '--version' || !printVersion()) run();

async function run() {
  process.exitCode = await require(program).main(args);
}

/** Gives false if stdout cannot be written, which the program then reports. */
function printVersion() {
  try {
    return writeSync(1, `${require('../package.json').version}\n`) > 0;
  } catch {
    return false;
  }
}
