import { randomBytes } from 'node:crypto';
import type { Dns } from '../../net/dns/dns.js';

/** Whether what the resolver says may count as evidence; looked at for each top-level domain, and again after bad news. */
export interface ResolverTrust {
  /** Whether "there is no such name" may be believed. */
  believesDenial(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Whether an address may be believed to be the name's own. */
  believesAddress(name: string, signal?: AbortSignal): Promise<boolean>;
  /** By its last word it denies a top-level domain that exists. */
  deniesEverything(): boolean;
}

export type DistrustReason = 'resolver_denies_everything' | 'resolver_invents_answers';

interface ResolverTrustOptions {
  dns: Dns;
  /** By the bundled list. */
  isKnownTld: (tld: string) => boolean;
  /** Called once for each reason. */
  onDistrust?: (reason: DistrustReason) => void;
  /** How long to wait for an answer. */
  timeoutMs?: number;
  /** Milliseconds; never jumps. */
  now?: () => number;
}

/** A resolver that denies all denies this, too, and at once. One that stays silent here has answered elsewhere. */
const defaultTimeoutMs = 2_000;
/** A resolver that is down may come back, and one that answered may go: so old is nothing taken for granted. */
const recheckAfterMs = 10_000;

/** Puts the resolver to the test when its word first matters. */
export function resolverTrust(options: ResolverTrustOptions): ResolverTrust {
  const { dns, isKnownTld, onDistrust, timeoutMs, now = () => performance.now() } = options;
  const denied = new Set<string>();
  const said = new Set<DistrustReason>();
  const distrust = (reason: DistrustReason): false => {
    if (!said.has(reason)) onDistrust?.(reason);
    said.add(reason);
    return false;
  };

  const knowsTld = async (tld: string): Promise<boolean> => {
    const answer = await withTimeout((signal) => dns.ns(tld, signal), timeoutMs);
    const denies = answer?.state === 'absent' && answer.why === 'nxdomain';
    if (denies) denied.add(tld);
    else denied.delete(tld);
    return denies ? distrust('resolver_denies_everything') : true;
  };
  const inventsNothing = async (tld: string): Promise<boolean> => {
    const answer = await withTimeout((signal) => dns.addresses(`${randomLabel()}.${tld}`, signal), timeoutMs);
    return answer?.state === 'found' ? distrust('resolver_invents_answers') : true;
  };
  const trustsDenials = cacheUntilBad(knowsTld, now);
  const trustsAddresses = cacheUntilBad(inventsNothing, now);

  return {
    believesDenial: async (name, signal) => {
      signal?.throwIfAborted();
      const tld = topLevel(name);
      // Where our own list does not know the top-level domain either, the two agree.
      return isKnownTld(tld) ? trustsDenials(tld) : true;
    },
    believesAddress: async (name, signal) => {
      signal?.throwIfAborted();
      const tld = topLevel(name);
      return trustsAddresses(isKnownTld(tld) ? tld : 'com');
    },
    deniesEverything: () => denied.size > 0,
  };
}

/**
 * Told of every question about a domain that got no answer, finds out whether the resolver answers at all, and says what it found.
 * One domain may have dead name servers of its own; a top-level domain has not. The name is random, so that no cache knows it.
 */
export function watchResolver(
  dns: Dns,
  onLook: (isSilent: boolean) => void,
  now = () => performance.now(),
): () => Promise<void> {
  let looked: Promise<void> | null = null;
  let lookedAt = 0;
  const look = async (): Promise<void> => {
    const answer = await withTimeout((signal) => dns.ns(`${randomLabel()}.com`, signal));
    onLook(answer === null || answer.state === 'failed');
  };
  return () => {
    if (looked === null || now() - lookedAt >= recheckAfterMs) {
      lookedAt = now();
      looked = look();
    }
    return looked;
  };
}

function topLevel(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Looks once for each top-level domain, and again some time after what it found was bad. */
function cacheUntilBad(look: (tld: string) => Promise<boolean>, now: () => number): (tld: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  const badSince = new Map<string, number>();
  const lookAnew = async (tld: string): Promise<boolean> => {
    const isGood = await look(tld);
    if (!isGood) badSince.set(tld, now());
    return isGood;
  };
  return (tld) => {
    const since = badSince.get(tld);
    const earlier = since !== undefined && now() - since >= recheckAfterMs ? undefined : known.get(tld);
    if (earlier !== undefined) return earlier;
    badSince.delete(tld);
    const looked = lookAnew(tld);
    known.set(tld, looked);
    return looked;
  };
}

/** The question is the run's, not one address's, so it has a deadline of its own and nobody's signal. */
async function withTimeout<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  withinMs = defaultTimeoutMs,
): Promise<T | null> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), withinMs);
  try {
    return await ask(patience.signal);
  } catch (error) {
    if (patience.signal.aborted) return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A name that nobody has registered. */
export function randomLabel(): string {
  return [...randomBytes(20)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
}
