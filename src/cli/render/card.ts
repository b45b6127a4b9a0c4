import type { ChalkInstance } from 'chalk';
import type { ValidationResult } from '../../model/result.js';
import { sanitise } from '../sanitise.js';
import { paint, statusPaint } from './paint.js';
import { explainReason, explainSubStatus } from './sentences.js';

const marks: Record<string, string> = { valid: '✔', invalid: '✖', risky: '!', unknown: '?' };

/** One address for people: the verdict, what it means, what to do, and the facts behind it. */
export function renderCard(result: ValidationResult, style: { colour: boolean }): string {
  const chalk = paint(style.colour);
  const verdict = statusPaint(chalk, result.status);
  const status = sanitise(result.status);
  const subStatus = sanitise(result.sub_status);
  const { means, advice } = explainSubStatus(result.sub_status, result.status);
  const lines = [
    `${verdict(`${marks[result.status] ?? '?'} ${sanitise(result.email)}`)}`,
    ...pointAtFault(result, chalk),
    `  ${verdict.bold(status)}${subStatus === '' ? '' : ` (${subStatus})`}, confidence ${percent(result.confidence)}, ${
      result.safe_to_send ? 'safe to send' : 'not safe to send'
    }`,
    '',
    `  ${sanitise(means)}${advice === '' ? '' : ` ${advice}`}`,
    ...result.reasons
      .filter((reason) => reason !== result.sub_status && !isShownFault(reason, result))
      .map((reason) => `  ${chalk.dim('·')} ${sanitise(explainReason(reason))}`),
  ];
  if (result.did_you_mean !== null) lines.push(`  Did you mean ${chalk.bold(sanitise(result.did_you_mean))}?`);
  if (result.retry_at !== undefined) {
    lines.push(`  Ask again after ${new Date(result.retry_at * 1000).toISOString().replace(/\.\d+Z$/, 'Z')}.`);
  }
  lines.push('', ...facts(result).map(([name, value]) => `  ${chalk.dim(name.padEnd(12))}${sanitise(value)}`));
  return `${lines.join('\n')}\n`;
}

function pointAtFault({ evidence, email }: ValidationResult, chalk: ChalkInstance): string[] {
  if (evidence === undefined || evidence.syntax.ok) return [];
  const { position, message } = evidence.syntax.fault;
  const before = Math.min(Math.max(position, 0), email.length);
  return [`  ${' '.repeat(before)}${chalk.red('^')} ${sanitise(message)}`];
}

/** The fault that the card points at need not be said twice. */
function isShownFault(reason: string, { evidence }: ValidationResult): boolean {
  return evidence !== undefined && !evidence.syntax.ok && reason.startsWith(`${evidence.syntax.fault.code}:`);
}

function facts(result: ValidationResult): [string, string][] {
  const { details, catchall, ai_enhancement: ai, performance, metadata, reasons } = result;
  const skippedDns = reasons.includes('dns_not_checked');
  const skippedSmtp = reasons.includes('smtp_not_checked') || skippedDns;
  const code = details.smtp_code > 0 ? ` (${details.smtp_code})` : '';
  // Nothing else is looked at where there is no address.
  if (!details.syntax_valid) return [['Took', `${performance.response_time_ms} ms, ${metadata.plan_tier}`]];
  const rows: [string, string][] = [
    ['Domain', details.domain],
    ['Provider', details.provider],
    ['Syntax', 'fine'],
    ['DNS', dnsLine(result, skippedDns)],
    ['Mailbox', skippedSmtp ? 'not checked' : `${details.smtp_valid ? 'accepted' : 'not confirmed'}${code}`],
    ['Catch-all', catchall.confidence === null ? 'not checked' : yesNo(catchall.is_catchall)],
    ['Disposable', yesNo(details.is_disposable)],
    ['Role', yesNo(details.is_role_based)],
    ['AI', ai.used ? (ai.method ?? 'used') : ''],
    ['Took', `${performance.response_time_ms} ms, ${metadata.plan_tier}`],
  ];
  return rows.filter(([, value]) => value !== '');
}

/** What was not found out is not the same as no. */
function dnsLine({ details, sub_status, reasons }: ValidationResult, skipped: boolean): string {
  if (skipped) return 'not checked';
  if (sub_status === 'dns_error') return 'no usable answer';
  const spf = reasons.includes('spf_no_answer') ? 'no answer' : yesNo(details.has_spf);
  const dmarc = reasons.includes('dmarc_no_answer') ? 'no answer' : yesNo(details.has_dmarc);
  return `${details.dns_valid ? 'takes mail' : 'no mail host found'}, SPF ${spf}, DMARC ${dmarc}`;
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function percent(confidence: number): string {
  return `${Math.round(confidence * 100)} %`;
}
