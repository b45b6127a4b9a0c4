import { findParentDomain } from './domain-parents.js';

/**
 * IANA's special-use domain names (RFC 6761 and its registry). `arpa` stands for all of its entries there;
 * `internal` was set apart for private use by ICANN's board in July 2024 and will never be delegated.
 */
const specialUse = new Set([
  'alt',
  'arpa',
  'example',
  'example.com',
  'example.net',
  'example.org',
  'internal',
  'invalid',
  'local',
  'localhost',
  'onion',
  'test',
]);

/** The special-use name that the domain is or lies under, or null. */
export function reservedName(domain: string): string | null {
  return findParentDomain(domain, 1, (name) => specialUse.has(name));
}
