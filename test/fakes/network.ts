import { a, mx, ns } from './dns-records.js';
import { type DnsServer, type ServerReply, startDnsServer } from './dns-server.js';
import { type HostScript, type SmtpHost, startSmtpHost } from './smtp-host.js';

export interface FakeNetwork {
  host: SmtpHost;
  dns: DnsServer;
  /** The engine's options that lead to this network. */
  options: { resolvers: string[]; smtpPort: number; allowNetworks: string[]; ehloName: string };
  /** The same as flags of a command. */
  flags: string[];
  stop(): Promise<void>;
}

/** A mail server on loopback, and a DNS server that names it for every domain. `reply` changes what a name is answered. */
export async function startNetwork(
  script: HostScript = {},
  reply: (name: string) => ServerReply | null = () => null,
): Promise<FakeNetwork> {
  const host = await startSmtpHost(script);
  const dns = await startDnsServer(({ type, name }) => {
    const changed = reply(name);
    if (changed !== null) return changed;
    if (type === 'MX') return { answers: [mx('mx.example.net', 10, name)] };
    if (type === 'NS') return { answers: [ns('ns.example.net', name)] };
    return type === 'A' ? { answers: [a(host.ip, name)] } : {};
  });
  const settings = [`resolvers=${dns.address}`, `smtp_port=${host.port}`, 'allow_networks=127.0.0.0/8'];
  return {
    host,
    dns,
    options: {
      ...{ resolvers: [dns.address], smtpPort: host.port },
      ...{ allowNetworks: ['127.0.0.0/8'], ehloName: 'probe.example.net' },
    },
    flags: [...settings, 'ehlo_name=probe.example.net'].flatMap((setting) => ['--set', setting]),
    stop: async () => {
      await Promise.all([host.stop(), dns.close()]);
    },
  };
}
