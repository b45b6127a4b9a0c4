import type { DnsLookup } from '../../model/evidence.js';
import type { Dns } from './dns.js';
import type { DnsAnswer, MxRecord } from './records.js';

/** Forwards queries and records the answers for `--explain`. Closing it does not close the inner one. */
export function recordingDns(dns: Dns): { dns: Dns; lookups: DnsLookup[] } {
  const lookups: DnsLookup[] = [];
  const keep = async <R extends MxRecord | string>(
    type: DnsLookup['type'],
    name: string,
    asked: Promise<DnsAnswer<R>>,
  ): Promise<DnsAnswer<R>> => {
    const start = performance.now();
    const answer = await asked;
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
      mx: (domain, signal) => keep('MX', domain, dns.mx(domain, signal)),
      addresses: (host, signal) => keep('A/AAAA', host, dns.addresses(host, signal)),
      txt: (name, signal) => keep('TXT', name, dns.txt(name, signal)),
      ns: (name, signal) => keep('NS', name, dns.ns(name, signal)),
      reverse: (ip, signal) => keep('PTR', ip, dns.reverse(ip, signal)),
      close: () => undefined,
    },
  };
}

function recordText(record: MxRecord | string): string {
  return typeof record === 'string' ? record : `${record.preference} ${record.exchange === '' ? '.' : record.exchange}`;
}
