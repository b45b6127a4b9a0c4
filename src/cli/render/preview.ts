import { amount } from '../../model/amount.js';
import type { UploadPreview } from '../../model/job.js';
import { sanitise } from '../terminal/sanitise.js';
import { renderGrid } from './style/grid.js';

const widestCell = 32;

/** What a file holds, for someone who is about to agree to a job. */
export function renderPreview(preview: UploadPreview, style: { colour: boolean }): string {
  const { filename, columns, suggested_email_column, sample_rows = [], row_count, row_count_exact } = preview;
  const rows = row_count === undefined ? '' : `, ${row_count_exact ? '' : 'about '}${amount(row_count, 'row')}`;
  const shown = sample_rows.map((cells) => columns.map((_, index) => cut(cells[index] ?? '')));
  const likely =
    suggested_email_column === ''
      ? 'No column looks like addresses.'
      : `The addresses seem to be in "${suggested_email_column}".`;
  return `${sanitise(filename)}: ${amount(columns.length, 'column')}${rows}\n\n${renderGrid(columns.map(cut), shown, style)}\n${sanitise(likely)}\n`;
}

function cut(cell: string): string {
  return cell.length > widestCell ? `${cell.slice(0, widestCell - 1)}…` : cell;
}
