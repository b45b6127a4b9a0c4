import type { Evidence } from './evidence.js';

export const statuses = ['valid', 'invalid', 'risky', 'unknown'] as const;

export type Status = (typeof statuses)[number];

/** The status of each sub-status. */
export const statusOf = {
  '': 'valid',
  alias_address: 'valid',
  not_probed: 'valid',
  delivered: 'valid',
  failed_syntax_check: 'invalid',
  reserved_domain: 'invalid',
  no_dns_entries: 'invalid',
  does_not_accept_mail: 'invalid',
  unroutable_ip_address: 'invalid',
  mailbox_not_found: 'invalid',
  mailbox_disabled: 'invalid',
  smtputf8_unsupported: 'invalid',
  unlikely_to_accept_mail: 'risky',
  disposable: 'risky',
  mailbox_quota_exceeded: 'risky',
  catch_all: 'risky',
  role_based_catch_all: 'risky',
  role_based: 'risky',
  possible_typo: 'risky',
  several_addresses: 'unknown',
  unknown_encoding: 'unknown',
  greylisted: 'unknown',
  rate_limited: 'unknown',
  mail_server_temporary_error: 'unknown',
  antispam_system: 'unknown',
  restricted_recipient: 'unknown',
  needs_reverse_dns: 'unknown',
  sender_rejected: 'unknown',
  failed_smtp_connection: 'unknown',
  outbound_port_blocked: 'unknown',
  timeout_exceeded: 'unknown',
  forcible_disconnect: 'unknown',
  mail_server_did_not_respond: 'unknown',
  dns_error: 'unknown',
  exception_occurred: 'unknown',
} as const satisfies Record<string, Status>;

/** Whether a word is a status or a sub-status. */
export function isStatusOrReason(word: string): boolean {
  return statuses.some((status) => status === word) || (word !== '' && Object.hasOwn(statusOf, word));
}

/** An unknown proves nothing, so no filter on the confidence may let it through. */
export const maxUnknownConfidence = 0.5;

/** The reason for the status; `""` is an unqualified `valid`. */
export type SubStatus = keyof typeof statusOf;

export interface Verdict {
  status: Status;
  subStatus: SubStatus;
  /** 0..1: the probability that the verdict is right. */
  confidence: number;
  /** For catch-all and unknown: the probability that the mailbox exists. */
  estimate: number | null;
  safeToSend: boolean;
  /** By precedence: sub-statuses, syntax codes, and checks that did not run. */
  reasons: string[];
  didYouMean: string | null;
}

export interface Vetted {
  evidence: Evidence;
  verdict: Verdict;
  elapsedMs: number;
}
