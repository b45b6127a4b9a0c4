import type { BulkAnswer } from '../../../model/result.js';
import { sanitise } from '../../terminal/sanitise.js';
import { paint } from '../style/paint.js';
import { statusPaint } from '../style/verdict-style.js';
import { cellText, pick } from './pick.js';
import type { RowRenderer, RowStyle } from './rows.js';

const defaultFields = ['status', 'confidence', 'email', 'sub_status', 'did_you_mean'];
const widths: Record<string, number> = { status: 8, confidence: 10, email: 34, sub_status: 27, did_you_mean: 0 };

/** Rows in columns, written as they come: widths are settled beforehand, so a long cell pushes its own row only. */
export function tableRows({ colour, fields }: RowStyle): RowRenderer {
  const chalk = paint(colour);
  const shown = fields ?? defaultFields;
  const line = (cells: readonly string[], status: string | null): string =>
    cells
      .map((cell, index) => {
        const field = shown[index] ?? '';
        const padded = index === cells.length - 1 ? cell : cell.padEnd(widths[field] ?? Math.max(field.length, 14));
        if (status === null) return chalk.bold(padded);
        return field === 'status' ? statusPaint(chalk, status)(padded) : padded;
      })
      .join('  ')
      .trimEnd();
  const cellsOf = ({ result, duplicate }: BulkAnswer): string[] =>
    shown.map((field) => {
      const value = sanitise(cellText(pick({ ...result, duplicate }, field)));
      if (field === 'sub_status' && duplicate && fields === null)
        return value === '' ? 'duplicate' : `${value} (duplicate)`;
      return field === 'did_you_mean' && value !== '' && fields === null ? `did you mean ${value}?` : value;
    });
  return {
    begin: () => {
      const heads = shown.map((field) => (field === 'did_you_mean' && fields === null ? '' : field.toUpperCase()));
      return `${line(heads, null)}\n`;
    },
    rows: (_rows, answers) => answers.map((answer) => `${line(cellsOf(answer), answer.result.status)}\n`).join(''),
    end: () => '',
  };
}
