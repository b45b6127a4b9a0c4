import type { SyntaxFault } from '../../model/address.js';
import { isIpv4 } from '../../net/ip-address.js';
import { isKnownTld } from '../lists/top-level-domains.js';
import { isAscii } from './characters.js';
import { spellIpv6 } from './domain-literal.js';
import { unicodePattern } from './unicode-pattern.js';

const invisible = unicodePattern(String.raw`[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]`, 'gu');

/** Providers often written without their only top-level domain. */
const dotComProviders = new Set(['gmail', 'googlemail', 'hotmail', 'outlook', 'icloud', 'aol', 'yahoo', 'protonmail']);

/** Possible corrections, the most likely first. They need not be valid addresses. */
export function repairCandidates(text: string, fault: SyntaxFault): string[] {
  const { code, position } = fault;
  const atSign = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(atSign, 0));
  const domain = text.slice(atSign + 1);
  switch (code) {
    case 'missing_at':
      return text.includes('%40') ? [text.replace('%40', '@')] : [];
    case 'local_empty':
      return [text.slice(1)];
    case 'multiple_at':
      return withoutSurplusAt(text, position);
    case 'contains_space':
      return withoutSpaces(local, domain);
    case 'invisible_character':
    case 'control_character':
      // A tab between words separates cells.
      return /\w\t\w/.test(text) ? [] : [text.replace(invisible(), '')];
    case 'obsolete_form':
      return withoutPartialQuotes(text, position);
    case 'local_leading_dot':
    case 'local_trailing_dot':
    case 'local_double_dot':
      return [`${tidyDots(local)}@${domain}`];
    case 'domain_leading_dot':
    case 'domain_trailing_dot':
    case 'domain_double_dot':
      return [`${local}@${tidyDomain(domain)}`];
    case 'domain_comma':
      return orDomainAlone([`${local}@${tidyDomain(domain.replaceAll(',', '.'))}`], local, domain);
    case 'domain_single_label':
      return dotComProviders.has(domain.toLowerCase()) ? [`${local}@${domain}.com`] : [];
    case 'domain_port_or_path':
      return [text.slice(0, position)];
    case 'domain_bad_character':
      return withoutEnding(text, position, local, domain);
    case 'domain_numeric_tld':
      return isIpv4(domain) ? [`${local}@[${domain}]`] : [];
    case 'literal_unknown_tag':
    case 'literal_bad_ipv6':
      return canonicalIpv6(local, domain.slice(code === 'literal_bad_ipv6' ? 6 : 1, -1));
    case 'literal_unclosed':
      return [`${text}]`];
    default:
      return [];
  }
}

/** An @ that is doubled or at the end is a mistake; of two others, either may be meant. */
function withoutSurplusAt(text: string, position: number): string[] {
  const isSurplus = text.charAt(position - 1) === '@' || position === text.length - 1;
  return isSurplus ? [text.slice(0, position) + text.slice(position + 1)] : [];
}

/** A space next to the @ or a dot is a mistake; one between words of the local part is ambiguous. */
function withoutSpaces(local: string, domain: string): string[] {
  const localWords = local.trim().split(/\s+/);
  const separateWords = localWords.filter(
    (part, index) => index > 0 && !part.startsWith('.') && !localWords[index - 1]?.endsWith('.'),
  );
  if (separateWords.length > 0) return [];
  const words = domain.trim().split(/\s+/);
  const joined = [`${localWords.join('')}@${words.join('')}`, `${localWords.join('')}@${words.join('.')}`];
  return orDomainAlone(joined, localWords.join(''), domain);
}

/** The joined candidates with a known top-level domain, or the domain without what follows it (`x.org Ada`). */
function orDomainAlone(joined: string[], local: string, domain: string): string[] {
  const withKnownTld = joined.filter(endsInTld);
  if (withKnownTld.length > 0) return withKnownTld;
  const [hostName = ''] = domain.trim().split(/[\s,;]+/, 1);
  return endsInTld(hostName) ? [`${local}@${hostName}`] : joined;
}

function endsInTld(name: string): boolean {
  const dot = name.lastIndexOf('.');
  return dot > 0 && isKnownTld(name.slice(dot + 1).toLowerCase());
}

function canonicalIpv6(local: string, text: string): string[] {
  const ip = spellIpv6(text);
  return ip === null ? [] : [`${local}@[IPv6:${ip}]`];
}

/** `"john".doe@…` and `john\@doe@…` as one quoted string; parsing drops unnecessary quotes. */
function withoutPartialQuotes(text: string, position: number): string[] {
  const atSign = lastPlainAt(text);
  const isWithinWord = text.charAt(position) === '"' && text.charAt(position - 1) !== '.';
  if (atSign < 0 || isWithinWord) return [];
  let content = '';
  for (let i = 0; i < atSign; i++) {
    const character = text.charAt(i);
    if (character === '"') continue;
    content += character === '\\' ? `\\${text.charAt(++i)}` : character;
  }
  return [`"${content}"${text.slice(atSign)}`];
}

function lastPlainAt(text: string): number {
  const atSign = text.lastIndexOf('@');
  return text.charAt(atSign - 1) === '\\' ? -1 : atSign;
}

/** Removes leading, trailing and repeated dots. */
function tidyDots(text: string): string {
  return text
    .split('.')
    .filter((label) => label !== '')
    .join('.');
}

/** Like `tidyDots`, for a domain, which may have ideographic dots. */
function tidyDomain(domain: string): string {
  return tidyDots(isAscii(domain) ? domain : domain.replace(/[\u3002\uff0e\uff61]/g, '.'));
}

/** Removes punctuation after the address, or joins a domain that has semicolons for dots. */
function withoutEnding(text: string, position: number, local: string, domain: string): string[] {
  const ending = text.slice(position);
  const isPunctuation = /^[;!'"*`|\\\]}\u2019\u201d\u3001\u3002\uff0c\uff1b]+$/.test(ending);
  if (isPunctuation) return [text.slice(0, position)];
  return domain.includes(';') ? orDomainAlone([`${local}@${domain.replaceAll(';', '.')}`], local, domain) : [];
}
