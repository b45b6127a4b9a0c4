import type { MailboxReason, SmtpReply, SmtpStage } from '../../model/evidence.js';

/** Why a dialogue ended without an answer or a reply, and the reason for it in the evidence. */
export const faultReasons = {
  refused: 'failed_smtp_connection',
  unreachable: 'failed_smtp_connection',
  connect_timeout: 'failed_smtp_connection',
  proxy: 'failed_smtp_connection',
  // The source address could not be used.
  source: 'failed_smtp_connection',
  no_banner: 'mail_server_did_not_respond',
  timeout: 'timeout_exceeded',
  closed: 'forcible_disconnect',
  malformed: 'exception_occurred',
  // More replies than commands: it is unclear what each of them answers.
  out_of_step: 'exception_occurred',
  tls: 'exception_occurred',
  no_smtputf8: 'smtputf8_unsupported',
} as const satisfies Record<string, MailboxReason>;

/** `reply`: the host sent a refusal. */
export type FaultKind = keyof typeof faultReasons | 'reply';

/** A dialogue that ended early. It says nothing about a mailbox. */
export class SmtpFault extends Error {
  constructor(
    readonly kind: FaultKind,
    readonly stage: SmtpStage,
    message: string,
    readonly reply: SmtpReply | null = null,
  ) {
    super(message);
    this.name = 'SmtpFault';
    // The frames of a captured stack would keep the socket in memory while the fault is cached.
    this.stack = `SmtpFault: ${message}`;
  }
}

const depths: Record<SmtpStage, number> = { connect: 0, banner: 1, ehlo: 2, starttls: 3, mail: 4, rcpt: 5 };

/** The fault of the dialogue that progressed furthest, which is the most informative one. Missing SMTPUTF8 counts only if all hosts lack it. */
export function furthestFault<Fault extends { fault: SmtpFault }>(faults: readonly Fault[]): Fault | null {
  const others = faults.filter(({ fault }) => fault.kind !== 'no_smtputf8');
  const depth = ({ fault }: Fault) => depths[fault.stage] + (fault.reply === null ? 0 : 0.5);
  return [...(others.length > 0 ? others : faults)].sort((one, other) => depth(other) - depth(one))[0] ?? null;
}
