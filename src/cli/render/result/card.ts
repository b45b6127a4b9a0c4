import type { ChalkInstance } from 'chalk';
import type { ValidationResult } from '../../../model/result.js';
import { sanitise } from '../../terminal/sanitise.js';
import { explainReason, explainSubStatus } from '../sentences.js';
import { paint, statusPaint } from '../style/paint.js';
import { hang } from '../style/wrap.js';

const marks: Record<string, string> = { valid: '✔', invalid: '✖', risky: '!', unknown: '?' };

interface Style {
  colour: boolean;
  columns: number;
}

/** One address for people: the verdict, what it means, what to do, and the facts behind it, within the width of the screen. */
export function renderCard(result: ValidationResult, { colour, columns }: Style): string {
  const chalk = paint(colour);
  const verdict = statusPaint(chalk, result.status);
  const status = sanitise(result.status);
  const subStatus = sanitise(result.sub_status);
  const { means, advice } = explainSubStatus(result.sub_status, result.status);
  const safety = result.safe_to_send ? 'safe to send' : 'not safe to send';
  const rest = `${subStatus === '' ? '' : ` (${subStatus})`}, confidence ${percent(result.confidence)}, ${safety}`;
  const line = (text: string): string => hang('  ', 2, text, columns);
  const lines = [
    heading(result, verdict, chalk, columns),
    line(`${status}${rest}`).replace(status, () => verdict.bold(status)),
    '\n',
    line(`${sanitise(means)}${advice === '' ? '' : ` ${advice}`}`),
    ...result.reasons
      .filter((reason) => reason !== result.sub_status && !isShownFault(reason, result))
      .map((reason) => hang(`  ${chalk.dim('·')} `, 4, sanitise(explainReason(reason)), columns)),
    suggestion(result, chalk, columns),
  ];
  if (result.retry_at !== undefined) {
    lines.push(line(`Ask again after ${new Date(result.retry_at * 1000).toISOString().replace(/\.\d+Z$/, 'Z')}.`));
  }
  const label = (name: string): string => `  ${chalk.dim(name.padEnd(12))}`;
  lines.push('\n', ...facts(result).map(([name, value]) => hang(label(name), 14, sanitise(value), columns)));
  return lines.join('');
}

/** The address, and beneath it, where its spelling is at fault, a mark at the place with the sentence. */
function heading(result: ValidationResult, verdict: ChalkInstance, chalk: ChalkInstance, columns: number): string {
  const mark = marks[result.status] ?? '?';
  const email = sanitise(result.email);
  const { evidence } = result;
  if (evidence === undefined || evidence.syntax.ok) return `${verdict(`${mark} ${email}`)}\n`;
  const { position, message } = evidence.syntax.fault;
  const before = Math.min(Math.max(position, 0), email.length);
  // An address wider than the screen is cut by us, so that the mark stands under its letter.
  const width = Math.max(8, columns - 3);
  const pieces = email.match(new RegExp(`.{1,${width}}`, 'gs')) ?? [''];
  const at = Math.min(Math.floor(before / width), pieces.length - 1);
  const column = 2 + before - at * width;
  const lines = pieces.map((piece, index) => `${verdict(`${index === 0 ? mark : ' '} ${piece}`)}\n`);
  const pointer = `${' '.repeat(column)}${chalk.red('^')}`;
  const beside = columns - column - 2 >= 24;
  lines.splice(
    at + 1,
    0,
    beside
      ? hang(`${pointer} `, column + 2, sanitise(message), columns)
      : `${pointer}\n${hang('  ', 2, sanitise(message), columns)}`,
  );
  return lines.join('');
}

/** A suggestion is never cut: someone will copy it. */
function suggestion({ did_you_mean: meant }: ValidationResult, chalk: ChalkInstance, columns: number): string {
  if (meant === null) return '';
  const safe = sanitise(meant);
  const fits = '  Did you mean ?'.length + safe.length <= columns;
  return `  Did you mean${fits ? ' ' : '\n  '}${chalk.bold(safe)}?\n`;
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
