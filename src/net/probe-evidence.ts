import type { CatchAllEvidence, DialogueLine, MailboxEvidence, MailboxReason } from '../model/evidence.js';
import { outcomeOf, type RandomAnswer } from './catch-all.js';
import type { Asked, TimedLine } from './probe-task.js';
import type { ProbeAnswer, ProbeRequest } from './prober.js';
import { faultReasons } from './smtp-fault.js';
import type { Reading } from './smtp-reply.js';

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
): Omit<MailboxEvidence, 'dialogue'> {
  const target = asked.state === 'port_blocked' ? null : asked.target;
  const reply = asked.state === 'answered' ? asked.reply : asked.state === 'faulted' ? asked.fault.reply : null;
  const base = { host: target?.host ?? null, ip: target?.ip ?? null, reply };
  if (asked.state === 'port_blocked') {
    const outcome = { state: 'unknown' as const, reason: 'outbound_port_blocked' as const };
    return { ...base, outcome, rule: 'connect:blocked', certainty: 0.9, retryAt: null };
  }
  if (reading === null) {
    const kind = asked.state === 'faulted' ? asked.fault.kind : 'malformed';
    const reason = kind === 'reply' ? 'exception_occurred' : faultReasons[kind];
    const state = kind === 'no_smtputf8' ? ('failed' as const) : ('unknown' as const);
    return { ...base, outcome: { state, reason }, rule: `fault:${kind}`, certainty: 0.9, retryAt: null };
  }
  const { reason, rule, certainty, retryAfterSeconds } = reading;
  const retryAt = retryAfterSeconds === null ? null : Math.ceil(nowMs / 1000) + retryAfterSeconds;
  if (reason === 'accepted' || reason === 'cannot_verify') {
    return { ...base, outcome: { state: 'passed', detail: null }, rule, certainty, retryAt: null };
  }
  const told: MailboxReason = reason === 'session_limit' ? 'rate_limited' : reason;
  const proof = proofs.includes(told);
  const outcome = { state: proof ? ('failed' as const) : ('unknown' as const), reason: told };
  return { ...base, outcome, rule, certainty, retryAt: proof ? null : retryAt };
}

/** What asking for the random mailbox gave, as evidence. */
export function catchAllEvidence(
  reading: Reading | null,
  real: Asked,
  random: RandomAnswer,
  acceptsAll: boolean,
): CatchAllEvidence {
  if (reading?.reason === 'cannot_verify' && real.state === 'answered') {
    return { outcome: 'accepted', source: 'probe', reply: real.reply };
  }
  const accepted = reading?.reason === 'accepted';
  if (accepted && acceptsAll) return { outcome: 'accepted', source: 'provider', reply: null };
  if (random !== null) return { outcome: outcomeOf(random.reading, accepted), source: 'probe', reply: random.reply };
  return accepted ? { outcome: 'inconclusive', source: 'probe', reply: null } : notRun;
}

/** The dialogue for people, where it was asked for. */
export function shown(lines: readonly TimedLine[], startedAt: number, { keepDialogue }: ProbeRequest): DialogueLine[] {
  if (keepDialogue !== true) return [];
  return lines.map(({ at, from, text }) => ({ atMs: Math.max(0, at - startedAt), from, text }));
}
