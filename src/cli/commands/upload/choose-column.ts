import { Failure } from '../../../model/failure.js';
import type { UploadPreview } from '../../../model/job.js';
import { columnsByName } from '../../../rows/read/email-column.js';
import type { Context } from '../../context.js';
import { planParts, renderColumns, renderFile } from '../../render/preview.js';
import { flow } from '../../render/style/text-layout.js';
import { canAsk } from '../../terminal/confirm-deletion.js';
import { sanitize } from '../../terminal/sanitize.js';
import type { UploadOptions } from './upload-run.js';

/** The width of the prompt around a choice, which counts the codes of its color, too. */
const choiceMargin = 16;

/** The indexes of the columns to vet. Without `--yes`, asks for the column and for confirmation on the terminal; null if the answer is no. */
export async function chooseColumn(
  context: Context,
  preview: UploadPreview,
  options: UploadOptions,
): Promise<readonly number[] | null> {
  if (!options.yes && !canAsk(context)) {
    throw new Failure('usage', 'An upload needs your confirmation, and there is no terminal to ask on.', {
      hint: 'Add --yes, and --column NAME to be sure of the column.',
    });
  }
  if (preview.row_count === 0) context.note('The file has no addresses.');
  if (options.yes) return columnsOf(preview, options.column);
  const columns =
    options.column === undefined ? [await askColumn(context, preview, options)] : columnsOf(preview, options.column);
  if (await askStart(context, preview, columns, options)) return columns;
  context.note('Not started; nothing was changed.');
  return null;
}

function columnsOf(preview: UploadPreview, requested: string | undefined): readonly number[] {
  const { suggested_email_column: suggested, suggested_email_column_number: number } = preview;
  const name = requested ?? suggested;
  if (name === '') {
    throw new Failure('bad_input', 'No column looks like email addresses.', {
      hint: `Name one with --column. The columns are: ${preview.columns.join(', ')}.`,
    });
  }
  if (requested === undefined && number !== undefined) return [number - 1];
  return columnsByName(name, preview.columns);
}

/** Shows what is in the file, and asks for the column with the addresses unless only the suggested one has any; returns its index. */
async function askColumn(
  { terminal: { stderr }, signal, note }: Context,
  preview: UploadPreview,
  { path, reading }: UploadOptions,
): Promise<number> {
  const { profileColumns } = await import('../../../rows/preview.js');
  const { columns, delimiter } = await profileColumns(path, { ...reading, signal });
  await stderr.write(`${renderFile(preview, delimiter, stderr)}\n`);
  if (columns.length === 1) return 0;
  const suggested =
    preview.suggested_email_column_number ?? preview.columns.indexOf(preview.suggested_email_column) + 1;
  const withAddresses = columns.flatMap(({ addresses }, index) => (addresses > 0 ? [index] : []));
  const [only = -1, ...others] = withAddresses;
  if (others.length === 0 && only === suggested - 1) {
    note(`Only the column ${JSON.stringify(columns[only]?.name ?? '')} has addresses.`);
    return only;
  }
  const labels = renderColumns(columns, { width: stderr.columns - choiceMargin });
  const { askChoice } = await import('../../terminal/prompt.js');
  return askChoice('Which column contains the addresses?', labels, Math.max(0, suggested - 1));
}

/** Shows what will happen, and asks for confirmation. */
async function askStart(
  context: Context,
  { columns: names }: UploadPreview,
  columns: readonly number[],
  { path, reading }: UploadOptions,
): Promise<boolean> {
  const { signal } = context;
  const { stderr } = context.terminal;
  const { openRows } = await import('../../../rows/open-rows.js');
  const { planList } = await import('../../../service/plan-list.js');
  const { withSpinner } = await import('../../terminal/progress.js');
  const column = names[columns[0] ?? 0] ?? '';
  const { mode, baseUrl, level, allowNetworks, allowList } = context.settings();
  const network = { level, allowNetworks, allowList };
  const plan = await withSpinner(context, 'counting the addresses …', async () => {
    const source = await openRows({ path, name: path }, { ...reading, column, columns, signal });
    return planList(source.chunks, { network });
  });
  const where = mode === 'remote' ? { service: sanitize(baseUrl ?? 'the remote service') } : { level };
  const pieces = planParts(plan, where).map((text) => ({ text }));
  await stderr.write(`\n${flow('  ', 2, pieces, { between: ' · ', columns: stderr.columns })}`);
  const { askYes } = await import('../../terminal/prompt.js');
  return askYes('Start?');
}
