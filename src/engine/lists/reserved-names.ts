import { findParentDomain } from './domain-parents.js';

/** IANA's special-use domain names (RFC 6761). `internal` is reserved by ICANN (July 2024). */
const specialUse = /^(?:alt|arpa|example(?:\.(?:com|net|org))?|internal|invalid|local|localhost|onion|test)$/;

/** The special-use name that covers the domain, or null. */
export function reservedName(domain: string): string | null {
  return findParentDomain(domain, 1, (name) => specialUse.test(name));
}
