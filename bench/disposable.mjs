// Recall of disposable domains, by name, compared with npm peers:
//   npm run build && cd bench && npm install && node disposable.mjs FILE
// FILE has one domain per line, seen in abuse: for instance disposable-email-domains.txt of github.com/castle/disposable-email-domains.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createEngine } from '../dist/index.js';
import { report } from './measure.mjs';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Usage: node bench/disposable.mjs FILE');
const require = createRequire(import.meta.url);
const domains = readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);
const listed = (names) => {
  const set = new Set(names);
  return (domain) => domain.split('.').some((_, index, labels) => set.has(labels.slice(index).join('.')));
};
const peers = {
  mailchecker: (domain) => !require('mailchecker').isValid(`someone@${domain}`),
  'disposable-email-domains': listed(require('disposable-email-domains')),
  'disposable-email-domains-js': listed(
    require('disposable-email-domains-js/dist/dict/disposable_email_blocklist.json'),
  ),
};

const engine = createEngine({ level: 'syntax' });
let found = 0;
for (const domain of domains) {
  const { details } = await engine.validate(`someone@${domain}`);
  if (details.is_disposable) found++;
}
await engine.close();
const shareOf = (count) => (100 * count) / domains.length;
for (const [peer, isDisposable] of Object.entries(peers)) {
  const [ours, theirs] = [shareOf(found), shareOf(domains.filter(isDisposable).length)];
  const what = `recall on ${domains.length} domains seen in abuse`;
  report({
    bench: 'disposable',
    what,
    ours,
    peer: theirs,
    peerName: peer,
    unit: '%',
    ratio: ours / theirs,
    goal: '>= 1',
  });
}
