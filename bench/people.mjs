// Hits of the bundled lists and the model among addresses of real people, one per line. Review each hit.
//   npm run build && node bench/people.mjs FILE
import { readFileSync } from 'node:fs';
import { createEngine, plausibility } from '../dist/index.js';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Usage: node bench/people.mjs FILE');
const addresses = readFileSync(file, 'utf8').split('\n').filter(Boolean);
const engine = createEngine({ level: 'syntax' });
const found = { disposable: [], typo: [], role: [], implausible: [] };
const free = new Map();
for (const address of addresses) {
  const { evidence } = await engine.validate(address, { explain: true });
  if (!evidence.syntax.ok) continue;
  const { lists, syntax } = evidence;
  if (lists.disposable !== null) found.disposable.push(address);
  if (lists.didYouMean !== null) found.typo.push(address);
  if (lists.role !== null) found.role.push(address);
  if (lists.free) free.set(syntax.address.domain, (free.get(syntax.address.domain) ?? 0) + 1);
  if (syntax.address.localPart.length > 1 && plausibility(syntax.address.localPart) < 0.3)
    found.implausible.push(address);
}
await engine.close();
console.log(`${addresses.length} addresses`);
for (const [kind, hits] of Object.entries(found))
  console.log(`${kind}: ${hits.length}  ${hits.slice(0, 20).join(' ')}`);
const byCount = [...free].sort(([, first], [, second]) => second - first);
console.log(`free: ${byCount.map(([domain, count]) => `${domain} ${count}`).join(', ')}`);
