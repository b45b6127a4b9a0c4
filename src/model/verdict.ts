import type { Evidence } from './evidence.js';

export const statuses = ['valid', 'invalid', 'risky', 'unknown'] as const;

/** The one word. */
export type Status = (typeof statuses)[number];

/** The word that each sub-status belongs to. */
export const statusOf = {
  '': 'valid',
  alias_address: 'valid',
  not_probed: 'valid',
  failed_syntax_check: 'invalid',
  reserved_domain: 'invalid',
  no_dns_entries: 'invalid',
  does_not_accept_mail: 'invalid',
  unroutable_ip_address: 'invalid',
  mailbox_not_found: 'invalid',
  mailbox_disabled: 'invalid',
  smtputf8_unsupported: 'invalid',
  disposable: 'risky',
  mailbox_quota_exceeded: 'risky',
  catch_all: 'risky',
  role_based_catch_all: 'risky',
  role_based: 'risky',
  possible_typo: 'risky',
  greylisted: 'unknown',
  rate_limited: 'unknown',
  mail_server_temporary_error: 'unknown',
  antispam_system: 'unknown',
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

/** Why that word; `""` is an unqualified `valid`. */
export type SubStatus = keyof typeof statusOf;

/** What the evidence amounts to. */
export interface Verdict {
  status: Status;
  subStatus: SubStatus;
  /** 0..1: of all verdicts given with confidence c, about a share c is right. */
  confidence: number;
  safeToSend: boolean;
  /** All that holds, most weighty first: sub-statuses, syntax codes, and what was not checked. */
  reasons: string[];
  didYouMean: string | null;
}

/** One address, looked at and judged. */
export interface Vetted {
  evidence: Evidence;
  verdict: Verdict;
  elapsedMs: number;
}
