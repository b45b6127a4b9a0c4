import type {
  CatchAllEvidence,
  ControlsEvidence,
  DialogueLine,
  KnownAnswer,
  MailboxEvidence,
  MailboxReason,
  SmtpReply,
} from '../../model/evidence.js';
import { controlOutcome, type ProbeOutcome } from '../pool/probe-task.js';
import type { Reading } from '../replies/reading.js';
import { faultReasons } from '../smtp/fault.js';
import type { ProbeAnswer, ProbeRequest } from './prober.js';

const notRun: CatchAllEvidence = { outcome: 'not_run', source: null, reply: null };

/** The answer for an address that was not probed: it has a control character, or our code threw. */
export function unprobeableAnswer({ route }: ProbeRequest, rule: 'control_character' | 'exception'): ProbeAnswer {
  const outcome = { state: 'unknown' as const, reason: 'exception_occurred' as const };
  const host = route.hosts[0]?.name ?? null;
  return {
    mailbox: { outcome, host, ip: null, reply: null, rule, certainty: 1, retryAt: null, dialogue: [] },
    catchAll: notRun,
  };
}

const finalReasons: readonly MailboxReason[] = [
  'mailbox_not_found',
  'mailbox_disabled',
  'does_not_accept_mail',
  'smtputf8_unsupported',
  'mailbox_quota_exceeded',
];

/** The evidence from probing the mailbox. */
export function mailboxEvidence(
  probeOutcome: ProbeOutcome,
  reading: Reading | null,
  nowMs: number,
  dialogue: DialogueLine[],
): MailboxEvidence {
  const target = probeOutcome.state === 'port_blocked' ? null : probeOutcome.target;
  return {
    ...findingOf(probeOutcome, reading, nowMs),
    host: target?.host ?? null,
    ip: target?.ip ?? null,
    reply: replyOf(probeOutcome),
    dialogue,
  };
}

function replyOf(probeOutcome: ProbeOutcome): SmtpReply | null {
  if (probeOutcome.state === 'answered') return probeOutcome.reply;
  return probeOutcome.state === 'faulted' ? probeOutcome.fault.reply : null;
}

type Finding = Pick<MailboxEvidence, 'outcome' | 'rule' | 'certainty' | 'retryAt'>;

function findingOf(probeOutcome: ProbeOutcome, reading: Reading | null, nowMs: number): Finding {
  if (probeOutcome.state === 'port_blocked') return unknown('outbound_port_blocked', 'connect:blocked');
  if (probeOutcome.state === 'exception') return unknown('exception_occurred', 'exception');
  if (reading === null) {
    const kind = probeOutcome.state === 'faulted' ? probeOutcome.fault.kind : 'malformed';
    const reason = kind === 'reply' ? 'exception_occurred' : faultReasons[kind];
    if (kind !== 'no_smtputf8') return unknown(reason, `fault:${kind}`);
    return { outcome: { state: 'failed', reason }, rule: `fault:${kind}`, certainty: 0.9, retryAt: null };
  }
  const { reason, rule, certainty } = reading;
  if (reason === 'accepted' || reason === 'cannot_verify') {
    return { outcome: { state: 'passed', detail: null }, rule, certainty, retryAt: null };
  }
  const reportedReason: MailboxReason = reason === 'session_limit' ? 'rate_limited' : reason;
  if (finalReasons.includes(reportedReason))
    return { outcome: { state: 'failed', reason: reportedReason }, rule, certainty, retryAt: null };
  const retryAt = retryAtOf(reading, nowMs);
  return { outcome: { state: 'unknown', reason: reportedReason }, rule, certainty, retryAt };
}

/** The Unix second from which a retry makes sense, if it does. */
export function retryAtOf(reading: Reading | null, nowMs: number): number | null {
  const seconds = reading?.retryAfterSeconds ?? null;
  return seconds === null ? null : Math.ceil(nowMs / 1000) + seconds;
}

function unknown(reason: MailboxReason, rule: string): Finding {
  return { outcome: { state: 'unknown', reason }, rule, certainty: 0.9, retryAt: null };
}

/** The answers of the control mailboxes. */
export interface ControlAnswers {
  random: ProbeOutcome;
  /** What the answer for the random mailbox, or the reply that ended its dialogue, means. */
  randomReading: Reading | null;
  /** The answer for the random mailbox of the address's shape; null if it was not needed. */
  shaped: ProbeOutcome | 'not_possible' | null;
  /** The host accepted the real mailbox again after it had refused the random one in unclear words. */
  acceptedAgain: boolean;
  knownMailbox: KnownAnswer | null;
}

/** The evidence from probing the random mailbox; `answers` is null if it was not asked. */
export function catchAllEvidence(
  reading: Reading | null,
  probe: ProbeOutcome,
  answers: ControlAnswers | null,
  acceptsAll: boolean,
): CatchAllEvidence {
  if (reading?.reason === 'cannot_verify' && probe.state === 'answered') {
    return { outcome: 'accepted', source: 'probe', reply: probe.reply };
  }
  const isAccepted = reading?.reason === 'accepted';
  if (isAccepted && acceptsAll) return { outcome: 'accepted', source: 'provider', reply: null };
  if (answers === null || (!isAccepted && answers.random.state !== 'answered')) return notRun;
  const { random, randomReading, acceptedAgain } = answers;
  const reply = replyOf(random);
  const outcome = controlOutcome(random);
  if (outcome === 'accepted') return { outcome, source: 'probe', reply };
  const isConfirmed = isAccepted ? acceptedAgain : randomReading?.vague === true;
  if (outcome === 'refused' || (outcome === 'unclear' && isConfirmed)) {
    const refused: CatchAllEvidence = { outcome: 'refused', source: 'probe', reply };
    if (outcome === 'unclear') refused.vague = true;
    return withShaped(refused, answers.shaped);
  }
  const finding = findingOf(random, randomReading, 0).outcome;
  // What a reply proves about the random mailbox, such as a full quota, proves nothing about the real one.
  const reason = finding.state === 'unknown' ? finding.reason : 'mail_server_temporary_error';
  return { outcome: 'inconclusive', source: 'probe', reply, reason };
}

/** A host that refuses one random mailbox and accepts another decides by pattern, so that an acceptance proves nothing. */
function withShaped(refused: CatchAllEvidence, answer: ControlAnswers['shaped']): CatchAllEvidence {
  if (answer === null) return refused;
  const outcome = answer === 'not_possible' ? 'inconclusive' : controlOutcome(answer);
  if (answer === 'not_possible' || outcome === 'inconclusive') return { ...refused, shaped: 'unknown' };
  if (outcome === 'accepted') return { ...refused, outcome, reply: replyOf(answer), shaped: outcome };
  return { ...refused, shaped: 'refused' };
}

/** The control mailboxes and what they decide, if the answer for the real or the random one was unclear. */
export function finalReading(first: Reading | null, settled: Reading | null, answers: ControlAnswers | null) {
  if (first === null || answers === null) return null;
  const outcome = controlOutcome(answers.random);
  if (!first.vague && outcome !== 'unclear') return null;
  const { knownMailbox, acceptedAgain } = answers;
  const random = replyOf(answers.random);
  const isDistinguished = first.vague ? settled?.reason === 'mailbox_not_found' : acceptedAgain;
  const decides = isDistinguished
    ? 'tells_mailboxes_apart'
    : first.vague && outcome === 'accepted'
      ? 'minds_something_else'
      : first.vague && knownMailbox?.reply != null && knownMailbox.reply.code >= 500
        ? 'refuses_everybody'
        : 'nothing';
  return { random, known: knownMailbox, decides } satisfies ControlsEvidence;
}
