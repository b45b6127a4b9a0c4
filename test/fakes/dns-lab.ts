import { afterEach } from 'vitest';
import { type Dns, type SystemDnsOptions, systemDns } from '../../src/net/dns/dns.js';
import { type DnsServer, type ServerQuestion, type ServerReply, startDnsServer } from './dns-server.js';

/** Creates name servers and clients for them, and closes them after each test. */
export function dnsLab() {
  const opened: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });
  return {
    async server(script: (question: ServerQuestion) => ServerReply): Promise<DnsServer> {
      const started = await startDnsServer(script);
      opened.push(started);
      return started;
    },
    resolver(servers: DnsServer[], options: SystemDnsOptions = {}): Dns {
      const dns = systemDns({ resolvers: servers.map(({ address }) => address), timeoutMs: 2_000, ...options });
      opened.push(dns);
      return dns;
    },
  };
}
