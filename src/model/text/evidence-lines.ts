import { formatAmount, formatNumber } from '../amount.js';
import {
  type ControlsEvidence,
  type DnsLookup,
  type KnownMailbox,
  type ListFacts,
  nameKind,
  type ResultEvidence,
  type SmtpReply,
} from '../evidence.js';
import type { RecordOutcome } from '../record-checks/record-check.js';
import { recordChecks } from '../record-checks/record-checks.js';
import type { ValidationResult } from '../result.js';
import { explainReason, explainSubStatus } from './sentences.js';
import { whyNot } from './why-not.js';

/** A line of evidence: a label, and text that wraps next to it. */
export interface EvidenceLine {
  label: string;
  text: string;
  /** The speaker in the dialogue. */
  from?: 'us' | 'host' | 'note';
}

export interface EvidenceSection {
  title: string;
  lines: EvidenceLine[];
}

/** The evidence as text: lists, DNS, the SMTP dialogue, and the matched rule. */
export function evidenceSections(evidence: ResultEvidence): EvidenceSection[] {
  const sections = [
    { title: 'Lists', lines: listLines(evidence) },
    { title: `DNS${durationSuffix(evidence.timings.dns)}`, lines: dnsLines(evidence) },
    { title: 'DNS queries', lines: (evidence.lookups ?? []).map(lookupLine) },
    {
      title: `Dialogue${durationSuffix(evidence.timings.smtp)}`,
      lines: evidence.mailbox === null ? [] : dialogueLines(evidence.mailbox),
    },
    { title: 'Interpretation', lines: interpretationLines(evidence) },
  ];
  return sections.filter(({ lines }) => lines.length > 0);
}

function plain(text: string): EvidenceLine {
  return { label: '', text };
}

function listLines({ lists }: ResultEvidence): EvidenceLine[] {
  if (lists === null) return [];
  const entries = [
    lists.reserved === null ? '' : `special-use name: ${lists.reserved}`,
    disposableLine(lists),
    lists.role === null ? '' : `role: ${lists.role}`,
    lists.free ? 'free provider' : '',
    lists.relay ? 'relay: forwards to another mailbox of its owner' : '',
    lists.didYouMean === null ? '' : `resembles: ${lists.didYouMean}`,
  ].filter((line) => line !== '');
  return (entries.length === 0 ? ['not on any list'] : entries).map(plain);
}

function disposableLine({ disposable, disposableNeighbors }: ListFacts): string {
  if (disposable === null) return '';
  const neighbors =
    disposableNeighbors === null ? '' : ` (mail server of ${formatNumber(disposableNeighbors)} disposable domains)`;
  return `disposable: ${disposable}${neighbors}`;
}

/** The longest label, and a space. */
const labelWidth = 9;

function dnsLines(evidence: ResultEvidence): EvidenceLine[] {
  const { route, provider } = evidence;
  if (route.state === 'skipped') return [];
  const lines: EvidenceLine[] = [];
  if (route.state === 'passed') {
    const { hosts, implicit } = route.detail;
    for (const { name, preference, addresses } of hosts) {
      const label = (implicit ? 'A/AAAA' : `MX ${preference}`).padEnd(labelWidth);
      lines.push({ label, text: `${name}  ${addresses.join(' ')}` });
    }
    if (implicit) lines.push(plain('no MX record, so the domain is its own mail server (RFC 5321 §5.1)'));
  } else {
    lines.push(plain(`mail route: ${route.state}, ${route.reason}. ${explainReason(route.reason)}`));
  }
  for (const { name, label } of recordChecks)
    lines.push({ label: label.padEnd(labelWidth), text: recordText(evidence[name]) });
  if (provider !== null) lines.push({ label: 'Provider'.padEnd(labelWidth), text: provider });
  return lines;
}

function recordText(record: RecordOutcome): string {
  return record.state === 'passed'
    ? record.detail
    : `${record.state === 'failed' ? '' : `${record.state}, `}${record.reason.replaceAll('_', ' ')}`;
}

function lookupLine({ type, name, records, outcome, elapsedMs }: DnsLookup): EvidenceLine {
  const answer = outcome === 'found' ? records.join(' | ') : outcome;
  return { label: `${type.padEnd(6)}  `, text: `${name} → ${answer} (${Math.round(elapsedMs)} ms)` };
}

function dialogueLines({ host, ip, dialogue }: NonNullable<ResultEvidence['mailbox']>): EvidenceLine[] {
  const arrows = { us: '→', host: '←', note: '·' };
  const lines = dialogue.map(({ atMs, from, text }) => ({
    label: `${`${Math.round(atMs)} ms`.padStart(8)} ${arrows[from]} `,
    text,
    from,
  }));
  return host === null ? lines : [plain(`with ${host}${ip === null ? '' : ` [${ip}]`}`), ...lines];
}

function interpretationLines(evidence: ResultEvidence): EvidenceLine[] {
  const { mailbox, catchAll, plausibility, deliveries, delivery } = evidence;
  const lines: string[] = [];
  if (mailbox !== null) {
    const { outcome, reply, rule, certainty } = mailbox;
    const label = outcome.state === 'passed' ? 'mailbox accepted' : `mailbox ${outcome.state}, ${outcome.reason}`;
    lines.push(`${label}${rule === null ? '' : `; rule ${rule}, certainty ${certainty}`}`);
    if (reply !== null) lines.push(`reply to ${reply.stage}: ${replyText(reply)}`);
    const source = catchAll.source === null ? '' : ` (${catchAll.source})`;
    const answer = catchAll.reply === null ? '' : `: ${replyText(catchAll.reply)}`;
    // `not_run` can have a reply: the random mailbox is in the same batch.
    const found = catchAll.outcome === 'not_run' ? 'no conclusion needed' : catchAll.outcome;
    lines.push(`random mailbox: ${found}${source}${answer}`);
    if (catchAll.shaped !== undefined) lines.push(`random mailbox of the same shape: ${catchAll.shaped}`);
    if (mailbox.controls !== undefined) lines.push(...controlLines(mailbox.controls));
  }
  if (plausibility !== null) {
    const { score, model } = plausibility;
    lines.push(`the name before the @ ${nameKindText[nameKind(plausibility)]}: ${score} of 1 (${model})`);
  }
  if (deliveries !== undefined) {
    const mailed = formatAmount(deliveries.mailed, 'mailed address of this domain', 'mailed addresses of this domain');
    lines.push(`${formatNumber(deliveries.delivered)} of ${mailed} without a bounce`);
  }
  if (delivery !== undefined) {
    const { first, last, bounced } = delivery;
    const days = first === last ? `on ${first}` : `from ${first} to ${last}`;
    lines.push(
      first === null
        ? `a hard bounce of ${bounced} took back what was delivered`
        : `our own mail reached it ${days}, and no bounce took it back`,
    );
  }
  return lines.map(plain);
}

const nameKindText = {
  personal: 'looks chosen by a person',
  machine_made: 'looks machine-made',
  unclear: 'may be chosen by a person or machine-made',
};

const controlNames: Record<KnownMailbox, string> = {
  postmaster: 'postmaster',
  accepted_before: 'another mailbox of the domain, earlier in this run',
};

const decisions: Record<ControlsEvidence['decides'], string> = {
  tells_mailboxes_apart: 'the host accepts some mailboxes and refuses others, so its answer is about this mailbox',
  refuses_everybody: 'the host refuses every mailbox, so its answer says nothing about this one',
  minds_something_else: 'the host accepts a mailbox that cannot exist, so it objects to something else about this one',
  nothing: 'inconclusive',
};

function controlLines({ random, known, decides }: ControlsEvidence): string[] {
  const reply = (text: SmtpReply | null) => (text === null ? 'no answer' : replyText(text));
  return [
    `control, random mailbox: ${reply(random)}`,
    ...(known === null ? [] : [`control, ${controlNames[known.mailbox]}: ${reply(known.reply)}`]),
    `conclusion: ${decisions[decides]}`,
  ];
}

/** Most replies contain the enhanced code in their text. */
function replyText({ code, enhanced, text }: SmtpReply): string {
  return `${code}${enhanced === null || text.includes(enhanced) ? '' : ` ${enhanced}`} ${text}`;
}

/** Why this verdict, and not a similar one. */
export function whySection(result: ValidationResult, evidence: ResultEvidence): EvidenceSection {
  const { status, sub_status: sub, reasons } = result;
  const others = reasons.filter((reason) => reason !== sub);
  const lines = [`${status}${sub === '' ? '' : `, ${sub}`}: ${explainSubStatus(sub, status).means}`];
  lines.push(...whyNot(result, evidence));
  if (others.length > 0) lines.push(`also applies: ${others.join(', ')}`);
  for (const { back_end, status: found, sub_status: why, confidence } of result.opinions ?? []) {
    const who = back_end === 'local' ? 'the engine' : 'the service';
    lines.push(`${who} found: ${found}${why === '' ? '' : `, ${why}`} (${Math.round(100 * confidence)}%)`);
  }
  return { title: 'Why this verdict', lines: lines.map(plain) };
}

function durationSuffix(ms: number | undefined): string {
  return ms === undefined ? '' : ` (${Math.round(ms)} ms)`;
}
