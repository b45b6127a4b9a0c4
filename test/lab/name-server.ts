import { spawn } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from './config.js';
import { readyOrStopped, stopProcess } from './process.js';

export const nameServerPort = 53_530;

/** A domain of the lab and its DNS records. */
export interface LabDomain {
  name: string;
  mx?: { host: string; address: string | null; preference?: number }[];
  /** An A record of the domain itself. */
  address?: string;
  nullMx?: boolean;
  txt?: string[];
  dmarc?: string[];
  alias?: string;
  /** The domain is delegated to a name server there. */
  nameServer?: string;
}

/** A real authoritative server (NSD) for the lab's part of `com`, and one zone that it cannot load: SERVFAIL. */
export async function startNameServer(dir: string, domains: LabDomain[], brokenZone: string) {
  const zones = join(dir, 'nsd');
  mkdirSync(zones, { recursive: true });
  writeFileSync(join(zones, 'com.zone'), zoneText(domains));
  writeFileSync(join(zones, 'nsd.conf'), readConfig('nsd.conf', { nameServerPort, zones, brokenZone }));
  const child = spawn('/usr/sbin/nsd', ['-d', '-c', join(zones, 'nsd.conf')], { stdio: 'ignore' });
  const stop = () => stopProcess(child);
  await readyOrStopped(untilAnswering(), stop);
  return { stop };
}

function zoneText(domains: LabDomain[]): string {
  const lines = [
    '$ORIGIN com.',
    '$TTL 60',
    '@ IN SOA ns.vetlab.com. root.vetlab.com. 1 60 60 60 60',
    '@ IN NS ns.vetlab.com.',
    'ns.vetlab IN A 127.0.0.1',
  ];
  const hosts = new Map<string, string>();
  for (const domain of domains) {
    const name = `${domain.name}.`;
    if (domain.alias) lines.push(`${name} IN CNAME ${domain.alias}.`);
    if (domain.nameServer) lines.push(`${name} IN NS ns.${name}`, `ns.${name} IN A ${domain.nameServer}`);
    if (domain.nullMx) lines.push(`${name} IN MX 0 .`);
    if (domain.address) lines.push(`${name} IN A ${domain.address}`);
    for (const text of domain.txt ?? []) lines.push(`${name} IN TXT "${text}"`);
    for (const text of domain.dmarc ?? []) lines.push(`_dmarc.${name} IN TXT "${text}"`);
    for (const [index, { host, address, preference }] of (domain.mx ?? []).entries()) {
      lines.push(`${name} IN MX ${preference ?? 10 * (index + 1)} ${host}.`);
      if (address !== null) hosts.set(host, address);
    }
  }
  for (const [host, address] of hosts) lines.push(`${host}. IN A ${address}`);
  return `${lines.join('\n')}\n`;
}

async function untilAnswering(): Promise<void> {
  const resolver = new Resolver({ timeout: 300, tries: 1 });
  resolver.setServers([`127.0.0.1:${nameServerPort}`]);
  for (let attempt = 0; attempt < 60; attempt++) {
    const answered = await resolver.resolveNs('com').then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('NSD did not come up.');
}
