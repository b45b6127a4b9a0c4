import { emptyVerdict } from '../job.js';
import { recordChecks } from '../record-checks/record-checks.js';
import { syntaxSentences } from '../syntax-codes.js';
import type { SubStatus } from '../verdict.js';
import subStatuses from './sub-statuses.json' with { type: 'json' };

/** What a code means, and what to do; the advice may be empty. */
interface Sentence {
  means: string;
  advice: string;
}

const sentence = (means: string, advice = ''): Sentence => ({ means, advice });

export const retryLater = 'Try again later.';

/** Sent by remote services only. */
type RemoteSubStatus = 'possible_trap' | 'toxic' | 'spamtrap' | 'abuse';

/** What a sub-status means in a few words and in a sentence, and the advice for this machine, and for a service if that differs. */
const subStatusWords: Record<SubStatus | RemoteSubStatus, Sentence & { phrase: string; serviceAdvice?: string }> =
  subStatuses;

/** Who probed: this machine, where flags help, or a service, whose operator can help. */
type ProbeOrigin = 'here' | 'service';

export function probeOriginOf({ metadata }: { metadata: { plan_tier: string } }): ProbeOrigin {
  return metadata.plan_tier === 'local' ? 'here' : 'service';
}

const reasonSentences: Record<string, string> = {
  null_mx: 'Its MX record says that it takes no mail (RFC 7505).',
  dns_timeout: 'The DNS server did not answer in time.',
  dns_servfail: 'The DNS server could not resolve the name (SERVFAIL).',
  dns_refused: 'The DNS server refused the question, or none listens at its address.',
  dns_malformed: 'The DNS answer is malformed.',
  resolver_denies_everything: 'The DNS server denies names that are known to exist, so its denials cannot be trusted.',
  resolver_invents_answers: 'The DNS server answers for names that do not exist, so its answers cannot be trusted.',
  resolver_not_confirmed:
    'The DNS server did not answer the test question that shows whether its other answers can be trusted.',
  possible_role: "The name before the @ may be a role, or a person's own.",
  unknown_tld: 'The top-level domain does not exist on the internet.',
  dns_not_checked: 'DNS was not checked.',
  smtp_not_checked: 'The mail server was not asked.',
  fail_open: 'The time limit of the caller was reached. The result uses the checks that had finished.',
  catch_all_by_pattern: 'The mail server accepts or refuses invented names by their pattern.',
  catch_all_inconclusive: 'Whether the domain accepts every recipient could not be determined.',
  ...Object.fromEntries(recordChecks.map(({ noAnswer }) => [noAnswer.reason, noAnswer.sentence])),
  plausible_local_part: 'The name before the @ looks chosen by a person.',
  implausible_local_part: 'The name before the @ looks machine-made.',
};

/** What a sub-status means, and what to do; unknown codes are shown as words. */
export function explainSubStatus(subStatus: string, status = 'valid', asker: ProbeOrigin = 'here'): Sentence {
  if (status === emptyVerdict.status) return sentence('The row has no address.');
  if (subStatus === '' && status !== 'valid') return sentence('The service gives no reason.');
  if (!isKnown(subStatus)) return sentence(`The service says: ${inWords(subStatus)}.`);
  const { means, advice, serviceAdvice } = subStatusWords[subStatus];
  return sentence(means, (asker === 'service' ? serviceAdvice : undefined) ?? advice);
}

/** A reason in a few words; unknown codes are shown as words. */
export function reasonPhrase(subStatus: string, status: string): string {
  if (subStatus === '' && status !== 'valid') return 'no reason given';
  return isKnown(subStatus) ? subStatusWords[subStatus].phrase : inWords(subStatus);
}

/** A sentence for one entry of `reasons`; a syntax code may carry its position, as `label_too_long:12`. */
export function explainReason(reason: string): string {
  const [, code = reason, position] = /^(.*?)(?::(\d+))?$/.exec(reason) ?? [];
  if (Object.hasOwn(syntaxSentences, code)) {
    const where = position === undefined ? '' : ` (character ${Number(position) + 1})`;
    return `${syntaxSentences[code as keyof typeof syntaxSentences].slice(0, -1)}${where}.`;
  }
  if (Object.hasOwn(reasonSentences, code)) return reasonSentences[code] ?? '';
  return explainSubStatus(reason).means;
}

/** Words for rows of a list that are not a verdict of mailvet. */
const rowSentences: Record<string, Sentence> = {
  empty: sentence(
    'There is no address, so nothing was vetted. A row of a list is then counted apart, not as invalid.',
    '--only empty lists such rows.',
  ),
  suppressed: sentence(
    'The address is on a suppression list (--exclude), so it was not vetted.',
    'Do not write to it.',
  ),
  duplicate: sentence(
    'An earlier row has the same mailbox. The verdict is repeated, and costs nothing.',
    '--dedupe keeps only the first row.',
  ),
  no_answer: sentence(
    'The service answered the request, but not for this address.',
    'The same command asks for these rows again.',
  ),
};

/** Where a code occurs: `sub_status`, the rows of a list, `reasons`, or a syntax fault. */
export type CodeKind = 'sub_status' | 'row' | 'reason' | 'syntax';

export function explainRowWord(word: string): Sentence {
  return rowSentences[word] ?? sentence('');
}

/** All codes with a sentence. */
export function knownCodes(): { code: string; kind: CodeKind }[] {
  const all = (kind: CodeKind, table: object) => Object.keys(table).map((code) => ({ code, kind }));
  return [
    ...all('sub_status', subStatusWords),
    ...all('row', rowSentences),
    ...all('reason', reasonSentences),
    ...all('syntax', syntaxSentences),
  ];
}

function isKnown(code: string): code is SubStatus | RemoteSubStatus {
  return Object.hasOwn(subStatusWords, code);
}

function inWords(code: string): string {
  return code.replaceAll('_', ' ').trim();
}
