import type { Address } from '../../model/address.js';

/** How a provider maps addresses to mailboxes, and where it says so. */
interface ProviderRule {
  provider: string;
  domains: RegExp;
  /** Dots of the local part do not matter. */
  ignoresDots?: true;
  /** The domain that all of `domains` stand for. */
  domain?: string;
  source: string;
}

/** The provider has no page about it. */
const observed = 'https://en.wikipedia.org/wiki/Email_address#Sub-addressing';

/** Providers that deliver `name+tag` to the mailbox `name`. */
export const providerRules: readonly ProviderRule[] = [
  {
    provider: 'Gmail',
    domains: /^(?:gmail|googlemail)\.com$/,
    ignoresDots: true,
    domain: 'gmail.com',
    source: 'https://support.google.com/mail/answer/7436150',
  },
  {
    provider: 'Outlook.com',
    domains: /^(?:(?:outlook|hotmail|live)\.[a-z.]+|msn\.com)$/,
    source: 'https://learn.microsoft.com/exchange/recipients-in-exchange-online/plus-addressing-in-exchange-online',
  },
  { provider: 'iCloud Mail', domains: /^(?:icloud|me|mac)\.com$/, source: observed },
  {
    provider: 'Fastmail',
    domains: /^fastmail\.(?:com|fm)$/,
    source: 'https://www.fastmail.help/hc/articles/360060591053',
  },
  {
    provider: 'Proton Mail',
    domains: /^(?:proton(?:mail)?\.(?:com|me|ch)|pm\.me)$/,
    source: 'https://proton.me/support/addresses-and-aliases',
  },
  { provider: 'Yandex', domains: /^yandex\.[a-z.]+$/, source: observed },
  { provider: 'Zoho', domains: /^zoho\.[a-z.]+$/, source: observed },
];

/** Equal for addresses that lead to one mailbox by the rules of its provider. */
export function providerCanonical({ canonical, domain }: Pick<Address, 'canonical' | 'domain'>): string {
  const rule = providerRules.find(({ domains }) => domains.test(domain));
  if (rule === undefined) return canonical;
  const name = canonical.slice(0, canonical.lastIndexOf('@')).replace(/(?<=.)\+.*/, '');
  return `${rule.ignoresDots ? name.replaceAll('.', '') : name}@${rule.domain ?? domain}`;
}
