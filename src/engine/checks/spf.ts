import type { Outcome, RecordReason } from '../../model/evidence.js';
import type { Dns } from '../../net/dns/dns.js';

/** The domain's SPF record: `passed` with its text only where there is exactly one, and it can be read. */
export async function checkSpf(domain: string, dns: Dns, signal?: AbortSignal): Promise<Outcome<string, RecordReason>> {
  const answer = await dns.txt(domain, signal);
  if (answer.state === 'failed') return { state: 'unknown', reason: 'no_answer' };
  const records = answer.state === 'found' ? answer.records.filter(isSpf) : [];
  const [record] = records;
  if (record === undefined) return { state: 'failed', reason: 'absent' };
  // RFC 7208 §4.5: more than one record is a permanent error.
  if (records.length > 1) return { state: 'failed', reason: 'ambiguous' };
  if (!terms(record).every(isTerm)) return { state: 'failed', reason: 'malformed' };
  return { state: 'passed', detail: record };
}

/** Whether an SPF record says that nobody sends for the domain, as `v=spf1 -all` does. */
export function deniesAllSenders(record: string): boolean {
  // RFC 7208 §6: modifiers may stand anywhere; they are no mechanisms.
  return (
    terms(record)
      .find((term) => !modifier.test(term))
      ?.toLowerCase() === '-all'
  );
}

/** RFC 7208 §4.5: the version section is exact, so `v=spf10` is none. */
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
