import type { Outcome, RecordReason } from '../../model/evidence.js';
import type { Dns } from '../../net/dns/dns.js';

/** What one name of the walk holds. */
type Policy = { record: string; psd: string | undefined } | RecordReason;

/** RFC 9989 §4.10: so many names are asked at most, and a longer one is cut to the labels that are left to ask. */
const maxQueries = 8;

interface DmarcContext {
  dns: Dns;
  /** By the public suffix list: where it tells the organisation's domain, nothing above that is asked. */
  registrableDomain?: (domain: string) => string | null;
}

/** The DMARC record that governs mail of the domain, its own or its organisation's: `passed` with its text. */
export async function checkDmarc(
  domain: string,
  { dns, registrableDomain }: DmarcContext,
  signal?: AbortSignal,
): Promise<Outcome<string, RecordReason>> {
  const own = await policyAt(domain, dns, signal);
  if (typeof own !== 'string') return { state: 'passed', detail: own.record };
  if (own === 'no_answer') return { state: 'unknown', reason: own };

  const walked: Policy[] = [own];
  for (const name of ancestors(domain, registrableDomain)) {
    const policy = await policyAt(name, dns, signal);
    walked.push(policy);
    if (typeof policy !== 'string' && policy.psd !== undefined) break;
  }
  const governing = governingRecord(walked);
  if (governing !== null) return { state: 'passed', detail: governing };
  if (walked.includes('no_answer')) return { state: 'unknown', reason: 'no_answer' };
  return { state: 'failed', reason: own };
}

function ancestors(domain: string, registrableDomain?: (domain: string) => string | null): string[] {
  const labels = domain.split('.');
  const parents = labels.slice(Math.max(1, labels.length - (maxQueries - 1)));
  const names = parents.map((_, index) => parents.slice(index).join('.'));
  if (registrableDomain === undefined) return names;
  return names.slice(0, names.indexOf(registrableDomain(domain) ?? '') + 1);
}

/**
 * RFC 9989 §4.10: the record with `psd=n`, else the one just below `psd=y`, else that of the shortest name. A public suffix's
 * own policy governs where nothing below it has one.
 */
function governingRecord(walked: readonly Policy[]): string | null {
  const top = walked.at(-1);
  const suffix = typeof top === 'object' && top.psd === 'y' ? top : null;
  const below = suffix === null ? null : walked.at(-2);
  if (typeof below === 'object' && below !== null) return below.record;
  return walked.findLast((policy) => typeof policy !== 'string')?.record ?? null;
}

async function policyAt(name: string, dns: Dns, signal?: AbortSignal): Promise<Policy> {
  const answer = await dns.txt(`_dmarc.${name}`, signal);
  if (answer.state === 'failed') return 'no_answer';
  const records = answer.state === 'found' ? answer.records.filter(isDmarc) : [];
  const [record] = records;
  if (record === undefined) return 'absent';
  // RFC 9989 §4.10: several records are as good as none.
  if (records.length > 1) return 'ambiguous';
  const tags = readTags(record);
  if (tags === null || !hasReadablePolicy(tags)) return 'malformed';
  const psd = tags.get('psd')?.toLowerCase();
  return { record, psd: psd === 'y' || psd === 'n' ? psd : undefined };
}

/** RFC 9989 §4.7: the version comes first, and its value is case-sensitive. */
function isDmarc(text: string): boolean {
  return /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(text);
}

function readTags(record: string): Map<string, string> | null {
  const tags = new Map<string, string>();
  for (const part of record.split(';')) {
    if (part.trim() === '') continue;
    const equals = part.indexOf('=');
    const name = part.slice(0, equals).trim();
    if (equals === -1 || !/^[a-z]+$/i.test(name)) return null;
    tags.set(name.toLowerCase(), part.slice(equals + 1).trim());
  }
  return tags;
}

/** RFC 9989 §4.10.1: an unreadable policy counts as `none` where reports are asked for, and voids the record where not. */
function hasReadablePolicy(tags: ReadonlyMap<string, string>): boolean {
  const policy = tags.get('p');
  return policy === undefined || /^(?:none|quarantine|reject)$/i.test(policy) || /mailto:/i.test(tags.get('rua') ?? '');
}
