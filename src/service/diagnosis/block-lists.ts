import { localCallerWith } from '../../async/caller.js';
import type { Dns } from '../../net/dns/dns.js';
import { reverseName } from '../../net/dns/record-types.js';
import { type Check, ok, skipped, warn } from './check.js';

/** Lists that large mail servers use, and that answer without registration. */
const blockLists = ['zen.spamhaus.org', 'bl.spamcop.net', 'psbl.surriel.org'] as const;

/** Whether our address is on them (RFC 5782 §2.1: an address record below 127.0.0.0/8 says so). */
export async function checkBlockLists(ip: string | null, dns: Dns, signal: AbortSignal): Promise<Check> {
  const name = 'block_lists';
  const label = ip === null ? null : reverseName(ip)?.replace(/\.(?:in-addr|ip6)\.arpa$/, '');
  if (label == null) return skipped(name, 'The public address of this machine is unknown, so no block list was asked.');
  const answers = await Promise.all(
    blockLists.map(async (list) => {
      const answer = await dns.addresses(`${label}.${list}`, localCallerWith(signal));
      const codes = answer.state === 'found' ? answer.records.filter((record) => record.startsWith('127.')) : [];
      // 127.255.255.x: the list does not answer this resolver, for example a public one.
      const isAnswered = answer.state === 'absent' || codes.some((code) => !code.startsWith('127.255.'));
      return { list, codes, state: !isAnswered ? 'unknown' : codes.length > 0 ? 'listed' : 'clean' };
    }),
  );
  const named = (state: string): string =>
    answers.flatMap((each) => (each.state === state ? [each.list] : [])).join(', ');
  const [listed, clean, unknown] = [named('listed'), named('clean'), named('unknown')];
  const facts = { ip, lists: answers };
  const others = unknown === '' ? '.' : `; no usable answer of ${unknown}.`;
  if (listed !== '') {
    const hint = `Look up why, and ask to be removed: https://${listed.split(',')[0]?.split('.').slice(-2).join('.')}. Or use another address: the settings source_ip and proxy.`;
    return warn(name, `${ip} is on ${listed}, so many mail servers refuse us${others}`, { hint, facts });
  }
  if (clean === '') return skipped(name, `No block list answered this DNS server: ${unknown}.`, { facts });
  return ok(name, `${ip} is not on ${clean}${others}`, { facts });
}
