import type {
  CatchAllEvidence,
  DialogueLine,
  MailboxEvidence,
  MailboxReason,
  SmtpReply,
} from '../../model/evidence.js';
import type { Asked } from '../pool/probe-task.js';
import type { TimedLine } from '../pool/transcript.js';
import type { Reading } from '../replies/reading.js';
import { faultReasons } from '../smtp/fault.js';
import { outcomeOf } from './catch-all.js';
import type { ProbeAnswer, ProbeRequest } from './prober.js';

const notRun: CatchAllEvidence = { outcome: 'not_run', source: null, reply: null };

/** For an address that must not go on the wire. */
export function unaskable({ route }: ProbeRequest): ProbeAnswer {
  const outcome = { state: 'unknown' as const, reason: 'exception_occurred' as const };
  const host = route.hosts[0]?.name ?? null;
  return {
    mailbox: {
      outcome,
      host,
      ip: null,
      reply: null,
      rule: 'control_character',
      certainty: 1,
      retryAt: null,
      dialogue: [],
    },
    catchAll: notRun,
  };
}

const proofs: readonly MailboxReason[] = [
  'mailbox_not_found',
  'mailbox_disabled',
  'does_not_accept_mail',
  'smtputf8_unsupported',
  'mailbox_quota_exceeded',
];

/** What asking for the mailbox gave, as evidence. */
export function mailboxEvidence(
  asked: Asked,
  reading: Reading | null,
  nowMs: number,
  dialogue: DialogueLine[],
): MailboxEvidence {
  const target = asked.state === 'port_blocked' ? null : asked.target;
  const found = finding(asked, reading, nowMs);
  return {
    outcome: found.outcome,
    host: target?.host ?? null,
    ip: target?.ip ?? null,
    reply: replyOf(asked),
    rule: found.rule,
    certainty: found.certainty,
    retryAt: found.retryAt,
    dialogue,
  };
}

function replyOf(asked: Asked): SmtpReply | null {
  if (asked.state === 'answered') return asked.reply;
  return asked.state === 'faulted' ? asked.fault.reply : null;
}

type Finding = Pick<MailboxEvidence, 'outcome' | 'rule' | 'certainty' | 'retryAt'>;

function finding(asked: Asked, reading: Reading | null, nowMs: number): Finding {
  if (asked.state === 'port_blocked') return unknown('outbound_port_blocked', 'connect:blocked');
  if (reading === null) {
    const kind = asked.state === 'faulted' ? asked.fault.kind : 'malformed';
    const reason = kind === 'reply' ? 'exception_occurred' : faultReasons[kind];
    if (kind !== 'no_smtputf8') return unknown(reason, `fault:${kind}`);
    return { outcome: { state: 'failed', reason }, rule: `fault:${kind}`, certainty: 0.9, retryAt: null };
  }
  const { reason, rule, certainty } = reading;
  if (reason === 'accepted' || reason === 'cannot_verify') {
    return { outcome: { state: 'passed', detail: null }, rule, certainty, retryAt: null };
  }
  const told: MailboxReason = reason === 'session_limit' ? 'rate_limited' : reason;
  if (proofs.includes(told)) return { outcome: { state: 'failed', reason: told }, rule, certainty, retryAt: null };
  const retryAt = retryAtOf(reading, nowMs);
  return { outcome: { state: 'unknown', reason: told }, rule, certainty, retryAt };
}

/** The Unix second after which asking again makes sense, where it does. */
export function retryAtOf(reading: Reading | null, nowMs: number): number | null {
  const seconds = reading?.retryAfterSeconds ?? null;
  return seconds === null ? null : Math.ceil(nowMs / 1000) + seconds;
}

function unknown(reason: MailboxReason, rule: string): Finding {
  return { outcome: { state: 'unknown', reason }, rule, certainty: 0.9, retryAt: null };
}

/** What asking for the random mailbox gave, as evidence; `random` is null where nobody asked. */
export function catchAllEvidence(
  reading: Reading | null,
  real: Asked,
  random: { asked: Asked; reading: Reading | null } | null,
  acceptsAll: boolean,
): CatchAllEvidence {
  if (reading?.reason === 'cannot_verify' && real.state === 'answered') {
    return { outcome: 'accepted', source: 'probe', reply: real.reply };
  }
  const accepted = reading?.reason === 'accepted';
  if (accepted && acceptsAll) return { outcome: 'accepted', source: 'provider', reply: null };
  if (random === null || (!accepted && random.asked.state !== 'answered')) return notRun;
  const reply = replyOf(random.asked);
  const outcome = random.asked.state === 'answered' ? outcomeOf(random.asked.reading, accepted) : 'inconclusive';
  if (outcome !== 'inconclusive') return { outcome, source: 'probe', reply };
  const found = finding(random.asked, random.reading, 0).outcome;
  // What a reply proves of the random mailbox, as that it is full, it does not prove of the real one.
  const reason = found.state === 'unknown' ? found.reason : 'mail_server_temporary_error';
  return { outcome, source: 'probe', reply, reason };
}

/** The dialogue for people. */
export function shown(lines: readonly TimedLine[], startedAt: number): DialogueLine[] {
  return lines.map(({ at, from, text }) => ({ atMs: Math.max(0, Math.round(at - startedAt)), from, text }));
}
