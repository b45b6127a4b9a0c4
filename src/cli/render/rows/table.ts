import type { ChalkInstance } from 'chalk';
import { formatPercent } from '../../../model/amount.js';
import type { BulkAnswer } from '../../../model/result.js';
import { isEstimate } from '../../../model/text/headline.js';
import { signOf } from '../../../model/text/status-sign.js';
import { changeColumn } from '../../../rows/table/verdict-columns.js';
import { sanitize } from '../../terminal/sanitize.js';
import { paint, statusPaint } from '../style/paint.js';
import { cutTo, hang, type Piece, padTo, textWidth } from '../style/text-layout.js';
import { cellText, pick, type RowStyle, type RowWriter, type TextRows, textWriter } from './row-writer.js';

/** A table of the width of the screen, written row by row, of verdicts or of the requested fields. */
export function openWriter(style: RowStyle): RowWriter {
  return textWriter(style.fields === null ? verdictTable(style) : fieldTable(style.fields, paint(style.color)));
}

const statusWidth = '? unknown'.length;
const confidenceWidth = '100%'.length;
const gap = '  ';
/** A code that is cut cannot be looked up, so it moves to its own line instead. */
const reasonWidth = 'mail_server_did_not_respond'.length;
/** Nearly all addresses are shorter, so that their reasons are aligned; longer ones move the reason to the right. */
const maxEmailWidth = 60;
const minEmailWidth = 12;

const changeWidth = 'unknown->invalid'.length;
const wideChangeWidth = 'suppressed->unknown'.length;

const minConfidenceRoom = 50;

/** The columns that fit the screen. */
function columnsOf(columns: number, withChange: boolean) {
  const isWide = columns - wideChangeWidth - gap.length >= minConfidenceRoom;
  const changeRoom = withChange ? (isWide ? wideChangeWidth : changeWidth) + gap.length : 0;
  const spare = columns - changeRoom;
  const withConfidence = spare >= minConfidenceRoom;
  const withReason = spare >= 64;
  const changeEnd = statusWidth + gap.length + changeRoom;
  const fixed = changeEnd + (withConfidence ? confidenceWidth + gap.length : 0);
  const room = columns - fixed;
  const emailWidth = withReason ? Math.min(maxEmailWidth, Math.max(16, room - gap.length - reasonWidth)) : 0;
  /** A longer status or change takes the space of what is blank after it; if that is too little, the rest gets the next line. */
  const line = (status: Piece, change: string, confidence: string, rest: string): string => {
    const verdict = `${status.text.padEnd(statusWidth)}${gap}${withChange ? change : ''}`.trimEnd();
    const shown = withConfidence ? confidence.padStart(confidenceWidth) : '';
    const head = `${padTo(`${verdict}${gap}`, changeEnd)}${shown}`.trimEnd();
    const isTooLong = textWidth(head) + gap.length > fixed;
    const text = isTooLong ? `${head}\n${' '.repeat(fixed)}${rest}` : `${padTo(head, fixed)}${rest}`;
    const { tone = String } = status;
    return `${tone(text.slice(0, status.text.length))}${text.slice(status.text.length)}`.trimEnd();
  };
  return { fixed, room, emailWidth, line };
}

/** The address and its reason in `room` columns. The address is cut only if it does not fit, the reason never: it may get the next line. */
function emailAndReason(
  email: string,
  reason: string,
  { room, emailWidth }: { room: number; emailWidth: number },
  ellipsis: string,
): { text: string; reasonBelow: string } {
  const width = textWidth(email);
  const available = room - gap.length - reason.length;
  if (reason === '') return { text: cutTo(email, room, ellipsis), reasonBelow: '' };
  if (width <= available)
    return { text: `${padTo(email, Math.min(emailWidth, available))}${gap}${reason}`, reasonBelow: '' };
  const isCutAnyway = width > room || emailWidth > 0;
  if (isCutAnyway && available >= minEmailWidth)
    return { text: `${cutTo(email, available, ellipsis)}${gap}${reason}`, reasonBelow: '' };
  return { text: cutTo(email, room, ellipsis), reasonBelow: reason };
}

function verdictTable({ color, columns, unicode }: RowStyle): TextRows {
  const chalk = paint(color);
  const ellipsis = unicode ? '…' : '~';
  let layout = columnsOf(columns, false);
  return {
    begin: ({ added = [] }) => {
      layout = columnsOf(columns, added.includes(changeColumn));
      const { text } = emailAndReason('EMAIL', layout.emailWidth > 0 ? 'REASON' : '', layout, ellipsis);
      return `${chalk.bold(layout.line({ text: 'STATUS' }, 'CHANGE', 'CONF', text))}\n`;
    },
    row: (_, answer) => {
      const { result, added } = answer;
      const { fixed, line } = layout;
      const change = sanitize(added?.[changeColumn] ?? '');
      const { text, reasonBelow } = emailAndReason(sanitize(result.email), reasonOf(answer), layout, ellipsis);
      const row = line(
        statusCell(answer, unicode, chalk),
        unicode ? change : change.replace('→', '->'),
        result.status === '' || answer.empty || answer.suppressed || isEstimated(answer)
          ? ''
          : formatPercent(result.confidence),
        text,
      );
      const indent = Math.max(2, Math.min(fixed, columns - textWidth(reasonBelow)));
      const below = reasonBelow === '' ? '' : hang(' '.repeat(indent), indent, reasonBelow, columns, { cut: false });
      return `${row}\n${below}${suggestionLine(answer, fixed, columns, chalk)}`;
    },
  };
}

/** The tick is only for what is safe to send, as on the card. */
function statusCell({ result, empty, suppressed }: BulkAnswer, unicode: boolean, chalk: ChalkInstance): Piece {
  const status = sanitize(result.status);
  // No verdict yet, or an address that is gone.
  if (status === '') return { text: '' };
  const isUnsure = status === 'valid' && 'safe_to_send' in result && !result.safe_to_send;
  // Not counted as unknown, so without its sign.
  const sign = empty || suppressed ? '-' : isUnsure ? '~' : signOf(status, unicode);
  return { text: `${sign} ${status}`, tone: isUnsure ? chalk.cyan : statusPaint(chalk, status) };
}

/** Whether the confidence is how likely the mailbox exists, which is not the confidence of the verdict. */
function isEstimated({ result }: BulkAnswer): boolean {
  const { status } = result;
  return status !== '' && isEstimate({ status, sub_status: 'sub_status' in result ? result.sub_status : '' });
}

function reasonOf(answer: BulkAnswer): string {
  const { result, duplicate } = answer;
  const remarks = [
    ...(isEstimated(answer) && !duplicate ? [`est. ${formatPercent(result.confidence)}`] : []),
    ...(duplicate ? ['duplicate'] : []),
  ].join(', ');
  const reason = sanitize(cellText(pick({ ...result }, 'sub_status')));
  if (remarks === '') return reason;
  return reason === '' ? remarks : `${reason} (${remarks})`;
}

/** A suggestion is on its own line and never cut, so that it can be copied. */
function suggestionLine({ result, duplicate }: BulkAnswer, indent: number, columns: number, chalk: ChalkInstance) {
  const suggestion = 'did_you_mean' in result && !duplicate ? result.did_you_mean : null;
  if (suggestion === null) return '';
  const text = `did you mean ${sanitize(suggestion)}?`;
  const indentation = Math.max(2, Math.min(indent, columns - textWidth(text)));
  return `${' '.repeat(indentation)}${chalk.dim(text)}\n`;
}

function fieldTable(fields: readonly string[], chalk: ChalkInstance): TextRows {
  const widths: Record<string, number> = {
    status: 8,
    confidence: 10,
    email: 34,
    sub_status: reasonWidth,
    kind: 10,
    address: 34,
  };
  const line = (cells: readonly string[], tone: (field: string) => (text: string) => string): string =>
    cells
      .map((cell, index) => {
        const field = fields[index] ?? '';
        const last = index === cells.length - 1;
        return tone(field)(last ? cell : padTo(cell, widths[field] ?? Math.max(field.length, 14)));
      })
      .join(gap)
      .trimEnd();
  return {
    begin: () => {
      const titles = fields.map((field) => field.toUpperCase());
      return `${line(titles, () => chalk.bold)}\n`;
    },
    row: (_, { result, duplicate, added }) => {
      const cells = fields.map((field) => sanitize(cellText(pick({ ...result, duplicate, ...added }, field))));
      const tone = (field: string) => (field === 'status' ? statusPaint(chalk, result.status) : String);
      return `${line(cells, tone)}\n`;
    },
  };
}
