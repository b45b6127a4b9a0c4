import { readDataFile } from '../../disk/bundled-file.js';
import { dataUrl } from '../data-file.js';
import { firstOfParents } from './domain-parents.js';
import { registrableDomain } from './public-suffix.js';

/** How a provider's mail hosts behave, and how much of us they bear. */
export interface ProviderTraits {
  /** Its hosts accept every recipient at RCPT, so accepting one proves nothing. */
  acceptsAll: boolean;
  /** Sessions at a time, over all of the provider's hosts. */
  maxSessions: number;
  maxRcptPerSession: number;
  /** Between two sessions to the provider. */
  minIntervalMs: number;
}

interface ProviderRow extends Partial<ProviderTraits> {
  name: string;
  /** Mail hosts equal to or beneath these names are the provider's. */
  hosts: string[];
  /** Domains whose mailboxes are the provider's own. */
  domains: string[];
  /** Where a trait is known from. */
  note?: string;
}

interface ProviderTable {
  traits: Map<string, ProviderTraits>;
  byHost: Map<string, string>;
  byDomain: Map<string, string>;
}

let table: ProviderTable | undefined;

/** Who runs the mail of a domain: by its mail hosts (preferred first), else by its name, else the first host's registrable name. */
export function providerOf(domain: string, mailHosts: readonly string[]): string | null {
  table ??= loadProviders();
  const { byHost, byDomain } = table;
  for (const host of mailHosts) {
    const name = firstOfParents(host, 2, (part) => byHost.has(part));
    if (name !== null) return byHost.get(name) ?? null;
  }
  const own = byDomain.get(domain);
  if (own !== undefined) return own;
  const first = mailHosts[0];
  return first === undefined || first === '' ? null : (registrableDomain(first) ?? first);
}

/** The provider's traits; null where nothing is known of it. */
export function providerTraits(name: string | null): ProviderTraits | null {
  table ??= loadProviders();
  return (name === null ? undefined : table.traits.get(name)) ?? null;
}

function loadProviders(): ProviderTable {
  const data = JSON.parse(readDataFile(dataUrl('providers.json')).toString('utf8')) as {
    default: ProviderTraits;
    providers: ProviderRow[];
  };
  const traits = new Map<string, ProviderTraits>();
  const byHost = new Map<string, string>();
  const byDomain = new Map<string, string>();
  for (const { name, hosts, domains, note: _, ...own } of data.providers) {
    traits.set(name, { ...data.default, ...own });
    for (const host of hosts) byHost.set(host, name);
    for (const domain of domains) byDomain.set(domain, name);
  }
  return { traits, byHost, byDomain };
}
