import { readDataFile } from '../../disk/bundled-file.js';
import type { SubStatus } from '../../model/verdict.js';
import type { ProviderReplyRule } from '../../net/replies/reading.js';
import { dataPath } from '../data-file.js';
import { findParentDomain } from './domain-parents.js';
import { registrableDomain } from './public-suffix.js';

/** The behavior and limits of a provider's mail servers. */
interface ProviderTraits {
  /** True if every recipient is accepted at RCPT, which proves nothing. */
  acceptsAll: boolean;
  /** Concurrent sessions over all of the provider's hosts. */
  maxSessions: number;
  maxRcptPerSession: number;
  /** Minimum time between the starts of two sessions. */
  minIntervalMs: number;
  /** What certain replies of this provider mean. */
  replyRules: readonly ProviderReplyRule[];
}

/** A fact about a provider's replies, with its source. */
interface ProviderFact {
  about: 'limits' | 'second_rcpt' | 'accepts_all' | 'words' | 'reliability';
  statement: string;
  source: string;
  /** When the source was read, ISO 8601. */
  date: string;
  /** How often a verdict based on such a reply is right, 0..1. */
  reliability?: { verdict: SubStatus; share: number };
  /** The reply that it is about, for the reader of replies. */
  reply?: ProviderReplyRule;
}

/** A provider as a user reads of it. */
export interface ProviderDescription {
  name: string;
  traits: ProviderTraits;
  facts: readonly ProviderFact[];
  domains: readonly string[];
}

interface ProviderRow extends Partial<Omit<ProviderTraits, 'replyRules'>> {
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
  descriptions: Map<string, ProviderDescription>;
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

/** The provider's traits; null if it is unknown. */
export function providerTraits(name: string | null): ProviderTraits | null {
  table ??= loadProviders();
  return (name === null ? undefined : table.descriptions.get(name)?.traits) ?? null;
}

/** How often a verdict based on the provider's reply is right; null if that is not known. */
export function providerReliability(name: string | null, verdict: SubStatus): number | null {
  if (name === null) return null;
  table ??= loadProviders();
  const facts = table.descriptions.get(name)?.facts ?? [];
  return facts.find(({ reliability }) => reliability?.verdict === verdict)?.reliability?.share ?? null;
}

/** The provider with this name or domain (`gmail`, `gmail.com`), or null. */
export function describeProvider(query: string): ProviderDescription | null {
  table ??= loadProviders();
  const normalized = query.trim().toLowerCase();
  const all = [...table.descriptions.values()];
  const byName = all.find(({ name }) => name.toLowerCase() === normalized);
  const byDomain =
    byName ??
    all.find(({ domains }) => domains.some((each) => each === normalized || each.startsWith(`${normalized}.`)));
  return normalized === '' ? null : (byDomain ?? null);
}

/** Words that `describeProvider` knows, without spaces: names (`google`) and first labels of domains (`gmail`). */
export function providerWords(): string[] {
  table ??= loadProviders();
  const words = [...table.descriptions.values()].flatMap(({ name, domains }) => [
    name.toLowerCase(),
    ...domains.map((domain) => domain.slice(0, domain.indexOf('.'))),
  ]);
  return [...new Set(words)].filter((word) => /^[a-z][\w.-]+$/.test(word)).sort();
}

function loadProviders(): ProviderTable {
  const data = JSON.parse(readDataFile(dataPath('providers.json')).toString('utf8')) as {
    default: Omit<ProviderTraits, 'replyRules'>;
    providers: ProviderRow[];
  };
  const descriptions = new Map<string, ProviderDescription>();
  const byHost = new Map<string, string>();
  const byDomain = new Map<string, string>();
  for (const { name, hosts, domains, note: _, facts = [], ...traits } of data.providers) {
    const replyRules = facts.flatMap(({ reply }) => (reply === undefined ? [] : [reply]));
    descriptions.set(name, { name, traits: { ...data.default, ...traits, replyRules }, facts, domains });
    for (const host of hosts) byHost.set(host, name);
    for (const domain of domains) byDomain.set(domain, name);
  }
  return { descriptions, byHost, byDomain };
}
