import type { ChalkInstance } from 'chalk';
import { formatPercent } from '../../../model/amount.js';
import type { BulkAnswer } from '../../../model/result.js';
import { estimateOf } from '../../../model/text/headline.js';
import { signOf } from '../../../model/text/status-sign.js';
import { sanitize } from '../../terminal/sanitize.js';
import { paint, statusPaint } from '../style/paint.js';
import { cutTo, type Piece, padTo, splitAt, textWidth, wrap } from '../style/text-layout.js';
import { cellText, pick, type RowStyle, type RowWriter, type TextRows, textWriter } from './row-writer.js';

/**
 * A table of verdicts or of the requested fields, written row by row. The first rows decide how wide its columns are, so
 * the heading comes with them.
 */
export function openWriter(style: RowStyle): RowWriter {
  return textWriter(style.fields === null ? verdictTable(style) : fieldTable(style.fields, style));
}

const statusWidth = '? unknown'.length;
const confidenceWidth = '100%'.length;
const gap = '  ';
/** What is on a line of its own is indented at least that much. */
const minIndent = 2;
/** Rows may arrive one by one, so the column of addresses has room for most of them from the start: more on a wide screen. */
const firstEmailWidth = { min: 34, max: 48 };
const maxEmailWidth = 60;
/** With less room, there is no column of reasons: they follow the addresses. */
const minEmailWidth = 24;
const minReasonWidth = 'mailbox_not_found'.length;
const longestName = 'mail_server_did_not_respond';
const longestReason = `${longestName} (est. 75%)`;
const minConfidenceRoom = 50;

/** The longest texts so far. */
interface Longest {
  email: number;
  reason: number;
}

/** The columns that fit the screen. */
function columnsOf(columns: number, longest: Longest) {
  const withConfidence = columns >= minConfidenceRoom;
  const statusEnd = statusWidth + gap.length;
  const fixed = statusEnd + (withConfidence ? confidenceWidth + gap.length : 0);
  const room = columns - fixed;
  const withReason = room >= minEmailWidth + gap.length + minReasonWidth;
  const besideReason = Math.max(minEmailWidth, room - gap.length - Math.max(minReasonWidth, longest.reason));
  const widthBeside = (reason: string): number => Math.max(firstEmailWidth.min, room - gap.length - reason.length);
  const preferred = Math.max(Math.min(firstEmailWidth.max, widthBeside(longestReason)), longest.email);
  const emailWidth = withReason ? Math.min(maxEmailWidth, widthBeside(longestName), besideReason, preferred) : 0;
  /** A longer status takes the space of what is blank after it; if that is too little, the rest gets the next line. */
  const line = (status: Piece, confidence: string, rest: string): string => {
    const shown = withConfidence ? confidence.padStart(confidenceWidth) : '';
    const head = `${padTo(`${status.text}${gap}`, statusEnd)}${shown}`.trimEnd();
    const isTooLong = textWidth(head) + gap.length > fixed;
    const text = isTooLong ? `${head}\n${' '.repeat(fixed)}${rest}` : `${padTo(head, fixed)}${rest}`;
    const { tone = String } = status;
    return `${tone(text.slice(0, status.text.length))}${text.slice(status.text.length)}`.trimEnd();
  };
  return { fixed, room, emailWidth, line };
}

/**
 * The address and its reason in `room` columns. What does not fit is below: the remarks on a reason in its column, all
 * else below the address.
 */
function emailAndReason(
  email: string,
  reason: string,
  { fixed, room, emailWidth }: { fixed: number; room: number; emailWidth: number },
): { beside: string; below: string[] } {
  const width = textWidth(email);
  const reasons = reason === '' ? [] : [reason];
  if (width > room) return { beside: '', below: [email, ...reasons] };
  const textOf = (shown: string): string => `${padTo(email, emailWidth)}${gap}${shown}`;
  if (reason === '') return { beside: email, below: [] };
  if (textWidth(textOf(reason)) <= room) return { beside: textOf(reason), below: [] };
  const [, name = '', remarks = ''] = /^(\S+) (\(.*\))$/.exec(reason) ?? [];
  const isInColumn =
    name !== '' && width <= emailWidth && [name, remarks].every((text) => textWidth(textOf(text)) <= room);
  if (!isInColumn) return { beside: email, below: reasons };
  return { beside: `${textOf(name)}\n${' '.repeat(fixed + emailWidth + gap.length)}${remarks}`, below: [] };
}

/** Cuts an address that is wider than the screen, but keeps its domain. */
function cutAddress(email: string, width: number, ellipsis: string): string {
  const domain = email.slice(Math.max(0, email.lastIndexOf('@')));
  const room = width - textWidth(domain) - textWidth(ellipsis);
  if (textWidth(email) <= width || room < 1) return cutTo(email, width, ellipsis);
  return `${splitAt(email, room)[0]}${ellipsis}${domain}`;
}

function verdictTable({ color, columns, unicode }: RowStyle): TextRows {
  const chalk = paint(color);
  const ellipsis = unicode ? '…' : '~';
  const longest: Longest = { email: 0, reason: 0 };
  let hasHeading = false;
  let layout = columnsOf(columns, longest);
  const emailOf = ({ result }: BulkAnswer): string => cutAddress(sanitize(result.email), columns - minIndent, ellipsis);
  return {
    beforeRows: (answers) => {
      for (const answer of answers) {
        if (hasHeading) continue;
        const email = textWidth(emailOf(answer));
        // The reason of a longer one is not in the column.
        if (email <= Math.min(maxEmailWidth, layout.room - gap.length - minReasonWidth))
          longest.email = Math.max(longest.email, email);
        longest.reason = Math.max(longest.reason, reasonOf(answer).length);
      }
      layout = columnsOf(columns, longest);
      if (hasHeading) return '';
      hasHeading = true;
      const { beside } = emailAndReason('EMAIL', layout.emailWidth > 0 ? 'REASON' : '', layout);
      return `${chalk.bold(layout.line({ text: 'STATUS' }, 'CONF', beside))}\n`;
    },
    row: (_, answer) => {
      const { result } = answer;
      const { fixed, emailWidth, line } = layout;
      const { beside, below } = emailAndReason(emailOf(answer), reasonOf(answer), layout);
      const isChecked = result.status !== '' && !answer.empty && !answer.suppressed;
      // How likely the mailbox exists is shown in place of the confidence of the verdict.
      const isDecided = isChecked && result.status !== 'unknown' && estimateOf(result) === null;
      const confidence = isDecided ? formatPercent(result.confidence) : '';
      const row = line(statusCell(answer, unicode, chalk), confidence, beside);
      const lines = below.map((text) => indented(text, fixed, columns));
      const suggested = 'did_you_mean' in result && !answer.duplicate ? result.did_you_mean : null;
      // On its own line, or on two, and never cut, so that it can be copied. Few fit below the address on a narrow screen, so none is there.
      if (suggested !== null) {
        const text = `did you mean ${sanitize(suggested)}?`;
        lines.push(indented(text, emailWidth > 0 ? fixed : minIndent, columns, chalk.dim));
      }
      return `${row}\n${lines.join('')}`;
    },
  };
}

/** Text on its own line, below the addresses if it fits there. */
function indented(text: string, indent: number, columns: number, tone: (text: string) => string = String): string {
  const fitting = indent + textWidth(text) <= columns ? indent : minIndent;
  return wrap(text, columns - fitting, { cut: false })
    .map((line) => `${' '.repeat(fitting)}${tone(line)}\n`)
    .join('');
}

/** The tick is only for what is safe to send, as on the card. */
function statusCell({ result, empty, suppressed }: BulkAnswer, unicode: boolean, chalk: ChalkInstance): Piece {
  const status = sanitize(result.status);
  // No verdict yet.
  if (status === '') return { text: '' };
  const isUnsure = status === 'valid' && 'safe_to_send' in result && !result.safe_to_send;
  // Not counted as unknown, so without its sign.
  const sign = empty || suppressed ? '-' : isUnsure ? '~' : signOf(status, unicode);
  return { text: `${sign} ${status}`, tone: isUnsure ? chalk.cyan : statusPaint(chalk, status) };
}

function reasonOf(answer: BulkAnswer): string {
  const { result, duplicate } = answer;
  const estimate = estimateOf(result);
  const remarks = [
    ...(estimate !== null && !duplicate ? [`est. ${formatPercent(estimate)}`] : []),
    ...(duplicate ? ['duplicate'] : []),
  ].join(', ');
  const reason = sanitize(cellText(pick({ ...result }, 'sub_status')));
  if (remarks === '') return reason;
  return reason === '' ? remarks : `${reason} (${remarks})`;
}

/** Free text, which is cut to the room that is left. */
const freeText = 'reply';
const minFreeTextWidth = 24;

/** Fields that do not fit one line are on more lines, in the heading as in the rows. */
function fieldTable(fields: readonly string[], { color, columns, unicode }: RowStyle): TextRows {
  const chalk = paint(color);
  const titles = fields.map((field) => field.toUpperCase());
  const widths = titles.map(textWidth);
  // A longer cell takes the room of the next ones.
  const maxWidth = Math.max(minEmailWidth, Math.floor(columns * 0.4));
  let hasHeading = false;
  const cellsOf = ({ result, duplicate, added }: BulkAnswer): string[] =>
    fields.map((field) => sanitize(cellText(pick({ ...result, duplicate, ...added }, field))));
  const render = (cells: readonly string[], tone: (field: string) => (text: string) => string): string => {
    let text = '';
    let end = 0;
    for (const [index, cell] of cells.entries()) {
      const field = fields[index] ?? '';
      const column = widths[index] ?? 0;
      const width = Math.max(column, textWidth(cell));
      const indent = index === 0 ? '' : gap;
      const needed = field === freeText ? Math.min(minFreeTextWidth, width) : width;
      if (index > 0 && end + indent.length + needed > columns) {
        text = `${text.trimEnd()}\n`;
        end = 0;
      }
      const start = end + indent.length;
      const shown = field === freeText ? cutTo(cell, columns - start, unicode ? '…' : '~') : cell;
      // The padding stays outside the color codes, so that it can be trimmed.
      text += `${indent}${tone(field)(shown)}${padTo('', column - textWidth(shown))}`;
      end = start + Math.max(column, textWidth(shown));
    }
    // A line of empty cells is left out.
    return `${text.trimEnd()}\n`.replace(/\n\s*\n/g, '\n');
  };
  return {
    beforeRows: (answers) => {
      for (const answer of answers) {
        for (const [index, cell] of cellsOf(answer).entries()) {
          const width = textWidth(cell);
          if (width <= maxWidth) widths[index] = Math.max(widths[index] ?? 0, width);
        }
      }
      if (hasHeading) return '';
      hasHeading = true;
      return render(titles, () => chalk.bold);
    },
    row: (_, answer) => {
      const tone = (field: string) => (field === 'status' ? statusPaint(chalk, answer.result.status) : String);
      return render(cellsOf(answer), tone);
    },
  };
}
