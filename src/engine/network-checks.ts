import { systemClock } from '../async/clock.js';
import { type Dns, systemDns } from '../net/dns/dns.js';
import { recordingDns } from '../net/dns/recording-dns.js';
import { lookUpResolvers, systemResolvers } from '../net/dns/resolver-address.js';
import { HostKnowledge } from '../net/host-knowledge.js';
import { Networks } from '../net/ip-range.js';
import type { Prober } from '../net/probe/prober.js';
import { smtpProber } from '../net/probe/smtp-prober.js';
import { readReplyRules } from '../net/replies/match-phrase.js';
import { warmUpRules } from '../net/replies/read-reply.js';
import type { UserRule } from '../net/replies/reading.js';
import { checkOutboundRoute } from '../net/smtp/dial.js';
import { checkMailExchange } from './checks/mail-exchange.js';
import { resolverTrust, watchResolver } from './checks/resolver-trust.js';
import { createDomainLookup, type DomainChecks } from './domain-lookup.js';
import type { EngineOptions } from './engine-options.js';
import { providerOf, providerTraits } from './lists/providers.js';
import { registrableDomain } from './lists/public-suffix.js';
import { isKnownTld } from './lists/top-level-domains.js';
import { openPlausibility } from './plausibility/plausibility.js';
import type { NetworkCheckers } from './vet.js';

/** The network checkers of an open engine. */
export interface NetworkCheckerSource {
  /** With `explain`, new checkers that record their lookups. */
  checkers(explain: boolean): NetworkCheckers;
  /** Whether the resolver was silent, or denied existing domains, when last checked. */
  isResolverDown(): boolean;
  close(): Promise<void>;
}

const defaultTimeoutMs = 30_000;
/** RFC 5321 §4.5.3.2.3 allows five minutes: a host may ask another one about the recipient. */
const listRcptMs = 40_000;

/** Opens DNS and SMTP; a bad option is a Failure. */
export async function openNetworkCheckers(options: EngineOptions): Promise<NetworkCheckerSource> {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  const allowNetworks = new Networks(options.allowNetworks ?? []);
  const isSmtp = (options.level ?? 'smtp') === 'smtp';
  if (isSmtp) await checkOutboundRoute(options);
  const extraRules = options.replyRules == null ? [] : await readReplyRules(options.replyRules);
  const resolvers = options.resolvers?.length ? await lookUpResolvers(options.resolvers) : systemResolvers();
  const dns = systemDns({ resolvers, timeoutMs: Math.min(5_000, timeoutMs) });
  const knowledge = new HostKnowledge(systemClock);
  const trust = resolverTrust({ dns, isKnownTld, knowledge, onDistrust: (reason) => options.onNote?.(reason) });
  let isSilent = false;
  let isClosed = false;
  const onUnanswered = watchResolver(dns, (isSilentNow) => {
    // Queries that were open fail when it is closed.
    if (isClosed) return;
    if (isSilentNow && !isSilent) options.onNote?.('resolver_does_not_answer', resolvers.join(', '));
    isSilent = isSilentNow;
  });
  const prober = openProber(options, timeoutMs, extraRules, knowledge);
  const plausibility = options.ai === false ? null : openPlausibility();
  const routing = { allowNetworks, trust, onUnanswered, maxUsableHosts: options.level === 'dns' ? 1 : 4 };

  const createCheckers = (queryDns: Dns, lookupCache?: HostKnowledge): NetworkCheckers => {
    const mail = { ...routing, dns: queryDns };
    const checks: DomainChecks = {
      route: (address, caller) => {
        if (isSmtp) warmUpRules().catch(() => {});
        return checkMailExchange(address, mail, caller);
      },
      txt: queryDns.txt,
      registrableDomain,
      providerOf,
    };
    return {
      domain: createDomainLookup(checks, lookupCache),
      prober,
      plausibility,
      learnedOf: options.learnedOf ?? null,
    };
  };
  const shared = createCheckers(dns, knowledge);
  return {
    checkers: (explain) => {
      if (!explain) return shared;
      const recorder = recordingDns(dns);
      return { ...createCheckers(recorder.dns), lookups: recorder.lookups };
    },
    isResolverDown: () => isSilent || trust.deniesEverything(),
    close: async () => {
      isClosed = true;
      await prober.close();
      dns.close();
    },
  };
}

function openProber(
  options: EngineOptions,
  timeoutMs: number,
  extraRules: readonly UserRule[],
  knowledge: HostKnowledge,
): Prober {
  // A step times out before the whole probe, so that the verdict can name it. Hosts delay the banner most.
  const limitMs = (defaultMs: number, ratio = 2 / 3) => Math.min(defaultMs, Math.ceil(timeoutMs * ratio));
  return smtpProber({
    ...{ ehloName: options.ehloName ?? null, mailFrom: options.mailFrom ?? null },
    ...{ proxy: options.proxy ?? null, sourceIp: options.sourceIp ?? null },
    timeouts: {
      connectMs: limitMs(8_000),
      bannerMs: limitMs(30_000, 5 / 6),
      stepMs: limitMs(20_000),
      listRcptMs: timeoutMs < defaultTimeoutMs ? limitMs(20_000) : listRcptMs,
      totalMs: timeoutMs,
    },
    ...{ traitsOf: providerTraits, extraRules, knowledge },
    portFinding: options.portMemory ?? null,
    isShared: options.isShared ?? false,
    mailboxSecret: options.mailboxSecret ?? null,
    ...(options.onException && { onException: options.onException }),
    onPortBlocked: () => options.onNote?.('outbound_port_blocked'),
    ...(options.smtpPort !== undefined && { port: options.smtpPort }),
    ...(options.tls !== undefined && { tls: options.tls }),
    permits: options.permits ?? null,
    ...(options.isAlone && { isAlone: options.isAlone }),
    ...(options.concurrency != null && { concurrency: options.concurrency }),
  });
}
