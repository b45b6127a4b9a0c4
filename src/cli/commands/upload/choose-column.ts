import { Failure } from '../../../model/failure.js';
import type { UploadPreview } from '../../../model/job.js';
import { columnsByName } from '../../../rows/read/email-column.js';
import type { Context } from '../../context.js';
import { renderPreview } from '../../render/preview.js';

/** The columns, by index. Shows the preview and asks, where there is someone to ask; else takes what the flags say. */
export async function chooseColumn(
  context: Context,
  preview: UploadPreview,
  options: { yes: boolean; column: string | undefined },
): Promise<readonly number[]> {
  const { terminal } = context;
  const asks = !options.yes && terminal.stdin.isTty && terminal.stderr.isTty;
  if (!asks && !options.yes) {
    throw new Failure('usage', 'An upload needs your confirmation, and there is no terminal to ask on.', {
      hint: 'Add --yes, and --column NAME to be sure of the column.',
    });
  }
  if (preview.row_count === 0) context.note('The file holds no addresses.');
  if (asks) await terminal.stderr.write(renderPreview(preview, terminal.stderr));
  const wanted = options.column ?? (asks ? await askColumn(preview) : preview.suggested_email_column);
  if (wanted === '') {
    throw new Failure('bad_input', 'No column looks like email addresses.', {
      hint: `Name one with --column. The columns are: ${preview.columns.join(', ')}.`,
    });
  }
  const { suggested_email_column: suggested, suggested_email_column_number: number } = preview;
  if (options.column === undefined && wanted === suggested && number !== undefined) return [number - 1];
  // As for bulk: by name, however it is spelled, or by number.
  return columnsByName(wanted, preview.columns);
}

async function askColumn({ columns, suggested_email_column }: UploadPreview): Promise<string> {
  const { askText } = await import('../../terminal/prompt.js');
  const answer = await askText(`Column with the addresses [${suggested_email_column}]`, (value) =>
    value === '' || columns.includes(value) ? undefined : `One of: ${columns.join(', ')}`,
  );
  return answer === '' ? suggested_email_column : answer;
}
