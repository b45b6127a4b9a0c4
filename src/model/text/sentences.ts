import { emptyVerdict } from '../job.js';
import { recordChecks } from '../record-checks/record-checks.js';
import { syntaxSentences } from '../syntax-codes.js';
import type { SubStatus } from '../verdict.js';

/** What a code means, and what to do; the advice may be empty. */
interface Sentence {
  means: string;
  advice: string;
}

const sentence = (means: string, advice = ''): Sentence => ({ means, advice });

export const retryLater = 'Try again later.';
const notAboutMailbox = 'This says nothing about the mailbox.';

/** Sent by remote services only. */
export type RemoteSubStatus = 'possible_trap' | 'toxic' | 'spamtrap' | 'abuse';

const subStatusSentences: Record<SubStatus | RemoteSubStatus, Sentence> = {
  '': sentence('The mail server accepted this mailbox and refused a made-up one.', 'Write to it.'),
  alias_address: sentence('The mailbox exists; the part after + is a tag.', 'Write to it.'),
  delivered: sentence(
    'Our own mail reached this mailbox, and no bounce took it back. Its mail server would not tell.',
    'Write to it.',
  ),
  not_probed: sentence(
    'All requested checks passed; the mailbox itself was not checked.',
    'Use --level smtp to be sure.',
  ),
  failed_syntax_check: sentence('This is not an email address.', 'Correct the spelling.'),
  reserved_domain: sentence('The domain is reserved for special use and never gets mail.', 'Ask for another address.'),
  no_dns_entries: sentence('The domain does not exist, or has no mail server.', 'Check the spelling of the domain.'),
  does_not_accept_mail: sentence('The domain says that it accepts no mail.', 'Ask for another address.'),
  unroutable_ip_address: sentence(
    'Every mail server of the domain has an address that is not reachable from the internet.',
    'If this is your own network, allow it with --set allow_networks=CIDR.',
  ),
  mailbox_not_found: sentence('The mail server says that there is no such mailbox.', 'Remove it from your list.'),
  mailbox_disabled: sentence('The mailbox exists but is switched off.', 'Remove it from your list.'),
  smtputf8_unsupported: sentence(
    'The name before the @ is not ASCII, and no mail server of the domain accepts such names.',
    'Ask for an ASCII address.',
  ),
  unlikely_to_accept_mail: sentence(
    'The domain has no MX record, and its SPF record says that it sends no mail; it may not receive any either.',
    'Use --level smtp to ask its mail server.',
  ),
  disposable: sentence('The domain hands out disposable addresses.', 'Expect it to stop working soon.'),
  mailbox_quota_exceeded: sentence('The mailbox exists but is full.', 'Write later; remove it if it stays full.'),
  catch_all: sentence(
    'The domain accepts every recipient, so it is unknown whether this mailbox exists.',
    'Write with care and watch for bounces.',
  ),
  role_based_catch_all: sentence(
    'A role rather than a person, at a domain that accepts every recipient.',
    'Write only if a role is what you want.',
  ),
  role_based: sentence(
    'The mailbox belongs to a role rather than a person.',
    'Fine for business mail, poor for newsletters.',
  ),
  possible_typo: sentence('The domain, or its ending, looks misspelled.', 'Check whether the suggestion was meant.'),
  possible_trap: sentence('The service suspects a trap for senders without consent.', 'Do not write to it.'),
  toxic: sentence('The service calls this address toxic: known for abuse or bots.', 'Do not write to it.'),
  spamtrap: sentence('The service knows this as a spam trap.', 'Do not write to it.'),
  abuse: sentence('The owner is known to report mail as spam.', 'Do not write to it without clear consent.'),
  greylisted: sentence(`The mail server asks new senders to try again later. ${notAboutMailbox}`, retryLater),
  rate_limited: sentence(`The mail server says that we asked too often. ${notAboutMailbox}`, retryLater),
  mail_server_temporary_error: sentence(`The mail server could not answer for now. ${notAboutMailbox}`, retryLater),
  antispam_system: sentence(
    `The mail server refused us: our address or sender is on a block list or against its policy. ${notAboutMailbox}`,
    'Try from another network, with the setting proxy, or with --remote.',
  ),
  restricted_recipient: sentence(
    'The mail server says that this recipient takes mail only from senders of its own organization.',
    'Write to it only if you are one of them; others get an error.',
  ),
  needs_reverse_dns: sentence(
    `The mail server wants our IP address to have a reverse DNS name. ${notAboutMailbox}`,
    'Set one up, or run mailvet on a machine that has one; mailvet doctor shows what is missing.',
  ),
  sender_rejected: sentence(
    `The mail server refused our greeting or sender. ${notAboutMailbox}`,
    'Set ehlo_name and mail_from to your own names (mailvet config set).',
  ),
  failed_smtp_connection: sentence(`No mail server of the domain could be reached. ${notAboutMailbox}`, retryLater),
  outbound_port_blocked: sentence(
    `This network blocks the mail port, so no mail server can be reached. ${notAboutMailbox}`,
    'Use --level dns, the setting proxy, "mailvet serve" on another machine, or --remote.',
  ),
  timeout_exceeded: sentence(
    `The time for this address ran out. ${notAboutMailbox}`,
    'Try again, or allow more time with --set timeout=1m.',
  ),
  forcible_disconnect: sentence(
    `The connection to the mail server ended in the middle of the conversation. ${notAboutMailbox}`,
    retryLater,
  ),
  mail_server_did_not_respond: sentence(
    `The mail server accepted the connection but sent no greeting. ${notAboutMailbox}`,
    retryLater,
  ),
  dns_error: sentence(
    'DNS gave no usable answer. This says nothing about the address.',
    'Try again, or use another DNS server with --set resolvers=HOST.',
  ),
  several_addresses: sentence(
    'There is more than one address, and each can have a different verdict.',
    'Give them one at a time; for the cells of a list, --input text finds each.',
  ),
  unknown_encoding: sentence(
    'The bytes of the address are not UTF-8, and its encoding is not known.',
    'Name the encoding of the list, for example --encoding windows-1252.',
  ),
  exception_occurred: sentence(
    'The mail server broke the protocol, or mailvet has a bug. This says nothing about the address.',
    'Try again; --explain shows the dialogue.',
  ),
};

/** Who probed: this machine, where flags help, or a service, whose operator can help. */
type ProbeOrigin = 'here' | 'service';

export function probeOriginOf({ metadata }: { metadata: { plan_tier: string } }): ProbeOrigin {
  return metadata.plan_tier === 'local' ? 'here' : 'service';
}

const serviceAdvice: Partial<Record<SubStatus, string>> = {
  not_probed: 'The operator of the service can enable mailbox checks.',
  unroutable_ip_address: 'If this is your own network, the operator can allow it with --set allow_networks=CIDR.',
  antispam_system: 'The operator of the service can use another network or a proxy.',
  needs_reverse_dns: 'The operator of the service can set one up.',
  sender_rejected: 'The operator of the service can set its greeting and sender.',
  outbound_port_blocked: 'The operator of the service can move it, or set a proxy.',
  timeout_exceeded: 'Try again.',
  dns_error: 'Try again; if it persists, tell the operator of the service.',
  exception_occurred: 'Try again; if it persists, tell the operator of the service.',
};

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
  if (!Object.hasOwn(subStatusSentences, subStatus)) return sentence(`The service says: ${inWords(subStatus)}.`);
  const { means, advice } = subStatusSentences[subStatus as SubStatus];
  return sentence(means, (asker === 'service' ? serviceAdvice[subStatus as SubStatus] : undefined) ?? advice);
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
    ...all('sub_status', subStatusSentences),
    ...all('row', rowSentences),
    ...all('reason', reasonSentences),
    ...all('syntax', syntaxSentences),
  ];
}

function inWords(code: string): string {
  return code.replaceAll('_', ' ').trim();
}
