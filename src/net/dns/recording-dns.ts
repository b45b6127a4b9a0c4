import type { DnsLookup } from '../../model/evidence.js';
import type { Dns } from './dns.js';
import type { DnsAnswer, MxRecord } from './records.js';

/** Forwards queries and records the answers for `--explain`. Closing it does not close the inner one. */
export function recordingDns(dns: Dns): { dns: Dns; lookups: DnsLookup[] } {
  const lookups: DnsLookup[] = [];
  const record = async <R extends MxRecord | string>(
    type: DnsLookup['type'],
    name: string,
    query: Promise<DnsAnswer<R>>,
  ): Promise<DnsAnswer<R>> => {
    const start = performance.now();
    const answer = await query;
    lookups.push({
      type,
      name,
      records: answer.state === 'found' ? answer.records.map(recordText) : [],
      outcome: answer.state === 'found' ? 'found' : answer.why,
      elapsedMs: Math.round(performance.now() - start),
    });
    return answer;
  };
  return {
    lookups,
    dns: {
      mx: (domain, caller) => record('MX', domain, dns.mx(domain, caller)),
      addresses: (host, caller) => record('A/AAAA', host, dns.addresses(host, caller)),
      txt: (name, caller) => record('TXT', name, dns.txt(name, caller)),
      ns: (name, caller, by) => record('NS', name, dns.ns(name, caller, by)),
      reverse: (ip, caller) => record('PTR', ip, dns.reverse(ip, caller)),
      close: () => undefined,
    },
  };
}

function recordText(record: MxRecord | string): string {
  return typeof record === 'string' ? record : `${record.preference} ${record.exchange === '' ? '.' : record.exchange}`;
}
