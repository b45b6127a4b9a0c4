// Loaded before bin/mailvet.js by keep-compiled.mjs: when the program ends, what V8 compiled of each of its files is written
// beside it.
const { writeFileSync } = require('node:fs');
const v8 = require('node:v8');
const vm = require('node:vm');

// What is kept is refused by whoever has other flags: this is the one that it is taken with.
v8.setFlagsFromString('--verify-snapshot-checksum');
v8.setFlagsFromString = () => {};
const { Script } = vm;
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    const kept = `${options.filename}.${process.arch}-${process.versions.v8}`;
    process.on('exit', () => writeFileSync(kept, this.createCachedData()));
  }
};
