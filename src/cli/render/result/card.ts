import { stripVTControlCharacters } from 'node:util';
import type { ChalkInstance } from 'chalk';
import { formatPercent } from '../../../model/amount.js';
import { recordChecks } from '../../../model/record-checks/record-checks.js';
import type { ValidationResult } from '../../../model/result.js';
import { type EvidenceLine, evidenceSections, whySection } from '../../../model/text/evidence-lines.js';
import { describeConfidence, headlineOf } from '../../../model/text/headline.js';
import { readableDomain } from '../../../model/text/readable-domain.js';
import { recordAnswers } from '../../../model/text/record-answers.js';
import { explainReason, explainSubStatus, probeOriginOf, retryLater } from '../../../model/text/sentences.js';
import { renderDueTime, renderDuration } from '../../../model/text/time.js';
import { sanitize } from '../../terminal/sanitize.js';
import { paint, type Style, statusPaint } from '../style/paint.js';
import { cutAll, hang, textWidth } from '../style/text-layout.js';

const labelWidth = 13;

/** The card of one address: the verdict, its meaning, the advice and the facts. */
export function renderCard(result: ValidationResult, style: Style): string {
  const { columns } = style;
  const chalk = paint(style.color);
  const line = (text: string): string => hang('  ', 2, text, columns);
  const row = (name: string, text: string): string =>
    hang(`  ${chalk.dim(name.padEnd(labelWidth - 2))}`, labelWidth, sanitize(text), columns);
  const { means, advice } = explanation(result);
  const extraReasons = otherReasons(result);
  const card = [
    heading(result, chalk, style),
    line(`${sanitize(means)}${advice === '' ? '' : ` ${advice}`}`),
    suggestion(result, chalk, columns),
    result.retry_at === undefined ? '' : line(`Try again after ${renderDueTime(result.retry_at * 1000)}.`),
    '\n',
    ...extraReasons.map((sentence, index) => row(index === 0 ? 'Also' : '', sentence)),
    ...facts(result).map(([name, value]) => row(name, value)),
  ].join('');
  const widest = Math.max(...card.split('\n').map((text) => textWidth(stripVTControlCharacters(text))));
  return `${card}${conclusion(result, chalk, columns, Math.max(minConclusionWidth, widest))}`;
}

/** What the verdict means, and what to do. The time of the next try is on a separate line. */
function explanation(result: ValidationResult): { means: string; advice: string } {
  const { means, advice } = explainSubStatus(result.sub_status, result.status, probeOriginOf(result));
  // Only the made-up mailbox got the reply that the sub-status is about.
  if (result.status === 'unknown' && isAcceptedButUnclear(result)) return { means: acceptedButUnclear, advice: '' };
  const missing = result.sub_status === 'no_dns_entries' ? missingDomain(result) : null;
  return {
    means: missing === null ? means : missing.means,
    advice: result.retry_at !== undefined && advice === retryLater ? '' : advice,
  };
}

/** True if the mailbox was accepted, and the reply to a made-up one says nothing. */
function isAcceptedButUnclear({ details, reasons }: ValidationResult): boolean {
  return details.smtp_valid && reasons.includes('catch_all_inconclusive');
}

const acceptedButUnclear =
  'The mail server accepted this mailbox, but gave no clear answer for a made-up one, so it may accept every address.';

/** Whether the domain or only its mail server is missing; null if that is not known. */
function missingDomain({ evidence }: ValidationResult): { means: string; short: string } | null {
  const mx = evidence?.lookups?.find(({ type }) => type === 'MX');
  if (mx?.outcome === 'nxdomain') return { means: 'The domain does not exist.', short: 'does not exist' };
  if (mx?.outcome === 'nodata') return { means: 'The domain exists, but has no mail server.', short: 'no mail server' };
  if (mx?.outcome !== 'found') return null;
  return { means: 'The mail server of the domain has no IP address.', short: `no address of ${mx.records.join(', ')}` };
}

/** The sign, the verdict and the address; a syntax error is marked below it. */
function heading(result: ValidationResult, chalk: ChalkInstance, { columns, unicode }: Style): string {
  const { sign, caution, tone: name } = headlineOf(result, unicode);
  const tone = name === 'plausible' ? chalk.cyan : statusPaint(chalk, name);
  const start = `${sign} ${sanitize(result.status)}   `;
  const email = sanitize(result.email);
  const fault = result.evidence?.syntax.ok === false ? result.evidence.syntax.fault : null;
  if (fault !== null) {
    return markedHeading(start, email, fault.position, sanitize(fault.message), tone, chalk, columns);
  }
  const fitsOneLine = start.length + textWidth(email) <= columns;
  const pieces = fitsOneLine ? [email] : piecesOf(email, columns - 2);
  const lines = pieces.map((piece) => chalk.bold(piece)).join('\n  ');
  const head = fitsOneLine ? `${tone.bold(start)}${lines}` : `${tone.bold(start.trimEnd())}\n  ${lines}`;
  if (caution === '') return `${head}\n`;
  const used = (fitsOneLine ? start.length : 2) + textWidth(pieces.at(-1) ?? '');
  const gap = columns - used - caution.length;
  return gap >= 3
    ? `${head}${' '.repeat(Math.min(gap, 6))}${chalk.dim(caution)}\n`
    : `${head}\n${hang('  ', 2, caution, columns)}`;
}

/** Cuts an address that is wider than the screen, so that the mark is under its character. */
function markedHeading(
  start: string,
  email: string,
  position: number,
  message: string,
  tone: ChalkInstance,
  chalk: ChalkInstance,
  columns: number,
): string {
  const hasOwnLine = start.length + textWidth(email) > columns;
  const indent = hasOwnLine ? 2 : start.length;
  const pieces = piecesOf(email, Math.max(8, columns - indent - 1));
  let line = 0;
  let remaining = Math.min(Math.max(position, 0), email.length);
  for (; line < pieces.length - 1 && remaining >= (pieces[line] ?? '').length; line++)
    remaining -= (pieces[line] ?? '').length;
  const column = indent + textWidth((pieces[line] ?? '').slice(0, remaining));
  const first = hasOwnLine ? `${tone.bold(start.trimEnd())}\n  ` : tone.bold(start);
  const lines = pieces.map((piece, index) => `${index === 0 ? first : '  '}${chalk.bold(piece)}\n`);
  const pointer = `${' '.repeat(column)}${chalk.red('^')}`;
  const marked =
    columns - column - 2 >= 24
      ? hang(`${pointer} `, column + 2, message, columns)
      : `${pointer}\n${hang('  ', 2, message, columns)}`;
  return [...lines.slice(0, line + 1), marked, ...lines.slice(line + 1)].join('');
}

/** The parts of an address that fit the width; broken before the domain if that suffices. */
function piecesOf(text: string, width: number): string[] {
  const at = text.lastIndexOf('@');
  const halves = [text.slice(0, at), text.slice(at)];
  if (at > 0 && textWidth(text) > width && halves.every((half) => textWidth(half) <= width)) return halves;
  return cutAll(text, width);
}

/** Never cut, so that it can be copied. */
function suggestion({ did_you_mean: suggested }: ValidationResult, chalk: ChalkInstance, columns: number): string {
  if (suggested === null) return '';
  const safe = sanitize(suggested);
  const fitsOneLine = '  Did you mean ?'.length + textWidth(safe) <= columns;
  return `  Did you mean${fitsOneLine ? ' ' : '\n  '}${chalk.bold(safe)}?\n`;
}

/** Reasons that other lines of the card show. */
const reasonsShownElsewhere = new Set([
  'dns_not_checked',
  'smtp_not_checked',
  ...recordChecks.flatMap(({ noAnswer }) => noAnswer?.reason ?? []),
]);

function otherReasons(result: ValidationResult): string[] {
  const { reasons, evidence } = result;
  const { sub_status: lead } = result;
  const fault = evidence?.syntax.ok === false ? `${evidence.syntax.fault.code}:` : null;
  return reasons
    .filter((reason) => reason !== lead && !reasonsShownElsewhere.has(reason))
    .filter((reason) => fault === null || !reason.startsWith(fault))
    .map(explainReason);
}

function facts(result: ValidationResult): [string, string][] {
  const { details, reasons } = result;
  // Nothing else is checked after a syntax error.
  if (!details.syntax_valid) return [];
  const askedDns = !reasons.includes('dns_not_checked');
  const askedMailbox = askedDns && !reasons.includes('smtp_not_checked');
  return [
    ...(askedMailbox ? [['Mailbox', mailboxLine(result)] satisfies [string, string]] : []),
    ...serverWords(result),
    ['Domain', domainLine(result, askedDns)],
  ];
}

function mailboxLine(result: ValidationResult): string {
  const { details, catchall, sub_status: subStatus, status, evidence } = result;
  const code = details.smtp_code > 0 ? ` (${details.smtp_code})` : '';
  if (details.smtp_valid && catchall.is_catchall) {
    const isKnownProvider = evidence?.catchAll.source === 'provider';
    const certainty = catchall.confidence === null ? '' : `, ${formatPercent(catchall.confidence)}`;
    return isKnownProvider
      ? `accepted${code}, as this provider does with every address`
      : `accepted${code}, and so was a made-up one (catch-all${certainty})`;
  }
  if (isAcceptedButUnclear(result)) return `accepted${code}; no clear answer for a made-up one`;
  if (details.smtp_valid) {
    return `accepted${code}${catchall.confidence === null ? '' : ', and a made-up one was refused'}`;
  }
  if (subStatus === 'mailbox_quota_exceeded') return `exists, but is full${code}`;
  if (status === 'invalid' && details.smtp_code >= 500) return `refused${code}`;
  if (unreached.has(subStatus)) return 'not asked: no mail server could be reached';
  return `nothing was learned about it${code}`;
}

const unreached = new Set(['failed_smtp_connection', 'outbound_port_blocked']);

/** What a mail server sent instead of SMTP. */
function serverWords({ sub_status: subStatus, evidence }: ValidationResult): [string, string][] {
  const note = evidence?.mailbox?.dialogue.findLast(({ from }) => from === 'note');
  return subStatus === 'exception_occurred' && note !== undefined ? [['Server', note.text]] : [];
}

/** A missing answer is not shown as a no, and nothing from a resolver that is not trusted is shown as a fact. */
function domainLine(result: ValidationResult, asked: boolean): string {
  const { details, sub_status: subStatus, evidence } = result;
  const { domain, provider } = details;
  const readable = readableDomain(domain);
  const others = [readable === domain ? '' : domain, provider === domain ? '' : provider].filter((text) => text !== '');
  const name = others.length === 0 ? readable : `${readable} (${others.join(', ')})`;
  if (!asked) return name;
  if (subStatus === 'dns_error') return `${name} · DNS gave no usable answer`;
  const missing = subStatus === 'no_dns_entries' ? missingDomain(result) : null;
  // A domain that does not exist has no records.
  if (missing?.short === 'does not exist') return `${name} · does not exist`;
  const route = evidence?.route;
  const firstHost = route?.state === 'passed' ? route.detail.hosts[0]?.name : undefined;
  // The host that answered need not be the first one.
  const host = evidence?.mailbox?.host ?? firstHost;
  return [
    name,
    details.dns_valid
      ? host === undefined
        ? 'takes mail'
        : `mail server ${host}`
      : (missing?.short ?? 'no mail server'),
    ...recordAnswers(result).map(({ label, answer }) => `${label} ${answer ?? 'not answered'}`),
  ].join(' · ');
}

const minConclusionWidth = 80;

/** The last line: confidence, and at the right edge of the card the duration and the back end. */
function conclusion(result: ValidationResult, chalk: ChalkInstance, columns: number, edge: number): string {
  const [label, text] = describeConfidence(result);
  const { back_end, plan_tier } = result.metadata;
  const decider = back_end === 'remote' ? 'the service' : sanitize(plan_tier);
  const durationAndPlan = `${renderDuration(result.performance.response_time_ms)} · ${decider}`;
  const paintedLabel = (name: string): string => `  ${chalk.dim(name.padEnd(labelWidth - 2))}`;
  const gap = Math.min(columns, edge) - labelWidth - text.length - durationAndPlan.length;
  return gap >= 3
    ? `${paintedLabel(label)}${text}${' '.repeat(gap)}${chalk.dim(durationAndPlan)}\n`
    : `${hang(paintedLabel(label), labelWidth, text, columns)}${' '.repeat(labelWidth)}${chalk.dim(durationAndPlan)}\n`;
}

const indent = '    ';

/** The sections of `--explain`. */
export function renderEvidence(result: ValidationResult, { color, columns }: Omit<Style, 'unicode'>): string {
  const { evidence } = result;
  const chalk = paint(color);
  if (evidence === undefined) return `\n  ${chalk.bold('Evidence')}\n${indent}The service sends none.\n`;
  const line = ({ label, text, from }: EvidenceLine): string => {
    const safe = sanitize(label);
    const first = `${indent}${from === undefined ? safe : chalk.dim(safe)}`;
    return hang(first, indent.length + safe.length, sanitize(text), columns);
  };
  return [...evidenceSections(evidence), whySection(result, evidence)]
    .map(({ title, lines }) => `\n  ${chalk.bold(title)}\n${lines.map(line).join('')}`)
    .join('');
}
