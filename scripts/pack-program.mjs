import { basename } from 'node:path';

/**
 * Puts the files that a usual run reads into a few, the packs: each file on its own costs a start half a millisecond, and V8 looks
 * through all of every file that is read, so what only some runs need lies apart. A part of a pack runs when it is first asked for, as
 * a file would. `packs` names modules, or the beginning of their names; each brings what it imports, and what two packs need is in the
 * first of them. The first of all holds `main.js`, and finds parts for every file.
 */
export function packProgram(files, { outputs }, packs) {
  const [first] = Object.keys(packs);
  const homes = homesOf(outputs, packs);
  const named = (code, part) =>
    code.replace(/\brequire\("\.\/([^"]+)"\)/g, (whole, name) =>
      homes.has(name) ? `${part}("${name}", "${homes.get(name)}")` : whole,
    );
  const partsOf = (pack) => {
    const parts = [...homes.keys()]
      .filter((name) => homes.get(name) === pack)
      .map((name) => {
        const body = `{${named(files.get(name), '__part')}\n}`;
        // All of the first run at every start: in brackets V8 compiles them at once, and does not look through them twice.
        return pack === first
          ? `"${name}": (function (module, exports) ${body})`
          : `"${name}"(module, exports) ${body}`;
      });
    return `{\n${parts.join(',\n')}\n}`;
  };
  const packed = Object.keys(packs).map((pack) => [
    pack,
    oneByteEach(pack === first ? finder(first, partsOf(first)) : late(partsOf(pack))),
  ]);
  const rest = [...files].filter(([name]) => !homes.has(name));
  return [...packed, ...rest.map(([name, code]) => [name, named(code, `require("./${first}").part`)])];
}

/** Which pack each part lies in. */
function homesOf(outputs, packs) {
  const homes = new Map();
  const follow = (path, pack) => {
    if (homes.has(basename(path)) || !(path in outputs)) return;
    homes.set(basename(path), pack);
    for (const { kind, path: next } of outputs[path].imports) if (kind === 'import-statement') follow(next, pack);
  };
  for (const [pack, modules] of Object.entries(packs)) {
    for (const [path, { entryPoint = '' }] of Object.entries(outputs)) {
      if (modules.some((start) => entryPoint.startsWith(`src/${start}`))) follow(path, pack);
    }
  }
  return homes;
}

/** `load` is how the other packs are read: whoever loads this one may know a faster way. */
function finder(name, parts) {
  return `'use strict';
const packs = { "${name}": ${parts} };
const loaded = new Map();
function __part(name, pack) {
  let module = loaded.get(name);
  if (module === undefined) {
    module = { exports: {} };
    loaded.set(name, module);
    packs[pack] ??= program.load('./' + pack)(__part);
    packs[pack][name](module, module.exports);
  }
  return module.exports;
}
const program = { load: require, part: __part, main: (args) => __part('main.js', '${name}').main(args) };
module.exports = program;
`;
}

function late(parts) {
  return `'use strict';\nmodule.exports = (function (__part) { return ${parts}; });\n`;
}

/** Of one byte a character, which is half of the reading: esbuild leaves others in regular expressions. */
function oneByteEach(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
