// The bundled lists compared with a Set of the same entries: load time, memory and lookup time.
// Compiles its own entry points, because the published bundle exports no list: node bench/lists.mjs
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { interleave, report } from './measure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bench-lists-'));
const urlOf = (name) => pathToFileURL(join(folder, `${name}.js`)).href;

try {
  await build({
    entryPoints: ['lists', 'public-suffix', 'sorted-lines', 'user-lists'].map((name) =>
      join(root, `src/engine/lists/${name}.ts`),
    ),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  cpSync(join(root, 'src/engine/data'), join(folder, 'data'), { recursive: true });
  await measureLoad();
  await measureLookups();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The first answer in a new process, and the memory after it. */
async function measureLoad() {
  const file = JSON.stringify(join(folder, 'data/disposable.txt'));
  const scriptOf = (load) => `
    globalThis.gc(); const before = process.memoryUsage(); const start = performance.now();
    ${load}
    const ms = performance.now() - start; globalThis.gc(); const after = process.memoryUsage();
    console.log(JSON.stringify({ ms, mb: (after.heapUsed + after.external - before.heapUsed - before.external) / 1e6 }));
    globalThis.retained = lines;`;
  const ours = `import { readFileSync } from 'node:fs';
    import { openSortedLines } from ${JSON.stringify(urlOf('sorted-lines'))};
    ${scriptOf(`const lines = openSortedLines(() => readFileSync(${file})); lines.has('mailinator.com');`)}`;
  const peer = `import { readFileSync } from 'node:fs';
    ${scriptOf(`const lines = new Set(readFileSync(${file}, 'utf8').split('\\n')); lines.has('mailinator.com');`)}`;
  const run = (code) =>
    JSON.parse(
      execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], { encoding: 'utf8' }),
    );
  const ms = await interleave({ ours: () => run(ours).ms, peer: () => run(peer).ms });
  const mb = await interleave({ ours: () => run(ours).mb, peer: () => run(peer).mb }, 3);
  const line = { bench: 'lists', peerName: 'a Set' };
  report({ ...line, what: 'load', ...ms, unit: 'ms', ratio: ms.peer / ms.ours, goal: '≥ 5 times faster' });
  report({ ...line, what: 'memory', ...mb, unit: 'MB', ratio: mb.peer / mb.ours, goal: '≥ 3 times less' });
}

async function measureLookups() {
  const { createLists } = await import(urlOf('lists'));
  const { registrableDomain } = await import(urlOf('public-suffix'));
  const { getDomain } = await import('tldts');
  const listed = readFileSync(join(folder, 'data/disposable.txt'), 'utf8').trimEnd().split('\n');
  const distinct = Array.from({ length: 200_000 }, (_, i) => {
    const domain = listed[(i * 7919) % listed.length];
    return makeAddress('jane.doe', i % 20 === 0 ? domain : `x${i}${domain}`);
  });
  const commonDomains = ['gmail.com', 'yahoo.com', 'acme.co', 'mail.acme.co.uk', 'gmial.com', 'mailinator.com'];
  const repeated = Array.from({ length: 20_000 }, (_, i) =>
    makeAddress(`jane.doe${i}`, commonDomains[i % commonDomains.length]),
  );
  const set = new Set(listed);
  const lists = createLists();

  const nanoseconds = (items, work) => () => {
    const start = performance.now();
    for (const item of items) work(item);
    return ((performance.now() - start) * 1e6) / items.length;
  };
  const inSet = ({ domain }) => set.has(domain) || set.has(domain.slice(domain.indexOf('.') + 1));
  const line = { bench: 'lists', unit: 'ns', peerName: 'two lookups in a Set' };
  const known = await interleave({ ours: nanoseconds(repeated, lists.check), peer: nanoseconds(repeated, inSet) }, 31);
  report({
    ...line,
    what: 'complete check, known domain',
    ...known,
    ratio: known.peer / known.ours,
    goal: 'ours < 300 ns',
  });
  const unknown = await interleave({ ours: nanoseconds(distinct, lists.check), peer: nanoseconds(distinct, inSet) });
  report({
    ...line,
    what: 'complete check, new domain',
    ...unknown,
    ratio: unknown.peer / unknown.ours,
    goal: 'ours < 2 µs',
  });

  const domains = distinct.map(({ domain }) => `mx1.${domain}`);
  const suffix = await interleave({
    ours: nanoseconds(domains, registrableDomain),
    peer: nanoseconds(domains, (domain) => getDomain(domain, { allowPrivateDomains: true })),
  });
  report({
    ...line,
    what: 'registrable domain',
    ...suffix,
    peerName: 'tldts',
    ratio: suffix.peer / suffix.ours,
    goal: 'ours < 5 µs; no start-up cost',
  });
}

function makeAddress(localPart, domain) {
  return { localPart, domain, displayDomain: domain, literal: null, tag: null, canonical: '', needsSmtpUtf8: false };
}
