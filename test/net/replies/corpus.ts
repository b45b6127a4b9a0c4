import { readFileSync } from 'node:fs';
import type { SmtpReply, SmtpStage } from '../../../src/model/evidence.js';
import { type Status, statusOf } from '../../../src/model/verdict.js';
import { readReply } from '../../../src/net/replies/read-reply.js';
import type { ReadingReason } from '../../../src/net/replies/reading.js';
import { parseReply } from '../../../src/net/smtp/reply-parser.js';

/** A reply that somebody published, with what it means: see test/fixtures/replies/README.md. */
export interface LabelledReply {
  stage: SmtpStage;
  /** The first is the best; the others are right, too. */
  labels: (ReadingReason | 'vague')[];
  source: string;
  text: string;
}

/** The labelled replies of one file. */
export function labelledReplies(name: string): LabelledReply[] {
  const file = new URL(`../../fixtures/replies/${name}.tsv`, import.meta.url);
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [stage = '', label = '', also = '', source = '', text = ''] = line.split('\t');
    const labels = [label, ...also.split(',').filter((each) => each !== '-')] as LabelledReply['labels'];
    return { stage: stage as SmtpStage, labels, source, text: text.replaceAll('\\n', '\n') };
  });
}

const probed = 'ghost@example.com';
const echo = {
  probed,
  ourIp: '192.0.2.1',
  ourName: 'mail.example.org',
  senders: ['probe@example.org'],
  hostName: 'mx.example.net',
};

/** Answers of a host that lacks this mailbox only, and of one that refuses everybody. */
const lacksTheMailbox = (reply: SmtpReply) => ({ random: reply, known: known({ ...reply, code: 250, text: 'ok' }) });
const refusesEverybody = (reply: SmtpReply) => ({ random: reply, known: known(reply) });
const known = (reply: SmtpReply) => ({ mailbox: 'postmaster' as const, reply });

/** What we make of a labelled reply, with controls that answer as a host that means the label would answer them. */
export function readLabelled({ stage, labels, text }: LabelledReply) {
  const reply = parseReply(text, stage);
  if (reply === null) throw new Error(`no reply: ${text}`);
  const alone = readReply(reply, echo);
  const bestStatus = statusOfReason(labels[0] ?? 'vague');
  const controls = bestStatus === 'invalid' ? lacksTheMailbox(reply) : refusesEverybody(reply);
  const settled = alone.vague ? readReply(reply, { ...echo, ...controls }) : alone;
  const reason = settled.reason === 'session_limit' ? 'rate_limited' : settled.reason;
  const status = statusOfReason(reason);
  return {
    alone,
    reason,
    // A mailbox that the controls can only prove missing may be labelled more closely than they can tell.
    asLabelled: labels.includes(reason) || (alone.vague && labels.includes('vague')),
    sameStatus: labels.some((label) => statusOfReason(label) === status),
    goodCalledInvalid: status === 'invalid' && !labels.some((label) => statusOfReason(label) === 'invalid'),
  };
}

function statusOfReason(reason: ReadingReason | 'vague'): Status {
  if (reason === 'accepted') return 'valid';
  if (reason === 'vague' || reason === 'session_limit' || reason === 'cannot_verify') return 'unknown';
  return statusOf[reason];
}
