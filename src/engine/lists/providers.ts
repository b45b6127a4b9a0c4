import { readDataFile } from '../../disk/bundled-file.js';
import type { SubStatus } from '../../model/verdict.js';
import type { HostTraits } from '../../net/pool/host-traits.js';
import type { ProviderReplyRule } from '../../net/replies/reading.js';
import { dataPath } from '../data-file.js';
import { findParentDomain } from './domain-parents.js';
import { registrableDomain } from './public-suffix.js';

/** A fact about a provider's replies; its statement and its source are for readers of the file. */
interface ProviderFact {
  /** How often a verdict based on such a reply is right, 0..1. */
  reliability?: { verdict: SubStatus; share: number };
  /** The reply that it is about, for the reader of replies. */
  reply?: ProviderReplyRule;
}

interface ProviderRow extends Partial<Omit<HostTraits, 'replyRules'>> {
  name: string;
  /** Names of its mail servers, or their parents. */
  hosts: string[];
  /** Domains of its mailboxes. */
  domains: string[];
  /** Source of a trait. */
  note?: string;
  facts?: ProviderFact[];
}

interface ProviderTable {
  byName: Map<string, { traits: Partial<HostTraits>; facts: readonly ProviderFact[] }>;
  byHost: Map<string, string>;
  byDomain: Map<string, string>;
}

let table: ProviderTable | undefined;

/** The provider of a domain: by its mail servers, by its name, or the registrable domain of the first host. */
export function providerOf(domain: string, mailHosts: readonly string[]): string | null {
  table ??= loadProviders();
  const { byHost, byDomain } = table;
  for (const host of mailHosts) {
    const name = findParentDomain(host, 2, (part) => byHost.has(part));
    if (name !== null) return byHost.get(name) ?? null;
  }
  const provider = byDomain.get(domain);
  if (provider !== undefined) return provider;
  const first = mailHosts[0];
  // A domain literal (RFC 5321 §4.1.3) has no provider name.
  return first === undefined || first === '' || first.startsWith('[') ? null : (registrableDomain(first) ?? first);
}

/** The limits and habits of a provider's hosts; null if it is unknown. */
export function providerTraits(name: string | null): Partial<HostTraits> | null {
  table ??= loadProviders();
  return (name === null ? undefined : table.byName.get(name)?.traits) ?? null;
}

/** How often a verdict based on the provider's reply is right; null if that is not known. */
export function providerReliability(name: string | null, verdict: SubStatus): number | null {
  if (name === null) return null;
  table ??= loadProviders();
  const facts = table.byName.get(name)?.facts ?? [];
  return facts.find(({ reliability }) => reliability?.verdict === verdict)?.reliability?.share ?? null;
}

function loadProviders(): ProviderTable {
  const data = JSON.parse(readDataFile(dataPath('providers.json')).toString('utf8')) as {
    providers: ProviderRow[];
  };
  const byName: ProviderTable['byName'] = new Map();
  const byHost = new Map<string, string>();
  const byDomain = new Map<string, string>();
  for (const { name, hosts, domains, note: _, facts = [], ...traits } of data.providers) {
    const replyRules = facts.flatMap(({ reply }) => (reply === undefined ? [] : [reply]));
    byName.set(name, { traits: { ...traits, replyRules }, facts });
    for (const host of hosts) byHost.set(host, name);
    for (const domain of domains) byDomain.set(domain, name);
  }
  return { byName, byHost, byDomain };
}
