import { readPublicSuffixes } from '../data-text.js';
import { openSortedLines, type SortedLines } from './sorted-lines.js';

const rules = openSortedLines(readPublicSuffixes);

/** The public suffix of a domain in A-labels, by the ICANN and private sections of the list (RFC 7489 §3.2). */
export function publicSuffix(domain: string): string {
  // publicsuffix.org, "Algorithm": an exception rule wins, then the longest; the default rule is `*`.
  for (let name = domain; ; ) {
    const dot = name.indexOf('.');
    if (dot === -1) return name;
    const parent = name.slice(dot + 1);
    if (rules.has(name, '!')) return parent;
    if (rules.has(name) || rules.has(parent, '*.')) return name;
    name = parent;
  }
}

/** The public suffix and one more label; null for a suffix and for a single label. */
export function registrableDomain(domain: string): string | null {
  const suffix = publicSuffix(domain);
  if (suffix.length === domain.length) return null;
  const dotIndex = domain.lastIndexOf('.', domain.length - suffix.length - 2);
  return domain.slice(dotIndex + 1);
}

/** The domain, or its registrable domain if that is listed as a whole. A listed host between the two says nothing about other hosts. */
export function listedName(lines: SortedLines, domain: string): string | null {
  if (lines.has(domain)) return domain;
  const registrable = registrableDomain(domain);
  return registrable !== null && registrable !== domain && lines.has(registrable) ? registrable : null;
}
