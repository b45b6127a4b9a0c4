import type { Answer } from 'dns-packet';
import { type ServerReply, startDnsServer } from '../fakes/dns-server.js';
import { type HostScript, type SmtpHost, startSmtpHost } from '../fakes/smtp-host.js';

/** Mail servers of made-up companies on loopback, each with its own behavior. */
export interface FakeNetwork {
  /** `127.0.0.1:PORT` */
  resolver: string;
  smtpPort: number;
  close(): Promise<void>;
}

const noSuchUser = '550 5.1.1 User unknown in virtual mailbox table';
const people = /^(ada|jane|jane\.doe|bob|li\.wei|mia|omar|info|sales|postmaster)([.+\d].*)?@/;

/** The replies of the mail servers of each domain; null: nothing listens there. */
const domains: Record<string, HostScript | null> = {
  'contoso.com': { rcpt: (address) => (people.test(address) ? '250 2.1.5 Ok' : noSuchUser) },
  'northwindtraders.com': { rcpt: (address) => (people.test(address) ? '250 2.1.5 Ok' : noSuchUser) },
  'fabrikam.com': {},
  'woodgrovebank.com': { rcpt: () => noSuchUser },
  'litwareinc.com': { banner: () => '554 5.7.1 Service unavailable; client host blocked using a block list' },
  'tailspintoys.com': { rcpt: () => '451 4.7.1 Greylisted, please try again in 300 seconds' },
  'adatum.com': { rcpt: () => '452 4.2.2 The recipient mailbox is over its quota' },
  'wingtiptoys.com': null,
  'gmail.com': { rcpt: (address) => (people.test(address) ? '250 2.1.5 Ok' : noSuchUser) },
  'gmial.com': {},
  'mailinator.com': {},
};

/** Starts these mail servers, and a DNS server for their domains only. */
export async function startFakeNetwork(): Promise<FakeNetwork> {
  const records = new Map<string, Answer[]>();
  const hosts: SmtpHost[] = [];
  let smtpPort = 0;
  for (const [index, [name, script]] of Object.entries(domains).entries()) {
    const ip = `127.0.1.${index + 1}`;
    if (script !== null) {
      const host = await startSmtpHost(script, { ip, port: smtpPort });
      smtpPort = host.port;
      hosts.push(host);
    }
    const exchange = `mx.${name}`;
    records.set(`MX ${name}`, [{ type: 'MX', name, ttl: 300, data: { preference: 10, exchange } }]);
    records.set(`A ${exchange}`, [{ type: 'A', name: exchange, ttl: 300, data: ip }]);
    records.set(`TXT ${name}`, [{ type: 'TXT', name, ttl: 300, data: 'v=spf1 mx -all' }]);
    records.set(`TXT _dmarc.${name}`, [{ type: 'TXT', name: `_dmarc.${name}`, ttl: 300, data: 'v=DMARC1; p=reject' }]);
  }
  const known = new Set([...records.keys()].map((key) => key.slice(key.indexOf(' ') + 1)));
  const dns = await startDnsServer(({ type, name: queryName }): ServerReply => {
    const name = queryName.toLowerCase();
    const answers = records.get(`${type} ${name}`);
    if (answers !== undefined) return { answers };
    const isTopLevel = /^(com|org|net)$/.test(name);
    if (type === 'NS' && isTopLevel) return { answers: [{ type: 'NS', name, ttl: 60, data: `ns.${name}` }] };
    return { code: isTopLevel || known.has(name) ? 'NOERROR' : 'NXDOMAIN', authorities: [denial(name)] };
  });
  return {
    resolver: dns.address,
    smtpPort,
    close: async () => {
      await dns.close();
      for (const host of hosts) await host.stop();
    },
  };
}

function denial(name: string): Answer {
  const zone = name.split('.').at(-1) ?? '';
  const data = { mname: `ns.${zone}`, rname: `root.${zone}`, serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 60 };
  return { type: 'SOA', name: zone, ttl: 60, data };
}
