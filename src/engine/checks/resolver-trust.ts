import { randomBytes } from 'node:crypto';
import { abortable } from '../../async/abortable.js';
import { type Caller, localCaller, localCallerWith } from '../../async/caller.js';
import { systemClock } from '../../async/clock.js';
import type { Dns } from '../../net/dns/dns.js';
import { HostKnowledge } from '../../net/host-knowledge.js';

export type DistrustReason = 'resolver_denies_everything' | 'resolver_invents_answers';

/** Why an answer of the resolver is no evidence; null if it is. */
type Doubt = DistrustReason | 'resolver_not_confirmed' | null;

/** Whether the resolver's answers count as evidence. Tested per top-level domain, and again after a while. */
export interface ResolverTrust {
  /** A denial counts if its resolver knows the name servers of the top-level domain. */
  doubtDenial(name: string, caller?: Caller, by?: number): Promise<Doubt>;
  /** An address counts if the resolver denies a random name. */
  doubtAddress(name: string, caller?: Caller): Promise<Doubt>;
  /** Whether it denied an existing top-level domain when last tested. */
  deniesEverything(): boolean;
}

interface ResolverTrustOptions {
  dns: Pick<Dns, 'ns' | 'addresses'>;
  isKnownTld: (tld: string) => boolean;
  /** Called once per reason. */
  onDistrust?: (reason: DistrustReason) => void;
  knowledge?: HostKnowledge;
}

const testTimeoutMs = 2_000;
const recheckAfterMs = 10_000;

/** Tests the resolver when an answer first depends on it. A test without an answer proves nothing. */
export function resolverTrust(options: ResolverTrustOptions): ResolverTrust {
  const { dns, isKnownTld, onDistrust, knowledge = new HostKnowledge(systemClock) } = options;
  const doubts = knowledge.open<Doubt>('resolver_trust');
  const reported = new Set<DistrustReason>();
  let deniesEverything = false;
  const distrust = (reason: DistrustReason): Doubt => {
    deniesEverything ||= reason === 'resolver_denies_everything';
    if (!reported.has(reason)) onDistrust?.(reason);
    reported.add(reason);
    return reason;
  };
  // The test serves the whole run, so no caller's signal ends it.
  const learn = (key: string, test: () => Promise<Doubt>) =>
    doubts.getOrLearn(key, test, { isSettled: (doubt) => doubt === null });

  const testDenial = async (tld: string, by?: number): Promise<Doubt> => {
    const answer = await dns.ns(tld, localCaller, by);
    if (answer.state === 'failed') return 'resolver_not_confirmed';
    // The top-level domain may not exist, or no longer. This one does.
    if (answer.state === 'absent' && answer.why === 'nxdomain' && tld !== 'com') return doubtDenialUnder('com', by);
    if (answer.state === 'absent') return distrust('resolver_denies_everything');
    deniesEverything = false;
    return null;
  };
  const testAddress = async (tld: string): Promise<Doubt> => {
    const answer = await dns.addresses(`${randomLabel()}.${tld}`, localCaller);
    if (answer.state === 'failed') return 'resolver_not_confirmed';
    return answer.state === 'found' ? distrust('resolver_invents_answers') : null;
  };
  const doubtDenialUnder = (tld: string, by?: number) => learn(`denial ${by} ${tld}`, () => testDenial(tld, by));

  return {
    doubtDenial: async (name, caller, by) => {
      caller?.signal?.throwIfAborted();
      return abortable(doubtDenialUnder(topLevel(name), by), caller?.signal);
    },
    doubtAddress: async (name, caller) => {
      caller?.signal?.throwIfAborted();
      const tld = isKnownTld(topLevel(name)) ? topLevel(name) : 'com';
      return abortable(
        learn(`address ${tld}`, () => testAddress(tld)),
        caller?.signal,
      );
    },
    deniesEverything: () => deniesEverything,
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
    const signal = AbortSignal.timeout(testTimeoutMs);
    const answer = await dns.ns(`${randomLabel()}.com`, localCallerWith(signal)).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
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

/** A label that is not registered. */
export function randomLabel(): string {
  return [...randomBytes(20)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
}
