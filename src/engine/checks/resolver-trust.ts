import { randomBytes } from 'node:crypto';
import type { Dns } from '../../net/dns/dns.js';

/** Whether what the resolver says may count as evidence; looked at once for each top-level domain and run. */
export interface ResolverTrust {
  /** Whether "there is no such name" may be believed. */
  believesDenial(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Whether an address may be believed to be the name's own. */
  believesAddress(name: string, signal?: AbortSignal): Promise<boolean>;
}

export type DistrustReason = 'resolver_denies_everything' | 'resolver_invents_answers';

interface ResolverTrustOptions {
  dns: Dns;
  /** By the bundled list. */
  isKnownTld: (tld: string) => boolean;
  /** Called once for each reason. */
  onDistrust?: (reason: DistrustReason) => void;
  /** How long to wait for an answer. */
  patienceMs?: number;
}

/** A resolver that denies all denies this, too, and at once. One that stays silent here has answered elsewhere. */
const usualPatienceMs = 2_000;

/** Puts the resolver to the test when its word first matters. */
export function resolverTrust({ dns, isKnownTld, onDistrust, patienceMs }: ResolverTrustOptions): ResolverTrust {
  const denials = new Map<string, Promise<boolean>>();
  const addresses = new Map<string, Promise<boolean>>();
  const said = new Set<DistrustReason>();
  const distrust = (reason: DistrustReason): false => {
    if (!said.has(reason)) onDistrust?.(reason);
    said.add(reason);
    return false;
  };

  const knowsTld = async (tld: string): Promise<boolean> => {
    const answer = await inTime((signal) => dns.ns(tld, signal), patienceMs);
    return answer?.state === 'absent' && answer.why === 'nxdomain' ? distrust('resolver_denies_everything') : true;
  };
  const inventsNothing = async (tld: string): Promise<boolean> => {
    const answer = await inTime((signal) => dns.addresses(`${randomLabel()}.${tld}`, signal), patienceMs);
    return answer?.state === 'found' ? distrust('resolver_invents_answers') : true;
  };

  return {
    believesDenial: async (name, signal) => {
      signal?.throwIfAborted();
      const tld = topLevel(name);
      // Where our own list does not know the top-level domain either, the two agree.
      return isKnownTld(tld) ? once(denials, tld, knowsTld) : true;
    },
    believesAddress: async (name, signal) => {
      signal?.throwIfAborted();
      const tld = topLevel(name);
      return once(addresses, isKnownTld(tld) ? tld : 'com', inventsNothing);
    },
  };
}

/**
 * Told of every question about a domain that got no answer, finds out once a run whether the resolver answers at all, and says so
 * where it does not. One domain may have dead name servers of its own; a top-level domain has not.
 */
export function resolverSilence(dns: Dns, onSilence: () => void): () => Promise<void> {
  let looked: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    const answer = await inTime((signal) => dns.ns('com', signal));
    if (answer === null || answer.state === 'failed') onSilence();
  };
  return () => {
    looked ??= look();
    return looked;
  };
}

function topLevel(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function once(known: Map<string, Promise<boolean>>, tld: string, look: (tld: string) => Promise<boolean>) {
  const looked = known.get(tld) ?? look(tld);
  known.set(tld, looked);
  return looked;
}

/** The question is the run's, not one address's, so it has a deadline of its own and nobody's signal. */
async function inTime<T>(ask: (signal: AbortSignal) => Promise<T>, withinMs = usualPatienceMs): Promise<T | null> {
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
