import { randomBytes } from 'node:crypto';
import { type Caller, localCallerWith } from '../../async/caller.js';
import { systemClock } from '../../async/clock.js';
import type { Dns } from '../../net/dns/dns.js';
import { HostKnowledge } from '../../net/host-knowledge.js';

/** Whether the resolver's answers count as evidence. Tested per top-level domain, and again after a while. */
export interface ResolverTrust {
  /** Whether NXDOMAIN can be trusted. */
  believesDenial(name: string, caller?: Caller): Promise<boolean>;
  /** Whether an address can be trusted to belong to the name. */
  believesAddress(name: string, caller?: Caller): Promise<boolean>;
  /** Whether it denied an existing top-level domain when last tested. */
  deniesEverything(): boolean;
}

export type DistrustReason = 'resolver_denies_everything' | 'resolver_invents_answers';

interface ResolverTrustOptions {
  dns: Dns;
  isKnownTld: (tld: string) => boolean;
  /** Called once per reason. */
  onDistrust?: (reason: DistrustReason) => void;
  timeoutMs?: number;
  knowledge?: HostKnowledge;
}

const defaultTimeoutMs = 2_000;
const recheckAfterMs = 10_000;

/** Tests the resolver when an answer first depends on it. */
export function resolverTrust(options: ResolverTrustOptions): ResolverTrust {
  const { dns, isKnownTld, onDistrust, timeoutMs, knowledge = new HostKnowledge(systemClock) } = options;
  const trustFacts = knowledge.open<boolean>('resolver_trust');
  const deniedTlds = new Set<string>();
  const reported = new Set<DistrustReason>();
  const distrust = (reason: DistrustReason): false => {
    if (!reported.has(reason)) onDistrust?.(reason);
    reported.add(reason);
    return false;
  };

  const knowsTld = async (tld: string): Promise<boolean> => {
    const answer = await withTimeout((caller) => dns.ns(tld, caller), timeoutMs);
    const denies = answer?.state === 'absent' && answer.why === 'nxdomain';
    if (denies) deniedTlds.add(tld);
    else deniedTlds.delete(tld);
    return denies ? distrust('resolver_denies_everything') : true;
  };
  const inventsNothing = async (tld: string): Promise<boolean> => {
    const answer = await withTimeout((caller) => dns.addresses(`${randomLabel()}.${tld}`, caller), timeoutMs);
    return answer?.state === 'found' ? distrust('resolver_invents_answers') : true;
  };
  const isSettled = (isGood: boolean): boolean => isGood;
  const trustsDenials = (tld: string) => trustFacts.getOrLearn(`denial ${tld}`, () => knowsTld(tld), { isSettled });
  const trustsAddresses = (tld: string) =>
    trustFacts.getOrLearn(`address ${tld}`, () => inventsNothing(tld), { isSettled });

  return {
    believesDenial: async (name, caller) => {
      caller?.signal?.throwIfAborted();
      const tld = topLevel(name);
      // The top-level domain is not in the bundled list either.
      return isKnownTld(tld) ? trustsDenials(tld) : true;
    },
    believesAddress: async (name, caller) => {
      caller?.signal?.throwIfAborted();
      const tld = topLevel(name);
      return trustsAddresses(isKnownTld(tld) ? tld : 'com');
    },
    deniesEverything: () => deniedTlds.size > 0,
  };
}

/**
 * After an unanswered query, tests whether the resolver answers at all. It queries a random name below .com, which is in no
 * cache, and whose name servers work.
 */
export function watchResolver(
  dns: Dns,
  onResult: (isSilent: boolean) => void,
  now = () => performance.now(),
): () => Promise<void> {
  let testing: Promise<void> | null = null;
  let testedAt = 0;
  const runTest = async (): Promise<void> => {
    const answer = await withTimeout((caller) => dns.ns(`${randomLabel()}.com`, caller));
    onResult(answer === null || answer.state === 'failed');
  };
  return () => {
    if (testing === null || now() - testedAt >= recheckAfterMs) {
      testedAt = now();
      testing = runTest();
    }
    return testing;
  };
}

function topLevel(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** The test serves the whole run, so it has its own timeout and no caller's signal. */
async function withTimeout<T>(ask: (caller: Caller) => Promise<T>, timeoutMs = defaultTimeoutMs): Promise<T | null> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    return await ask(localCallerWith(controller.signal));
  } catch (error) {
    if (controller.signal.aborted) return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A label that is not registered. */
export function randomLabel(): string {
  return [...randomBytes(20)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
}
