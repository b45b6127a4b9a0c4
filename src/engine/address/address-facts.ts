import type { Address } from '../../model/address.js';
import { readFree } from '../data-text.js';
import { parseAddress } from '../grammar/parse-address.js';
import { reservedName } from '../lists/reserved-names.js';
import { isPossibleRole, roleOf } from '../lists/roles.js';
import { openSortedLines, type SortedLines } from '../lists/sorted-lines.js';
import { intendedDomain } from '../lists/typo.js';
import { providerCanonical } from './canonical.js';

/** The address that was probably meant, for a typing error in the text or in the name of a provider; otherwise null. */
export function suggest(email: string): string | null {
  const parsed = parseAddress(email);
  if (parsed.ok) return correctProvider(parsed.address);
  const { suggestion } = parsed.fault;
  return suggestion === null ? null : (suggest(suggestion) ?? suggestion);
}

/** Whether the mailbox belongs to a function, such as `info` or `noreply`, and not to a person. */
export function isRole(email: string): boolean {
  const parsed = parseAddress(email);
  const role = parsed.ok ? roleOf(parsed.address.localPart, parsed.address.tag) : null;
  return role !== null && !isPossibleRole(role);
}

/** Whether the domain belongs to a public mailbox provider such as gmail.com. */
export function isFree(email: string): boolean {
  const parsed = parseAddress(email);
  return parsed.ok && isFreeDomain(parsed.address.domain);
}

/** A text that is equal for two spellings of one mailbox, with `provider` also by the provider's rules; null if it is not an address. */
export function canonical(email: string, options: { provider?: boolean } = {}): string | null {
  const parsed = parseAddress(email);
  if (!parsed.ok) return null;
  return options.provider === true ? providerCanonical(parsed.address) : parsed.address.canonical;
}

function correctProvider({ localPart, domain, literal }: Address): string | null {
  if (literal !== null || reservedName(domain) !== null || isFreeDomain(domain)) return null;
  const intended = intendedDomain(domain);
  return intended === null ? null : `${localPart}@${intended}`;
}

let freeDomains: SortedLines | undefined;

function isFreeDomain(domain: string): boolean {
  freeDomains ??= openSortedLines(readFree);
  return freeDomains.has(domain);
}
