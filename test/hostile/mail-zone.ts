import type { Answer } from 'dns-packet';
import { createEngine } from '../../src/service/create-engine.js';
import type { ValidationOptions } from '../../src/service/local/validation.js';
import { type DnsServer, type ServerReply, startDnsServer } from '../fakes/dns-server.js';

/** The DNS data of one domain: its mail servers in order, each with its addresses. */
export interface Domain {
  name: string;
  hosts: { name: string; addresses: string[] }[];
}

/** A DNS server that knows these domains and their top-level domains, and denies all others. */
export function startZone(domains: readonly Domain[]): Promise<DnsServer> {
  const records = new Map<string, Answer[]>();
  for (const { name, hosts } of domains) {
    records.set(
      `MX ${name}`,
      hosts.map((host, index) => ({
        type: 'MX',
        name,
        ttl: 300,
        data: { preference: (index + 1) * 10, exchange: host.name },
      })),
    );
    for (const host of hosts) {
      records.set(
        `A ${host.name}`,
        host.addresses.map((data) => ({ type: 'A', name: host.name, ttl: 300, data })),
      );
    }
  }
  const known = new Set([...records.keys()].map((key) => key.slice(key.indexOf(' ') + 1)));
  const soa: Answer = {
    type: 'SOA',
    name: 'com',
    ttl: 60,
    data: { mname: 'ns.com', rname: 'root.com', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 60 },
  };
  return startDnsServer(({ type, name }): ServerReply => {
    const answers = records.get(`${type} ${name.toLowerCase()}`);
    if (answers !== undefined) return { answers };
    if (type === 'NS' && name === 'com') return { answers: [{ type: 'NS', name, ttl: 60, data: 'ns.com' }] };
    return { code: known.has(name.toLowerCase()) ? 'NOERROR' : 'NXDOMAIN', authorities: [soa] };
  });
}

/** Runs the list through an engine that reaches only loopback, and returns status and sub-status by address. */
export async function bulkRun(
  emails: readonly string[],
  options: ValidationOptions & { resolvers: readonly string[]; smtpPort: number },
): Promise<Map<string, string>> {
  const engine = createEngine({
    allowNetworks: ['127.0.0.0/8'],
    ehloName: 'probe.mailvet-lab.com',
    greylistWaitMs: 0,
    ai: false,
    ...options,
  });
  const results = new Map<string, string>();
  try {
    for await (const answers of engine.validateMany([emails])) {
      for (const { result } of answers) results.set(result.email, verdictOf(result));
    }
  } finally {
    await engine.close();
  }
  return results;
}

function verdictOf(result: { status: string }): string {
  const subStatus = 'sub_status' in result ? String(result.sub_status) : '';
  return `${result.status} ${subStatus}`.trim();
}
