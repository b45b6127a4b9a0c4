import type { ChalkInstance } from 'chalk';
import { formatPercent } from '../../../model/amount.js';
import type { BulkAnswer } from '../../../model/result.js';
import { signOf } from '../../../model/text/status-sign.js';
import { changeColumn } from '../../../rows/table/verdict-columns.js';
import { sanitize } from '../../terminal/sanitize.js';
import { paint, statusPaint } from '../style/paint.js';
import { cutTo, padTo, textWidth } from '../style/text-layout.js';
import { cellText, pick, type RowStyle, type RowWriter, type TextRows, textWriter } from './row-writer.js';

/** A table of the width of the screen, written row by row, of verdicts or of the requested fields. */
export function openWriter(style: RowStyle): RowWriter {
  return textWriter(style.fields === null ? verdictTable(style) : fieldTable(style.fields, paint(style.color)));
}

const statusWidth = '? unknown'.length;
const confidenceWidth = '100%'.length;
const gap = '  ';
/** A code that is cut cannot be looked up, so the column is dropped instead. */
const reasonWidth = 'mail_server_did_not_respond'.length;

const changeWidth = 'unknown->invalid'.length;

/** The columns that fit the screen. Others are dropped, and long addresses are cut. */
function columnsOf(columns: number, withChange: boolean) {
  const spare = withChange ? columns - changeWidth - gap.length : columns;
  const withConfidence = spare >= 50;
  const withReason = spare >= 64;
  const fixed = statusWidth + gap.length + (withConfidence ? confidenceWidth + gap.length : 0) + columns - spare;
  const room = columns - fixed;
  const emailWidth = withReason ? Math.min(40, Math.max(16, room - gap.length - reasonWidth)) : Math.max(8, room);
  const line = (status: string, change: string, confidence: string, email: string, reason: string): string =>
    [
      status,
      ...(withChange ? [change.padEnd(changeWidth)] : []),
      ...(withConfidence ? [confidence.padStart(confidenceWidth)] : []),
      ...(withReason ? [padTo(email, emailWidth), reason] : [email]),
    ]
      .join(gap)
      .trimEnd();
  return { fixed, emailWidth, line };
}

function verdictTable({ color, columns, unicode }: RowStyle): TextRows {
  const chalk = paint(color);
  const more = unicode ? '…' : '~';
  let { fixed, emailWidth, line } = columnsOf(columns, false);
  return {
    begin: ({ added = [] }) => {
      ({ fixed, emailWidth, line } = columnsOf(columns, added.includes(changeColumn)));
      return `${chalk.bold(line('STATUS'.padEnd(statusWidth), 'CHANGE', 'CONF', 'EMAIL', 'REASON'))}\n`;
    },
    row: (_, answer) => {
      const { result, added } = answer;
      const email = sanitize(result.email);
      const change = sanitize(added?.[changeColumn] ?? '');
      const text = line(
        statusCell(answer, unicode, chalk),
        unicode ? change : change.replace('→', '->'),
        result.status === '' ? '' : formatPercent(result.confidence),
        cutTo(email, emailWidth, more),
        reasonOf(answer, columns - fixed - emailWidth - gap.length),
      );
      return `${text}\n${suggestionLine(answer, fixed, columns, chalk)}`;
    },
  };
}

/** The tick is only for what is safe to send, as on the card. */
function statusCell({ result }: BulkAnswer, unicode: boolean, chalk: ChalkInstance): string {
  const status = sanitize(result.status);
  // No verdict yet, or an address that is gone.
  if (status === '') return ' '.repeat(statusWidth);
  const isUnsure = status === 'valid' && 'safe_to_send' in result && !result.safe_to_send;
  const text = `${isUnsure ? '~' : signOf(status, unicode)} ${status}`.padEnd(statusWidth);
  return (isUnsure ? chalk.cyan : statusPaint(chalk, status))(text);
}

function reasonOf({ result, duplicate }: BulkAnswer, room: number): string {
  const reason = sanitize(cellText(pick({ ...result }, 'sub_status')));
  if (!duplicate) return reason;
  const withMark = reason === '' ? 'duplicate' : `${reason} (duplicate)`;
  return withMark.length <= room ? withMark : reason;
}

/** A suggestion is on its own line and never cut, so that it can be copied. */
function suggestionLine({ result, duplicate }: BulkAnswer, indent: number, columns: number, chalk: ChalkInstance) {
  const suggestion = 'did_you_mean' in result && !duplicate ? result.did_you_mean : null;
  if (suggestion === null) return '';
  const text = `did you mean ${sanitize(suggestion)}?`;
  const left = Math.max(2, Math.min(indent, columns - textWidth(text)));
  return `${' '.repeat(left)}${chalk.dim(text)}\n`;
}

function fieldTable(fields: readonly string[], chalk: ChalkInstance): TextRows {
  const widths: Record<string, number> = { status: 8, confidence: 10, email: 34, sub_status: reasonWidth };
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
    row: (_, { result, duplicate }) => {
      const cells = fields.map((field) => sanitize(cellText(pick({ ...result, duplicate }, field))));
      const tone = (field: string) => (field === 'status' ? statusPaint(chalk, result.status) : String);
      return `${line(cells, tone)}\n`;
    },
  };
}
