import { localCallerWith } from '../../async/caller.js';
import { Failure } from '../../model/failure.js';
import type { Dns } from '../../net/dns/dns.js';
import { parseIp } from '../../net/ip-address.js';
import { isGlobal, Networks } from '../../net/ip-range.js';
import { createPortStatus } from '../../net/pool/port25-status.js';
import { readReply } from '../../net/replies/read-reply.js';
import type { Target } from '../../net/smtp/dial.js';
import { SmtpFault } from '../../net/smtp/fault.js';
import type { Greeting } from '../../net/smtp/greeting.js';
import type { Port25Cache } from '../local/port25-cache.js';
import { type Check, fail, ok, skipped, warn } from './check.js';

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

/** The greeting of one host over IPv4 or IPv6; null if its name has no address. */
export interface Attempt {
  target: ProbeTarget;
  greeting: Greeting | null;
}

interface MailPortOptions {
  port: number;
  /** True if the user named the hosts. */
  hasNamedHosts: boolean;
  hasProxy: boolean;
  cache: Port25Cache;
  dnsWorks: boolean;
}

const alternativesHint =
  'Use --level dns, --set proxy=socks5://HOST through a machine that is not blocked, or --hybrid with "mailvet serve" on such a machine or a remote service (docs/port-25.md).';

export function outcomeOf({ greeting }: Attempt): string {
  if (greeting === null) return 'no_address';
  if (isAccepted(greeting)) return 'greeted';
  if (greeting.banner !== null && greeting.fault === null) return 'refused_us';
  return greeting.fault?.kind ?? 'refused_us';
}

/** Whether the host accepted our EHLO, or knows only HELO. */
function isAccepted({ banner, ehlo, fault }: Greeting): boolean {
  if (banner?.code !== 220 || fault !== null) return false;
  return ehlo === null || ehlo.code < 400 || (ehlo.code >= 500 && ehlo.code <= 504);
}

/** Checks whether mail servers can be reached, and updates the port 25 cache. */
export function checkMailPort(attempts: readonly Attempt[], options: MailPortOptions): Check {
  const name = 'smtp_port';
  const { port, hasProxy } = options;
  const isUnresolved = !options.dnsWorks && attempts.every(({ greeting }) => greeting === null);
  if (attempts.length === 0 || isUnresolved) {
    return skipped(name, 'No mail server was contacted, because none of their names could be resolved.', {
      hint: options.dnsWorks
        ? 'Name a mail server that you can reach: mailvet doctor --probe HOST'
        : 'Fix DNS first, or name a mail server by its address: mailvet doctor --probe 192.0.2.1',
    });
  }
  const routeText = hasProxy ? ' through the proxy' : '';
  const probes = attempts.map(probeFacts);
  const facts = { port, proxied: hasProxy, probes };
  const withBanner = attempts.filter(({ greeting }) => greeting !== null && greeting.banner !== null);
  const accepted = attempts.filter(({ greeting }) => greeting !== null && isAccepted(greeting));
  const interceptorName = sharedGreetingName(withBanner, options);
  const blocked = interceptorName === null && recordPortStatus(attempts, options);
  if (withBanner.length === 0) {
    const connected = attempts.some(({ greeting }) => greeting?.connected);
    const problem = connected
      ? 'Mail servers accepted the connection but sent no greeting'
      : 'No mail server could be reached';
    const cacheNote = blocked ? ' That is remembered for an hour.' : '';
    return fail(name, 'network', `${problem}${routeText}: ${describeAttempts(attempts)}.${cacheNote}`, {
      hint: hintFor(options),
      facts,
    });
  }
  if (interceptorName !== null) {
    const message = `Hosts of different providers all greet as ${interceptorName}: a device in between answers for them.`;
    return fail(name, 'network', message, { hint: alternativesHint, facts: { ...facts, intercepted: true } });
  }
  if (accepted.length === 0) {
    return fail(name, 'network', `Mail servers answer${routeText}, but refuse us: ${describeAttempts(attempts)}.`, {
      hint: 'Connect from another address (the setting proxy, "mailvet serve" elsewhere), or fix what they complain about.',
      facts,
    });
  }
  const count = `${accepted.length} of ${attempts.length}`;
  if (accepted.length < attempts.length) {
    const others = attempts.filter((attempt) => !accepted.includes(attempt));
    return warn(name, `${count} mail servers greeted us${routeText}, but ${describeAttempts(others)}.`, { facts });
  }
  const all = attempts.length === 1 ? '1 mail server' : `${count} mail servers`;
  return ok(name, `${all} greeted us${routeText}: ${describeAttempts(attempts)}.`, { facts });
}

function hintFor({ port, hasNamedHosts, hasProxy }: MailPortOptions): string {
  if (hasProxy) return 'Check the proxy and its rules, or leave it out.';
  if (hasNamedHosts)
    return `Check the host and its port, or allow more time with --set timeout=1m. If the network is to blame: ${alternativesHint}`;
  if (port !== 25)
    return `Public mail servers listen on port 25. Name one that listens on port ${port}: mailvet doctor --set smtp_port=${port} --probe HOST`;
  return `This network blocks port ${port}, as most homes, offices and clouds do. ${alternativesHint}`;
}

/** Trusts public hosts on the standard port; returns whether the port counts as blocked. */
function recordPortStatus(attempts: readonly Attempt[], { port, hasProxy, cache }: MailPortOptions): boolean {
  if (hasProxy) return false;
  const status = createPortStatus({ get: () => false, set: cache.set }, () => {});
  const greetings = attempts.flatMap(({ greeting }) =>
    greeting !== null && greeting.target.port === port && isGlobal(greeting.target.ip) ? [greeting] : [],
  );
  for (const { banner } of greetings) if (banner !== null) status.recordConnect();
  for (const { target, fault } of greetings) if (fault instanceof SmtpFault) status.recordFailure(target, fault);
  if (status.isOpen) cache.clear();
  return status.isBlocked;
}

/** The one name that all hosts greet with, or null: different providers have different names. */
function sharedGreetingName(withBanner: readonly Attempt[], { hasNamedHosts }: MailPortOptions): string | null {
  const names = new Set(withBanner.map(({ greeting }) => greeting?.banner?.text.split(' ')[0]?.toLowerCase() ?? ''));
  const [firstName = ''] = names;
  return !hasNamedHosts && withBanner.length > 1 && names.size === 1 && firstName.includes('.') ? firstName : null;
}

function describeAttempts(attempts: readonly Attempt[]): string {
  return attempts.map(describeAttempt).join(', ');
}

function describeAttempt(attempt: Attempt): string {
  const { target, greeting } = attempt;
  if (greeting === null) return `${target.host} has no address`;
  const { banner, ehlo, fault, elapsedMs } = greeting;
  const host = target.host;
  if (isAccepted(greeting)) return `${host} in ${elapsedMs} ms`;
  if (fault !== null) return `${host}: ${fault.message}`;
  const reply = ehlo ?? banner;
  if (reply === null) return host;
  const { reason } = readReply(reply, { recipient: '' });
  return `${host} says ${reply.code} ${reply.text.slice(0, 120)} (${reason})`;
}

function probeFacts(attempt: Attempt): Record<string, unknown> {
  const { target, greeting } = attempt;
  return {
    host: target.host,
    port: target.port,
    ip: greeting?.target.ip ?? null,
    outcome: outcomeOf(attempt),
    banner: greeting?.banner == null ? null : `${greeting.banner.code} ${greeting.banner.text}`,
    elapsed_ms: greeting?.elapsedMs ?? null,
  };
}
