import { registrableDomain } from './public-suffix.js';
import type { SortedLines } from './sorted-lines.js';

/** The domain, or its registrable domain if that is listed as a whole. A listed host between the two says nothing about other hosts. */
export function listedName(lines: SortedLines, domain: string): string | null {
  if (lines.has(domain)) return domain;
  const registrable = registrableDomain(domain);
  return registrable !== null && lines.has(registrable) ? registrable : null;
}
