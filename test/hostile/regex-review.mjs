/**
 * Lists every regular expression in src, and of replies in their data, and runs each on repeated pieces of its own text, at doubling lengths. If the
 * time grows faster than the length, it reports the expression. Usage: node test/hostile/regex-review.mjs [--list]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { parseAst } from 'vite';

const root = new URL('../../src/', import.meta.url).pathname;

function* expressions() {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.ts$/.test(entry.name) || entry.name.endsWith('.d.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    const { code } = transformSync(readFileSync(path, 'utf8'), { loader: 'ts', format: 'esm', target: 'esnext' });
    yield* inTree(parseAst(code), path.slice(root.length));
  }
}

function* patterns() {
  const file = 'net/replies/data/patterns.tsv';
  const rows = readFileSync(join(root, file), 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  const sourceOf = (name) =>
    rows
      .flatMap((row) => (row.startsWith(`${name}\t`) ? [row.slice(name.length + 1)] : []))
      .join('|')
      .replace(/\{([a-z_]+)\}/g, (_, other) => `(?:${sourceOf(other)})`);
  for (const name of new Set(rows.map((row) => row.split('\t')[0]))) yield { file, source: sourceOf(name), flags: 'i' };
}

function* inTree(node, file) {
  if (node === null || typeof node !== 'object') return;
  if (node.type === 'Literal' && node.regex) yield { file, source: node.regex.pattern, flags: node.regex.flags };
  if (node.type === 'NewExpression' && node.callee.name === 'RegExp') yield { file, source: null, flags: '' };
  for (const child of Object.values(node)) {
    if (Array.isArray(child)) for (const each of child) yield* inTree(each, file);
    else if (child !== null && typeof child === 'object') yield* inTree(child, file);
  }
}

/** Characters that occur in the expression, and some that do not. */
function alphabetOf(source) {
  const plain = source
    .replace(/\\u\{([0-9a-f]+)\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi, (_all, a, b, c) =>
      String.fromCodePoint(Number.parseInt(a ?? b ?? c, 16)),
    )
    .replace(/\\p\{[^}]*\}/gi, 'é界')
    .replace(/\\d/g, '1')
    .replace(/\\[sS]/g, ' ')
    .replace(/\\[wW]/g, 'a')
    .replace(/\\[bB]/g, '')
    .replace(/\\n/g, '\n')
    .replace(/\\r/g, '\r')
    .replace(/\\t/g, '\t')
    .replace(/\\(.)/g, '$1');
  return [...new Set([...plain.replace(/[()?*+|^${}]/g, ''), 'a', '1', ' ', '.', '-', '@'])].slice(0, 24);
}

function* attacks(source) {
  const alphabet = alphabetOf(source);
  const words = [...new Set((source.match(/[a-z]{2,}/gi) ?? []).concat(source.match(/<?[a-z]{2,}/gi) ?? []))].slice(
    0,
    6,
  );
  const pumps = [
    ...alphabet,
    ...words,
    ...words.map((word) => `<${word}`),
    ...alphabet.flatMap((a) => alphabet.slice(0, 12).map((b) => a + b)),
  ];
  for (const prefix of ['', alphabet[0] ?? '', 'a@', '"', 'x://']) {
    for (const pump of pumps) for (const suffix of ['', '\0', '!', '\n', '\u2028x']) yield { prefix, pump, suffix };
  }
}

function costOf(expression, { prefix, pump, suffix }, length) {
  const text = prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix;
  const start = performance.now();
  if (expression.global) text.replace(expression, '');
  else expression.exec(text);
  return performance.now() - start;
}

const listed = process.argv.includes('--list');
let count = 0;
let computed = 0;
let slowCount = 0;
for (const { file, source, flags } of [...expressions(), ...patterns()]) {
  count++;
  if (source === null) {
    computed++;
    console.log(`computed  ${file}`);
    continue;
  }
  if (listed) console.log(`          ${file}  /${source}/${flags}`);
  const expression = new RegExp(source, flags.replace('y', ''));
  let worst = null;
  for (const attack of attacks(source)) {
    const first = costOf(expression, attack, 4_000);
    if (first < 1) continue;
    const least = (length) => Math.min(costOf(expression, attack, length), costOf(expression, attack, length));
    const [shortMs, longMs] = [8_000, 16_000].map(least);
    // Memory is allocated in steps, so only continued growth counts.
    const growing = longMs / shortMs > 2.8 && longMs > 4 && (longMs > 100 || least(64_000) / longMs > 9);
    if (growing && (worst === null || longMs > worst.ms)) worst = { ms: longMs, ratio: longMs / shortMs, ...attack };
    if (worst !== null && worst.ms > 200) break;
  }
  if (worst === null) continue;
  slowCount++;
  console.log(`SLOW      ${file}  /${source}/${flags}\n          ${JSON.stringify(worst)}`);
}
console.log(`${count} expressions, ${computed} computed, ${slowCount} slower than linear`);
process.exitCode = slowCount === 0 ? 0 : 1;
