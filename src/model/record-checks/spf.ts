import { type RecordCheck, type RecordLookup, type RecordOutcome, singleRecord } from './record-check.js';

/** Whether the domain publishes one readable SPF record (RFC 7208). */
export const spf = {
  name: 'spf',
  label: 'SPF',
  field: 'has_spf',
  description: 'The domain publishes exactly one readable SPF record (RFC 7208).',
  noAnswer: { reason: 'spf_no_answer', sentence: 'The SPF lookup got no answer.' },
  check: checkSpf,
} as const satisfies RecordCheck;

async function checkSpf(domain: string, { txt }: Pick<RecordLookup, 'txt'>): Promise<RecordOutcome> {
  // RFC 7208 §4.5: more than one record is a permanent error.
  const found = singleRecord(await txt(domain), isSpf);
  if (found.state !== 'passed' || terms(found.detail).every(isTerm)) return found;
  return { state: 'failed', reason: 'malformed' };
}

/** Whether an SPF record allows no sender at all, as `v=spf1 -all` does. */
export function deniesAllSenders(record: string): boolean {
  // RFC 7208 §6: a modifier may stand anywhere and is not a mechanism.
  return (
    terms(record)
      .find((term) => !modifier.test(term))
      ?.toLowerCase() === '-all'
  );
}

/** RFC 7208 §4.5: the version must match exactly; `v=spf10` is not SPF. */
function isSpf(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text);
}

const modifier = /^[a-z][a-z0-9_.-]*=/i;
const mechanism =
  /^[+\-~?]?(?:all|include:[^/]\S*|(?:a|mx)(?::[^/]\S*)?(?:\/\d{1,2})?(?:\/\/\d{1,3})?|ptr(?::\S+)?|ip4:[\d.]+(?:\/\d{1,2})?|ip6:[\da-f:.]+(?:\/\d{1,3})?|exists:\S+)$/i;

/** RFC 7208 §12. */
function isTerm(term: string): boolean {
  return modifier.test(term) || mechanism.test(term);
}

function terms(record: string): string[] {
  return record
    .slice('v=spf1'.length)
    .split(' ')
    .filter((term) => term !== '');
}
