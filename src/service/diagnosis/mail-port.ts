import { isGlobal } from '../../net/ip-range.js';
import { createPortStatus } from '../../net/pool/port25-status.js';
import { readReply } from '../../net/replies/read-reply.js';
import { SmtpFault } from '../../net/smtp/fault.js';
import type { Greeting } from '../../net/smtp/greeting.js';
import type { Port25Cache } from '../local/port25-cache.js';
import { type Check, fail, ok, skipped, warn } from './check.js';
import type { ProbeTarget } from './probe-target.js';

/** The greeting of one host over IPv4 or IPv6; null if its name has no address. */
export interface Attempt {
  target: ProbeTarget;
  greeting: Greeting | null;
}

interface PortFacts {
  port: number;
  /** The user named the hosts. */
  asked: boolean;
  proxied: boolean;
  memory: Port25Cache;
}

const waysOut =
  'Use --level dns, --proxy socks5://HOST through a machine that is not blocked, "mailvet serve" on such a machine, or a remote service.';

export function outcomeOf({ greeting }: Attempt): string {
  if (greeting === null) return 'no_address';
  if (isWelcome(greeting)) return 'greeted';
  if (greeting.banner !== null && greeting.fault === null) return 'refused_us';
  return greeting.fault?.kind ?? 'refused_us';
}

/** The host accepted our greeting, with HELO at least. */
function isWelcome({ banner, ehlo, fault }: Greeting): boolean {
  if (banner?.code !== 220 || fault !== null) return false;
  return ehlo === null || ehlo.code < 400 || (ehlo.code >= 500 && ehlo.code <= 504);
}

/** Checks whether mail servers can be reached, and updates the port 25 cache. */
export function checkMailPort(attempts: readonly Attempt[], about: PortFacts): Check {
  const name = 'smtp_port';
  const { port, proxied } = about;
  if (attempts.length === 0) {
    return skipped(name, 'No mail server was contacted, because none of their names could be resolved.', {
      hint: 'Fix DNS first, or name a mail server by its address: --probe 192.0.2.1',
    });
  }
  const how = proxied ? ' through the proxy' : '';
  const probes = attempts.map(probeFacts);
  const facts = { port, proxied, probes };
  const spoke = attempts.filter(({ greeting }) => greeting !== null && greeting.banner !== null);
  const welcome = attempts.filter(({ greeting }) => greeting !== null && isWelcome(greeting));
  const impostor = sharedGreetingName(spoke, about);
  const blocked = impostor === null && remember(attempts, about);
  if (spoke.length === 0) {
    const connected = attempts.some(({ greeting }) => greeting?.connected);
    const what = connected
      ? 'Mail servers accepted the connection but sent no greeting'
      : 'No mail server could be reached';
    const kept = blocked ? ' That is remembered for an hour.' : '';
    return fail(name, 'network', `${what}${how}: ${listed(attempts)}.${kept}`, {
      hint: hintFor(about),
      facts,
    });
  }
  if (impostor !== null) {
    const message = `Hosts of different providers all greet as ${impostor}: something in between answers for them.`;
    return fail(name, 'network', message, { hint: waysOut, facts: { ...facts, intercepted: true } });
  }
  if (welcome.length === 0) {
    return fail(name, 'network', `Mail servers answer${how}, but refuse us: ${listed(attempts)}.`, {
      hint: 'Ask from another address (--proxy, "mailvet serve" elsewhere), or fix what they complain about.',
      facts,
    });
  }
  const count = `${welcome.length} of ${attempts.length}`;
  if (welcome.length < attempts.length) {
    const rest = attempts.filter((attempt) => !welcome.includes(attempt));
    return warn(name, `${count} mail servers greeted us${how}, but ${listed(rest)}.`, { facts });
  }
  return ok(name, `${count} mail servers greeted us${how}: ${listed(attempts)}.`, { facts });
}

function hintFor({ port, asked, proxied }: PortFacts): string {
  if (proxied) return 'Check the proxy and its rules, or leave out --proxy.';
  if (asked)
    return `Check the host and its port, or allow more time with --timeout. If the network is to blame: ${waysOut}`;
  return `This network blocks port ${port}, as most homes, offices and clouds do. ${waysOut}`;
}

/** Trusts public hosts on the standard port; returns whether the port counts as blocked. */
function remember(attempts: readonly Attempt[], { port, proxied, memory }: PortFacts): boolean {
  if (proxied) return false;
  const watch = createPortStatus({ get: () => false, set: memory.set }, () => {});
  const telling = attempts.flatMap(({ greeting }) =>
    greeting !== null && greeting.target.port === port && isGlobal(greeting.target.ip) ? [greeting] : [],
  );
  for (const { banner } of telling) if (banner !== null) watch.recordConnect();
  for (const { target, fault } of telling) if (fault instanceof SmtpFault) watch.recordFailure(target, fault);
  if (watch.isOpen) memory.clear();
  return watch.isBlocked;
}

/** The one name that all hosts greet with, or null: different providers have different names. */
function sharedGreetingName(spoke: readonly Attempt[], { asked }: PortFacts): string | null {
  const names = new Set(spoke.map(({ greeting }) => greeting?.banner?.text.split(' ')[0]?.toLowerCase() ?? ''));
  const [only = ''] = names;
  return !asked && spoke.length > 1 && names.size === 1 && only.includes('.') ? only : null;
}

function listed(attempts: readonly Attempt[]): string {
  return attempts.map(described).join(', ');
}

function described(attempt: Attempt): string {
  const { target, greeting } = attempt;
  if (greeting === null) return `${target.host} has no address`;
  const { banner, ehlo, fault, elapsedMs } = greeting;
  const where = target.host;
  if (isWelcome(greeting)) return `${where} in ${elapsedMs} ms`;
  if (fault !== null) return `${where}: ${fault.message}`;
  const reply = ehlo ?? banner;
  if (reply === null) return where;
  const { reason } = readReply(reply, { probed: '' });
  return `${where} says ${reply.code} ${reply.text.slice(0, 120)} (${reason})`;
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

/** Checks IPv6, which is optional. */
export function checkIpv6(attempts: readonly Attempt[], hasAddress: boolean): Check {
  const facts = { address: hasAddress, probes: attempts.map(probeFacts) };
  const reached = attempts.filter(({ greeting }) => greeting?.connected);
  if (reached.length > 0) return ok('ipv6', `Mail servers can be reached over IPv6: ${listed(reached)}.`, { facts });
  if (!hasAddress) {
    return skipped('ipv6', 'This machine has no public IPv6 address; IPv4 is used.', { facts });
  }
  if (attempts.length === 0)
    return skipped('ipv6', 'This machine has an IPv6 address; no mail server was contacted.', { facts });
  return warn('ipv6', `This machine has an IPv6 address, but no mail server is reached over it: ${listed(attempts)}.`, {
    hint: 'IPv4 is used instead. Hosts that have only IPv6 cannot be asked.',
    facts,
  });
}
