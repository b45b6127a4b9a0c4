import { Failure } from '../../../model/failure.js';
import type { UploadPreview } from '../../../model/job.js';
import { columnsByName } from '../../../rows/read/email-column.js';
import type { Context } from '../../context.js';
import type { UploadOptions } from './upload-options.js';

/** The columns, by index. Asks for them, and whether to start, where there is someone to ask; else takes what the flags say. */
export async function chooseColumn(
  context: Context,
  preview: UploadPreview,
  options: UploadOptions,
): Promise<readonly number[]> {
  const { terminal } = context;
  const asks = !options.yes && terminal.stdin.isTty && terminal.stderr.isTty;
  if (!asks && !options.yes) {
    throw new Failure('usage', 'An upload needs your confirmation, and there is no terminal to ask on.', {
      hint: 'Add --yes, and --column NAME to be sure of the column.',
    });
  }
  if (preview.row_count === 0) context.note('The file holds no addresses.');
  if (!asks) return columnsOf(preview, options.column);
  const { askColumn, askStart } = await import('./ask-upload.js');
  const given = options.column === undefined ? null : columnsOf(preview, options.column);
  const columns = given ?? [await askColumn(context, preview, options)];
  await askStart(context, preview, columns, options);
  return columns;
}

function columnsOf(preview: UploadPreview, given: string | undefined): readonly number[] {
  const { suggested_email_column: suggested, suggested_email_column_number: number } = preview;
  const wanted = given ?? suggested;
  if (wanted === '') {
    throw new Failure('bad_input', 'No column looks like email addresses.', {
      hint: `Name one with --column. The columns are: ${preview.columns.join(', ')}.`,
    });
  }
  if (given === undefined && number !== undefined) return [number - 1];
  // As for bulk: by name, however it is spelled, or by number.
  return columnsByName(wanted, preview.columns);
}
