import { readDataFile } from '../../disk/bundled-file.js';
import type { SubStatus } from '../../model/verdict.js';
import { dataPath } from '../data-file.js';
import { findParentDomain } from './domain-parents.js';
import { registrableDomain } from './public-suffix.js';

/** How a provider's mail servers behave, and how much of us they bear. */
interface ProviderTraits {
  /** Its hosts accept every recipient at RCPT, so accepting one proves nothing. */
  acceptsAll: boolean;
  /** Sessions at a time, over all of the provider's hosts. */
  maxSessions: number;
  maxRcptPerSession: number;
  /** Between two sessions to the provider. */
  minIntervalMs: number;
}

/** Something known of a provider's answers, with where it was read and when. */
export interface ProviderFact {
  about: 'limits' | 'second_rcpt' | 'accepts_all' | 'words' | 'believe';
  says: string;
  source: string;
  /** ISO 8601, when it was read there. */
  date: string;
  /** How often, by that source, a verdict is right that rests on such an answer: 0..1. */
  believe?: { verdict: SubStatus; share: number };
}

/** All that is known of a provider. */
interface ProviderDescription {
  name: string;
  traits: ProviderTraits;
  facts: readonly ProviderFact[];
  /** Domains whose mailboxes are its own. */
  domains: readonly string[];
}

interface ProviderRow extends Partial<ProviderTraits> {
  name: string;
  /** Mail servers equal to or beneath these names are the provider's. */
  hosts: string[];
  /** Domains whose mailboxes are the provider's own. */
  domains: string[];
  /** Where a trait is known from. */
  note?: string;
  facts?: ProviderFact[];
}

interface ProviderTable {
  descriptions: Map<string, ProviderDescription>;
  byHost: Map<string, string>;
  byDomain: Map<string, string>;
}

let table: ProviderTable | undefined;

/** Who runs the mail of a domain: by its mail servers (preferred first), else by its name, else the first host's registrable name. */
export function providerOf(domain: string, mailHosts: readonly string[]): string | null {
  table ??= loadProviders();
  const { byHost, byDomain } = table;
  for (const host of mailHosts) {
    const name = findParentDomain(host, 2, (part) => byHost.has(part));
    if (name !== null) return byHost.get(name) ?? null;
  }
  const own = byDomain.get(domain);
  if (own !== undefined) return own;
  const first = mailHosts[0];
  // An address in brackets (RFC 5321, section 4.1.3) belongs to nobody by name.
  return first === undefined || first === '' || first.startsWith('[') ? null : (registrableDomain(first) ?? first);
}

/** The provider's traits; null where nothing is known of it. */
export function providerTraits(name: string | null): ProviderTraits | null {
  table ??= loadProviders();
  return (name === null ? undefined : table.descriptions.get(name)?.traits) ?? null;
}

/** How often a verdict that rests on the provider's answer is right, where that is known of it; else null. */
export function providerBelief(name: string | null, verdict: SubStatus): number | null {
  if (name === null) return null;
  table ??= loadProviders();
  const facts = table.descriptions.get(name)?.facts ?? [];
  return facts.find(({ believe }) => believe?.verdict === verdict)?.believe?.share ?? null;
}

/** The provider of that name, or with a domain of that name (`gmail`, `gmail.com`); null where there is none. */
export function describeProvider(asked: string): ProviderDescription | null {
  table ??= loadProviders();
  const wanted = asked.trim().toLowerCase();
  const all = [...table.descriptions.values()];
  const byName = all.find(({ name }) => name.toLowerCase() === wanted);
  const named =
    byName ?? all.find(({ domains }) => domains.some((each) => each === wanted || each.startsWith(`${wanted}.`)));
  return wanted === '' ? null : (named ?? null);
}

function loadProviders(): ProviderTable {
  const data = JSON.parse(readDataFile(dataPath('providers.json')).toString('utf8')) as {
    default: ProviderTraits;
    providers: ProviderRow[];
  };
  const descriptions = new Map<string, ProviderDescription>();
  const byHost = new Map<string, string>();
  const byDomain = new Map<string, string>();
  for (const { name, hosts, domains, note: _, facts = [], ...own } of data.providers) {
    descriptions.set(name, { name, traits: { ...data.default, ...own }, facts, domains });
    for (const host of hosts) byHost.set(host, name);
    for (const domain of domains) byDomain.set(domain, name);
  }
  return { descriptions, byHost, byDomain };
}
