import type { Dns, DnsAnswer, MxRecord } from './dns.js';

/** One question as it was asked, and what came of it. */
export interface DnsLookup {
  type: 'MX' | 'A/AAAA' | 'TXT' | 'NS' | 'PTR';
  name: string;
  answer: DnsAnswer<MxRecord | string>;
  /** Milliseconds, near 0 for an answer that was known already. */
  elapsedMs: number;
}

/** Passes questions on and keeps what was answered, for people who want to see it. Closing it closes nothing. */
export function recordingDns(dns: Dns): { dns: Dns; lookups: DnsLookup[] } {
  const lookups: DnsLookup[] = [];
  const keep = async <R extends MxRecord | string>(
    type: DnsLookup['type'],
    name: string,
    asked: Promise<DnsAnswer<R>>,
  ): Promise<DnsAnswer<R>> => {
    const start = performance.now();
    const answer = await asked;
    lookups.push({ type, name, answer, elapsedMs: Math.round(performance.now() - start) });
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
