import { readFileSync } from 'node:fs';
import type { SmtpReply, SmtpStage } from '../../../src/model/evidence.js';
import { type Status, statusOf } from '../../../src/model/verdict.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import type { ReadingReason } from '../../../src/net/replies/reading.js';
import { parseReply } from '../../fakes/parse-reply.js';

/** A published reply and its meaning: see test/fixtures/replies/README.md. */
export interface LabeledReply {
  stage: SmtpStage;
  /** The first is the best; the others are correct, too. */
  labels: (ReadingReason | 'vague')[];
  source: string;
  text: string;
}

/** The labeled replies of one file. */
export function labeledReplies(name: string): LabeledReply[] {
  const file = new URL(`../../fixtures/replies/${name}.tsv`, import.meta.url);
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [stage = '', label = '', also = '', source = '', text = ''] = line.split('\t');
    const labels = [label, ...also.split(',').filter((each) => each !== '-')] as LabeledReply['labels'];
    return { stage: stage as SmtpStage, labels, source, text: text.replaceAll('\\n', '\n') };
  });
}

const recipient = 'ghost@example.com';
const echo = {
  recipient,
  ourIp: '192.0.2.1',
  ourName: 'mail.example.org',
  senders: ['probe@example.org'],
  hostName: 'mx.example.net',
};

const accepted: SmtpReply = { stage: 'rcpt', code: 250, enhanced: '2.1.5', text: 'ok' };

/** The known control mailboxes: none, postmaster, or another mailbox of the domain. The random one gets the same refusal. */
const controls = {
  none: () => ({}),
  'postmaster refused': (reply: SmtpReply) => ({
    random: reply,
    knownMailbox: { mailbox: 'postmaster' as const, reply },
  }),
  'postmaster accepted': (reply: SmtpReply) => ({
    random: reply,
    knownMailbox: { mailbox: 'postmaster' as const, reply: accepted },
  }),
  'another mailbox accepted': (reply: SmtpReply) => ({
    random: reply,
    knownMailbox: { mailbox: 'accepted_before' as const, reply: accepted },
  }),
};

/** The names of the control situations. */
export type Controls = keyof typeof controls;

/** Reads a labeled reply. Without `given`, the control mailboxes answer as the label implies. */
export function readLabeled({ stage, labels, text }: LabeledReply, given?: Controls) {
  const reply = parseReply(text, stage);
  if (reply === null) throw new Error(`no reply: ${text}`);
  const alone = readReply(reply, echo);
  const bestStatus = statusOfReason(labels[0] ?? 'vague');
  const situation = given ?? (bestStatus === 'invalid' ? 'another mailbox accepted' : 'postmaster refused');
  const settled = alone.vague ? readReply(reply, { ...echo, ...controls[situation](reply) }) : alone;
  const reason = settled.reason === 'session_limit' ? 'rate_limited' : settled.reason;
  const status = statusOfReason(reason);
  return {
    alone,
    reason,
    // A label can be more specific than what control mailboxes can prove.
    asLabeled: labels.includes(reason) || (alone.vague && labels.includes('vague')),
    sameStatus: labels.some((label) => statusOfReason(label) === status),
    isAbsence: bestStatus === 'invalid',
    status,
    goodCalledInvalid: status === 'invalid' && !labels.some((label) => statusOfReason(label) === 'invalid'),
  };
}

function statusOfReason(reason: ReadingReason | 'vague'): Status {
  if (reason === 'accepted') return 'valid';
  if (reason === 'vague' || reason === 'session_limit' || reason === 'cannot_verify') return 'unknown';
  return statusOf[reason];
}
