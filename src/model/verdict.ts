import type { Evidence } from './evidence.js';

export const statuses = ['valid', 'invalid', 'risky', 'unknown'] as const;

/** The one word. */
export type Status = (typeof statuses)[number];

/** Why that word; `""` is an unqualified `valid`. */
export type SubStatus =
  | ''
  | 'alias_address'
  | 'not_probed'
  | 'failed_syntax_check'
  | 'reserved_domain'
  | 'no_dns_entries'
  | 'does_not_accept_mail'
  | 'unroutable_ip_address'
  | 'mailbox_not_found'
  | 'mailbox_disabled'
  | 'smtputf8_unsupported'
  | 'disposable'
  | 'mailbox_quota_exceeded'
  | 'catch_all'
  | 'role_based_catch_all'
  | 'role_based'
  | 'possible_typo'
  | 'greylisted'
  | 'rate_limited'
  | 'mail_server_temporary_error'
  | 'antispam_system'
  | 'needs_reverse_dns'
  | 'sender_rejected'
  | 'failed_smtp_connection'
  | 'outbound_port_blocked'
  | 'timeout_exceeded'
  | 'forcible_disconnect'
  | 'mail_server_did_not_respond'
  | 'dns_error'
  | 'exception_occurred';

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
