import type { ChalkInstance } from 'chalk';
import type { Evidence, MailboxEvidence, Outcome } from '../../model/evidence.js';
import type { ValidationResult } from '../../model/result.js';
import { sanitise } from '../sanitise.js';
import { paint } from './paint.js';
import { explainSubStatus } from './sentences.js';

/** The evidence for people: DNS answers, the dialogue with its timings, the rule that fired, and why this verdict. */
export function renderEvidence(result: ValidationResult, style: { colour: boolean }): string {
  const { evidence } = result;
  const chalk = paint(style.colour);
  if (evidence === undefined) return `\n  ${chalk.bold('Evidence')}\n    The service gives none.\n`;
  const sections: [string, string[]][] = [
    ['Lists', listLines(evidence)],
    [`DNS${took(evidence.timings.dns)}`, dnsLines(evidence)],
    [`Dialogue${took(evidence.timings.smtp)}`, evidence.mailbox === null ? [] : dialogueLines(evidence.mailbox, chalk)],
    ['Reading', readingLines(evidence)],
    ['Why this verdict', whyLines(result)],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `\n  ${chalk.bold(title)}\n${lines.map((line) => `    ${line}\n`).join('')}`)
    .join('');
}

function listLines({ lists }: Evidence): string[] {
  if (lists === null) return [];
  const found = [
    lists.reserved === null ? '' : `special-use name: ${lists.reserved}`,
    lists.disposable === null ? '' : `disposable: ${lists.disposable}`,
    lists.role === null ? '' : `role: ${lists.role}`,
    lists.free ? 'free provider' : '',
    lists.didYouMean === null ? '' : `resembles: ${lists.didYouMean}`,
  ].filter((line) => line !== '');
  return (found.length === 0 ? ['on no list'] : found).map(sanitise);
}

function dnsLines({ route, spf, dmarc, provider }: Evidence): string[] {
  if (route.state === 'skipped') return [];
  const lines: string[] = [];
  if (route.state === 'passed') {
    for (const { name, preference, addresses } of route.detail.hosts) {
      const kind = route.detail.implicit ? 'A/AAAA' : `MX ${preference}`;
      lines.push(`${kind.padEnd(7)} ${name}  ${addresses.join(' ')}`);
    }
    if (route.detail.implicit) lines.push('no MX record, so the domain is its own mail host (RFC 5321 §5.1)');
  } else {
    lines.push(`mail route: ${route.state}, ${route.reason}`);
  }
  lines.push(`SPF     ${recordText(spf)}`, `DMARC   ${recordText(dmarc)}`);
  if (provider !== null) lines.push(`Provider ${provider}`);
  return lines.map(sanitise);
}

function recordText(record: Outcome<string>): string {
  return record.state === 'passed'
    ? record.detail
    : `${record.state === 'failed' ? '' : `${record.state}, `}${record.reason}`;
}

function dialogueLines({ host, ip, dialogue }: MailboxEvidence, chalk: ChalkInstance): string[] {
  const arrows = { us: '→', host: '←', note: '·' };
  const lines = dialogue.map(({ atMs, from, text }) => {
    const time = chalk.dim(`${Math.round(atMs)} ms`.padStart(8));
    return `${time} ${arrows[from]} ${sanitise(text)}`;
  });
  const where = host === null ? [] : [`with ${sanitise(host)}${ip === null ? '' : ` [${sanitise(ip)}]`}`];
  return [...where, ...lines];
}

function readingLines({ mailbox, catchAll, plausibility }: Evidence): string[] {
  const lines: string[] = [];
  if (mailbox !== null) {
    const { outcome, reply, rule, certainty } = mailbox;
    const word = outcome.state === 'passed' ? 'mailbox accepted' : `mailbox ${outcome.state}, ${outcome.reason}`;
    lines.push(`${word}${rule === null ? '' : `; rule ${rule}, certainty ${certainty}`}`);
    if (reply !== null) {
      lines.push(
        `reply to ${reply.stage}: ${reply.code}${reply.enhanced === null ? '' : ` ${reply.enhanced}`} ${reply.text}`,
      );
    }
    const source = catchAll.source === null ? '' : ` (${catchAll.source})`;
    lines.push(`random mailbox: ${catchAll.outcome.replace('_', ' ')}${source}`);
  }
  if (plausibility !== null) lines.push(`plausibility of the name: ${plausibility.score} (${plausibility.model})`);
  return lines.map(sanitise);
}

function whyLines({ status, sub_status, reasons }: ValidationResult): string[] {
  const others = reasons.filter((reason) => reason !== sub_status);
  const lines = [
    `${status}${sub_status === '' ? '' : `, ${sub_status}`}: ${explainSubStatus(sub_status, status).means}`,
  ];
  if (others.length > 0) lines.push(`also holds: ${others.join(', ')}`);
  return lines.map(sanitise);
}

function took(ms: number | undefined): string {
  return ms === undefined ? '' : ` (${Math.round(ms)} ms)`;
}
