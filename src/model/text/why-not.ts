import type { ResultEvidence } from '../evidence.js';
import type { ValidationResult } from '../result.js';

/** Why the verdict is not a similar one, a line each. */
export function whyNot({ status, sub_status: sub, reasons }: ValidationResult, evidence: ResultEvidence): string[] {
  const lines = [...(bySubStatus[sub]?.(evidence) ?? []), ...(sub in bySubStatus ? [] : byStatus(status, evidence))];
  const weaker = reasons.filter((reason) => reason !== sub && precedence.includes(reason));
  for (const other of weaker) lines.push(`not ${other}, although that is true, too: ${sub} takes precedence`);
  return lines;
}

/** Risks that a stronger ruling can hide. */
const precedence = ['disposable', 'catch_all', 'role_based_catch_all', 'role_based', 'possible_typo'];

type Explain = (evidence: ResultEvidence) => string[];

const levelTooLow: Explain = ({ level }) => [`not more certain, since level ${level} does not check the mailbox`];
const randomAccepted: Explain = ({ catchAll, provider }) => [
  catchAll.source === 'provider'
    ? `not valid, since ${provider ?? 'the provider'} is known to accept every recipient`
    : `not valid, since a random mailbox ${catchAll.shaped === undefined ? '' : 'of the same shape '}was accepted too`,
];
const randomRefused: Explain = ({ catchAll }) =>
  catchAll.outcome === 'refused' ? ['not catch_all, since a random mailbox of the same domain was refused'] : [];
const hostAnswered: Explain = ({ mailbox }) => [
  `not unknown, since the host answered ${stageOf(mailbox)} and rule ${mailbox?.rule ?? 'none'} is about the mailbox`,
];

const bySubStatus: Record<string, Explain> = {
  '': randomRefused,
  alias_address: randomRefused,
  not_probed: levelTooLow,
  catch_all: randomAccepted,
  role_based_catch_all: randomAccepted,
  role_based: (evidence) => ['not valid, since a role rather than a person reads it', ...randomRefused(evidence)],
  disposable: ({ mailbox }) =>
    mailbox?.outcome.state === 'passed' ? ['not valid, though the mailbox was accepted: it will not last'] : [],
  possible_typo: () => ['not invalid, since a likely typo proves nothing'],
  mailbox_quota_exceeded: () => ['not invalid, since a full mailbox exists', 'not valid, since it takes no mail now'],
  mailbox_not_found: hostAnswered,
  mailbox_disabled: hostAnswered,
  no_dns_entries: () => ['not unknown, since DNS answered, and knows the top-level domain'],
  does_not_accept_mail: ({ mailbox }) => [
    mailbox === null ? 'not unknown, since the domain says so itself' : 'not unknown, since the host says so itself',
  ],
  dns_error: () => ['not invalid, since DNS gave no usable answer', 'not valid, since no mail server is known'],
  mail_server_temporary_error: (evidence) =>
    evidence.mailbox?.outcome.state === 'passed' ? notAccepted(evidence) : deferred(evidence),
  greylisted: (evidence) => deferred(evidence),
  rate_limited: (evidence) => deferred(evidence),
  restricted_recipient: (evidence) => ['not invalid, since the host says that it exists', ...notAccepted(evidence)],
  antispam_system: (evidence) => [
    'not invalid, since the refusal may be about us rather than the mailbox',
    ...notAccepted(evidence),
  ],
};

const deferred: Explain = (evidence) => [
  'not invalid, since "come back later" says nothing about the mailbox',
  ...notAccepted(evidence),
];
const notAccepted: Explain = ({ mailbox }) => [
  mailbox?.outcome.state === 'passed'
    ? 'not valid, since it is unknown whether a random mailbox is accepted, too'
    : 'not valid, since no host accepted the mailbox',
];

function byStatus(status: string, evidence: ResultEvidence): string[] {
  if (status !== 'unknown') return [];
  return ['not invalid, since no host said anything about the mailbox', ...notAccepted(evidence)];
}

function stageOf(mailbox: ResultEvidence['mailbox']): string {
  return (mailbox?.reply?.stage ?? 'rcpt').toUpperCase();
}
