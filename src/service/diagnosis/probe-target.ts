import { localCallerWith } from '../../async/caller.js';
import { Failure } from '../../model/failure.js';
import type { Dns } from '../../net/dns/dns.js';
import { parseIp } from '../../net/ip-address.js';
import { isGlobal, Networks } from '../../net/ip-range.js';
import type { Target } from '../../net/smtp/dial.js';

export interface ProbeHost {
  host: string;
  /** Null: the standard port. */
  port: number | null;
}

/** Large providers, used if the user names no host. */
export const probedDomains = ['gmail.com', 'outlook.com', 'yahoo.com', 'icloud.com'] as const;

/** A host and its addresses; both null if its name has none. */
export interface ProbeTarget {
  host: string;
  port: number;
  v4: Target | null;
  v6: Target | null;
}

/** Parses `HOST`, `HOST:PORT`, an IP address or `[IPv6]:PORT`; otherwise throws the Failure `usage`. */
export function parseProbe(text: string): ProbeHost {
  const trimmed = text.trim();
  if (parseIp(trimmed) !== null) return { host: trimmed, port: null };
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(trimmed) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = digits === undefined ? null : Number(digits);
  const labels = host.replace(/\.$/, '').split('.');
  const isLabel = (label: string): boolean => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?$/i.test(label);
  const isHostName = plain !== undefined && host.length <= 254 && labels.every(isLabel);
  const isHost = parseIp(host) !== null || (isHostName && !/^[\d.]+$/.test(host));
  if (isHost && (port === null || (port >= 1 && port <= 65_535))) return { host: host.toLowerCase(), port };
  throw new Failure('usage', `--probe: "${text.slice(0, 80)}" is not HOST or HOST:PORT.`, {
    hint: 'Write mx.example.org, mx.example.org:2525, 192.0.2.1:25 or [2001:db8::1]:25.',
  });
}

/** The hosts to contact: those given, also on private addresses; else the first mail server of each large provider, if its address is public or allowed. */
export async function findTargets(
  hosts: readonly ProbeHost[],
  dns: Dns,
  port: number,
  signal: AbortSignal,
  allowed: Networks = new Networks([]),
): Promise<ProbeTarget[]> {
  /** A resolver that returns a private address for a provider must not make us connect to it. */
  const publicOnly = (target: Target | null): Target | null =>
    target !== null && (isGlobal(target.ip) || allowed.contains(target.ip)) ? target : null;
  if (hosts.length > 0) {
    return Promise.all(hosts.map((probe) => targetOf(probe.host, probe.port ?? port, dns, signal)));
  }
  const targets = await Promise.all(
    probedDomains.map(async (domain) => {
      const mx = await dns.mx(domain, localCallerWith(signal));
      const first = mx.state === 'found' ? [...mx.records].sort((a, b) => a.preference - b.preference)[0] : undefined;
      if (first === undefined || first.exchange === '') return null;
      const { v4, v6, ...host } = await targetOf(first.exchange, port, dns, signal);
      return { ...host, v4: publicOnly(v4), v6: publicOnly(v6) };
    }),
  );
  return targets.flatMap((target) => (target === null || (target.v4 === null && target.v6 === null) ? [] : [target]));
}

async function targetOf(host: string, port: number, dns: Dns, signal: AbortSignal): Promise<ProbeTarget> {
  const ips = await addressesOf(host, dns, signal);
  const pick = (bytes: number): Target | null => {
    const ip = ips.find((each) => parseIp(each)?.length === bytes);
    return ip === undefined ? null : { host, ip, port };
  };
  return { host, port, v4: pick(4), v6: pick(16) };
}

async function addressesOf(host: string, dns: Dns, signal: AbortSignal): Promise<readonly string[]> {
  if (parseIp(host) !== null) return [host];
  // RFC 6761 §6.3: always loopback.
  if (host === 'localhost') return ['127.0.0.1'];
  const answer = await dns.addresses(host, localCallerWith(signal));
  return answer.state === 'found' ? answer.records : [];
}
