import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { localCallerWith } from '../../async/caller.js';
import { formatAmount } from '../../model/amount.js';
import type { Level } from '../../model/evidence.js';
import { asFailure } from '../../model/failure.js';
import type { ValidationService } from '../../model/service.js';
import type { Dns } from '../../net/dns/dns.js';
import { systemResolvers } from '../../net/dns/resolver-address.js';
import { Networks } from '../../net/ip-range.js';
import { checkOutboundRoute, chooseDial, type Dial, routesIn } from '../../net/smtp/dial.js';
import { greetHost } from '../../net/smtp/greeting.js';
import { ownEhloName } from '../../net/smtp/identity.js';
import { networkDigest, openPort25Cache } from '../local/port25-cache.js';
import { asWarning, type Check, failedWith, ok, skipped, warn } from './check.js';
import { checkBlockLists, checkGreetingName, findOwnAddress } from './greeting-name.js';
import { checkLists, checkNode, checkSettings, type SettingsFacts } from './machine.js';
import { type Attempt, checkMailPort, findTargets, type ProbeHost, type ProbeTarget } from './mail-port.js';
import { checkResolvers, isUsable, type OpenDns, openSystemDns } from './resolvers.js';
import { checkDataDirectory, checkJobStore } from './storage.js';

export interface DiagnosisOptions {
  home: string;
  /** The setting `store`; null: the data directory. */
  store?: string | null;
  /** Null if the server runs the checks, not a user. */
  settings: SettingsFacts | null;
  /** `dns` leaves out the mail port, `syntax` the whole network. */
  level: Level;
  /** Empty: the resolvers of the system. */
  resolvers: readonly string[];
  /** Hosts to contact; empty: mail servers of large providers; null: none. */
  probes: readonly ProbeHost[] | null;
  smtpPort: number;
  ehloName: string | null;
  proxy: string | null;
  sourceIp?: string | null;
  /** Networks whose private addresses are contacted. */
  allowNetworks?: readonly string[];
  /** The sender to check, if it is set. */
  mailFrom?: string | null;
  /** Whether to ask block lists about our address. */
  blockLists?: boolean;
  /** The timeout of each query, connection, reply and request. */
  timeoutMs: number;
  remote: Omit<RemoteCheckOptions, 'signal'> | null;
  signal: AbortSignal;
  now?: () => number;
  openDns?: OpenDns;
  dial?: Dial;
  localAddresses?: readonly string[];
}

/** Runs all checks concurrently and yields them in a fixed order. Throws only when aborted, or for a bug. */
export async function* diagnose(options: DiagnosisOptions): AsyncGenerator<Check> {
  const finished = new AbortController();
  const signal = AbortSignal.any([options.signal, finished.signal]);
  const { home, settings, timeoutMs, now = Date.now } = options;
  const store = checkJobStore(home, options.store ?? null, timeoutMs);
  const network = checkNetwork({ ...options, signal });
  const remote = options.remote === null ? Promise.resolve(null) : checkRemote({ ...options.remote, signal });
  // A rejection must not count as unhandled while an earlier check is awaited.
  for (const part of [store, network, remote]) part.catch(() => {});
  try {
    yield checkNode();
    if (settings !== null) yield checkSettings(settings);
    yield checkDataDirectory(home);
    yield await store;
    yield checkLists(now(), join(home, 'lists'));
    // With a remote service in use, nothing of the engine's network fails.
    yield* options.remote?.inUse ? (await network).map(asWarning) : await network;
    const service = await remote;
    if (service !== null) yield service;
    signal.throwIfAborted();
  } finally {
    finished.abort();
  }
}

const networkNames = ['resolver', 'smtp_port', 'ehlo_name', 'block_lists'];

/** Checks the network for the bundled engine. */
async function checkNetwork(options: DiagnosisOptions): Promise<readonly Check[]> {
  const { level, probes, signal, timeoutMs, openDns = openSystemDns } = options;
  if (level === 'syntax' && !probes?.length) {
    return networkNames.map((name) => skipped(name, 'Skipped at level syntax.'));
  }
  const addresses = options.resolvers.length > 0 ? options.resolvers : systemResolvers();
  const questions = { resolvers: addresses, ownNames: namesIn(options), openDns, timeoutMs, signal };
  const resolvers = await checkResolvers(questions);
  const usableChecks = resolvers.filter(isUsable);
  const usable = usableChecks.flatMap(({ subject }) => subject ?? []);
  const dns = usable.length > 0 ? await openDns(usable, timeoutMs) : noDns;
  try {
    return [...resolvers, ...(await checkMailHosts(options, dns, usableChecks))];
  } finally {
    dns.close();
  }
}

/** Host names in the options, and the name of this machine. */
function namesIn({ probes, mailFrom, ehloName }: DiagnosisOptions): string[] {
  const senderDomain = mailFrom?.slice(mailFrom.lastIndexOf('@') + 1) ?? '';
  const names = [...(probes ?? []).map(({ host }) => host), senderDomain, ehloName ?? ownEhloName() ?? ''];
  return [...new Set(names)].filter((name) => /[^\d.]/.test(name) && /^[^[\]<>:]+\.[^[\]<>:]+$/.test(name));
}

async function checkMailHosts(options: DiagnosisOptions, dns: Dns, usable: readonly Check[]): Promise<Check[]> {
  const dnsWorks = usable.length > 0;
  const knowsPublicNames = usable.some(({ facts }) => facts['denies'] !== true);
  const { smtpPort: port, signal, level, proxy, home, now = Date.now } = options;
  const routeFailure = await checkOutboundRoute(options).then(() => null, asFailure);
  if (routeFailure !== null) {
    const skippedChecks = networkNames.slice(2).map((name) => skipped(name, 'Skipped, since no network route works.'));
    return [failedWith('smtp_port', routeFailure), ...skippedChecks];
  }
  const localAddresses =
    options.localAddresses ?? (options.sourceIp == null ? ownAddresses() : routesIn(options.sourceIp));
  const hasProxy = proxy !== null && proxy !== '';
  const allowed = new Networks(options.allowNetworks ?? []);
  const hasNamedHosts = (options.probes?.length ?? 0) > 0;
  const dials = options.probes !== null && (hasNamedHosts || level === 'smtp');
  const targets = dials ? await findTargets(options.probes ?? [], dns, port, signal, allowed) : [];
  const ehloName = options.ehloName ?? ownEhloName();
  const attempts = await dialAll(targets, { ...options, ehloName });
  const skipReason =
    options.probes === null ? '--no-probe leaves it out.' : `At level ${level} no mail server is contacted.`;
  const cache = openPort25Cache(home, now, () => networkDigest(options.sourceIp));
  const greetings = attempts.flatMap(({ greeting }) => greeting ?? []);
  const ownAddress = findOwnAddress(greetings, localAddresses, hasProxy);
  const knowsAddress = level === 'smtp' || dials;
  return [
    dials
      ? checkMailPort(attempts, { port, hasNamedHosts, hasProxy, cache, dnsWorks })
      : skipped('smtp_port', skipReason),
    !knowsAddress
      ? skipped('ehlo_name', skipReason)
      : dnsWorks
        ? await checkGreetingName({ ehloName, ownAddress, dns, signal })
        : skipped('ehlo_name', 'Without DNS the name cannot be compared with our address.'),
    ...(options.blockLists === true && knowsAddress && knowsPublicNames
      ? [await checkBlockLists(ownAddress?.ip ?? null, dns, signal)]
      : []),
    ...(dnsWorks ? await checkSender(options.mailFrom ?? null, dns, signal) : []),
  ];
}

/** Mail servers refuse a sender whose domain does not exist. */
async function checkSender(sender: string | null, dns: Dns, signal: AbortSignal): Promise<Check[]> {
  const domain = sender?.slice(sender.lastIndexOf('@') + 1) ?? '';
  if (sender === null || sender === '<>' || domain.startsWith('[')) return [];
  const facts = { mail_from: sender };
  const caller = localCallerWith(signal);
  const mx = await dns.mx(domain, caller);
  const states = [mx.state, mx.state === 'found' ? mx.state : (await dns.addresses(domain, caller)).state];
  // RFC 7505 §4.2: a server may refuse a sender whose domain has a null MX.
  const hasNullMx = mx.state === 'found' && mx.records.every(({ exchange }) => exchange === '');
  if (states.includes('found') && !hasNullMx)
    return [ok('mail_from', `The domain of the sender ${sender} exists.`, { facts })];
  const hint = 'Set mail_from to an address of a domain of your own, or leave it out.';
  const message = states.includes('failed')
    ? `The domain of the sender ${sender} could not be looked up. Mail servers refuse a sender whose domain does not exist.`
    : `${hasNullMx ? 'A null MX says that there is' : 'DNS has'} no mail server for the sender ${sender}, so mail servers may refuse it.`;
  return [warn('mail_from', message, { hint, facts })];
}

/** Contacts every host, over IPv4 if it has an address for that. */
async function dialAll(targets: readonly ProbeTarget[], options: DiagnosisOptions): Promise<Attempt[]> {
  const { ehloName, timeoutMs, signal, proxy, sourceIp = null } = options;
  const dial = options.dial ?? chooseDial({ proxy, sourceIp });
  const canUse = (mark: string): boolean => sourceIp?.includes(mark) !== false;
  return Promise.all(
    targets.map(async (target) => {
      const address = (canUse('.') ? target.v4 : null) ?? (canUse(':') ? target.v6 : null);
      const greeting = address === null ? null : await greetHost(address, { dial, ehloName, timeoutMs, signal });
      return { target, greeting };
    }),
  );
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).filter(({ internal }) => !internal).map(({ address }) => address),
  );
}

/** Used without a working resolver: every query fails at once. */
const noAnswer = async () => ({ state: 'failed', why: 'timeout' }) as const;
const noDns: Dns = {
  mx: noAnswer,
  addresses: noAnswer,
  txt: noAnswer,
  ns: noAnswer,
  reverse: noAnswer,
  close: () => {},
};

interface RemoteCheckOptions {
  inUse: boolean;
  baseUrl: string | null;
  /** Null if no remote service is configured. */
  open: (() => Promise<ValidationService>) | null;
  signal: AbortSignal;
}

/** Checks that the remote service responds and accepts the key, by a free call. */
export async function checkRemote({ inUse, baseUrl, open, signal }: RemoteCheckOptions): Promise<Check> {
  const facts = { base_url: baseUrl, in_use: inUse };
  if (open === null) {
    return skipped('remote', 'No remote service is configured; the bundled engine is used.', { facts });
  }
  const startedAt = performance.now();
  let service: ValidationService | null = null;
  try {
    service = await open();
    await service.listJobs({ skip: 0, limit: 1 }, { signal });
    const elapsed = Math.round(performance.now() - startedAt);
    const account = (await service.account?.({ signal })) ?? null;
    const credits = account?.credits === null ? 'no limit' : formatAmount(account?.credits ?? 0, 'credit');
    const plan = account === null ? '' : `: ${account.name}, plan ${account.plan}, ${credits}`;
    const message = `${baseUrl ?? 'The service'} responds and accepts the key (${elapsed} ms)${plan}.`;
    return ok('remote', message, { facts: { ...facts, elapsed_ms: elapsed, account } });
  } catch (thrown) {
    signal.throwIfAborted();
    const failed = failedWith('remote', thrown, { facts });
    // The hint of a failed call names this command.
    const check = { ...failed, hint: failed.hint?.replace(/; mailvet doctor [^.]*/, '') ?? null };
    return inUse ? check : asWarning(check);
  } finally {
    await service?.close();
  }
}
