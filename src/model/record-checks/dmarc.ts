import {
  type RecordCheck,
  type RecordLookup,
  type RecordOutcome,
  type RecordReason,
  singleRecord,
} from './record-check.js';

/** Whether a DMARC policy governs mail of the domain (RFC 9989). */
export const dmarc = {
  name: 'dmarc',
  label: 'DMARC',
  field: 'has_dmarc',
  description: 'A DMARC policy (RFC 9989) governs the domain: its own, or that of its organization.',
  noAnswer: { reason: 'dmarc_no_answer', sentence: 'The DMARC lookup got no answer.' },
  check: checkDmarc,
} as const satisfies RecordCheck;

/** The record at one name of the tree walk, or why there is none. */
type Policy = { record: string; psd: string | undefined } | RecordReason;

/** RFC 9989 §4.10: the tree walk makes at most eight queries; a longer name is shortened first. */
const maxQueries = 8;

async function checkDmarc(domain: string, { txt, registrableDomain }: RecordLookup): Promise<RecordOutcome> {
  const ownPolicy = await policyAt(domain, txt);
  if (typeof ownPolicy !== 'string') return { state: 'passed', detail: ownPolicy.record };
  if (ownPolicy === 'no_answer') return { state: 'unknown', reason: ownPolicy };

  const policies: Policy[] = [ownPolicy];
  for (const name of ancestors(domain, registrableDomain)) {
    const policy = await policyAt(name, txt);
    policies.push(policy);
    if (typeof policy !== 'string' && policy.psd !== undefined) break;
  }
  const governingPolicy = governingRecord(policies);
  if (governingPolicy !== null) return { state: 'passed', detail: governingPolicy };
  if (policies.includes('no_answer')) return { state: 'unknown', reason: 'no_answer' };
  return { state: 'failed', reason: ownPolicy };
}

/** The parent names to ask, up to the registrable domain if that is known. */
function ancestors(domain: string, registrableDomain?: RecordLookup['registrableDomain']): string[] {
  const labels = domain.split('.');
  const parents = labels.slice(Math.max(1, labels.length - (maxQueries - 1)));
  const names = parents.map((_, index) => parents.slice(index).join('.'));
  if (registrableDomain === undefined) return names;
  return names.slice(0, names.indexOf(registrableDomain(domain) ?? '') + 1);
}

/**
 * RFC 9989 §4.10: the record with `psd=n`, else the one just below `psd=y`, else that of the shortest name. The policy of a
 * public suffix governs if nothing below it has one.
 */
function governingRecord(policies: readonly Policy[]): string | null {
  const top = policies.at(-1);
  const suffix = typeof top === 'object' && top.psd === 'y' ? top : null;
  const below = suffix === null ? null : policies.at(-2);
  if (typeof below === 'object' && below !== null) return below.record;
  return policies.findLast((policy) => typeof policy !== 'string')?.record ?? null;
}

async function policyAt(name: string, txt: RecordLookup['txt']): Promise<Policy> {
  // RFC 9989 §4.10: several records count as none.
  const record = singleRecord(await txt(`_dmarc.${name}`), isDmarc);
  if (record.state !== 'passed') return record.reason;
  const tags = readTags(record.detail);
  if (tags === null || !hasReadablePolicy(tags)) return 'malformed';
  const psd = tags.get('psd')?.toLowerCase();
  return { record: record.detail, psd: psd === 'y' || psd === 'n' ? psd : undefined };
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

/** RFC 9989 §4.10.1: an unreadable policy counts as `none` if reports are requested, and otherwise voids the record. */
function hasReadablePolicy(tags: ReadonlyMap<string, string>): boolean {
  const policy = tags.get('p');
  return policy === undefined || /^(?:none|quarantine|reject)$/i.test(policy) || /mailto:/i.test(tags.get('rua') ?? '');
}
