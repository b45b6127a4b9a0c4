import { Failure } from '../../../model/failure.js';
import type { UploadPreview } from '../../../model/job.js';
import type { FileReading } from '../../../model/service.js';
import type { Context } from '../../context.js';
import { planParts, renderColumns, renderFile } from '../../render/preview.js';
import { flow } from '../../render/style/wrap.js';
import { askChoice, askYes } from '../../terminal/prompt.js';
import { sanitize } from '../../terminal/sanitize.js';
import { withSpinner } from '../../terminal/waiting.js';

interface AskedFile {
  path: string;
  reading: FileReading;
}

/** What a list of choices has beside its labels. */
const choiceMargin = 8;

/** Shows what is in the file, and lets somebody choose the column; gives its index. */
export async function askColumn(
  { terminal: { stderr }, signal }: Context,
  preview: UploadPreview,
  { path, reading }: AskedFile,
): Promise<number> {
  const { profileColumns } = await import('../../../rows/profile-columns.js');
  const { columns, delimiter } = await profileColumns(path, { ...reading, signal });
  await stderr.write(`${renderFile(preview, delimiter)}\n\n`);
  if (columns.length === 1) return 0;
  const suggested =
    preview.suggested_email_column_number ?? preview.columns.indexOf(preview.suggested_email_column) + 1;
  const labels = renderColumns(columns, { width: stderr.columns - choiceMargin });
  return askChoice('Which column holds the addresses?', labels, Math.max(0, suggested - 1));
}

/** Says what will happen, and asks whether it may. A no is the Failure `interrupted`. */
export async function askStart(
  context: Context,
  { columns: names }: UploadPreview,
  columns: readonly number[],
  { path, reading }: AskedFile,
): Promise<void> {
  const { stderr } = context.terminal;
  const { signal } = context;
  const { planFile } = await import('../../../service/plan-file.js');
  const column = names[columns[0] ?? 0] ?? '';
  const plan = await withSpinner(context, 'counting the addresses …', () =>
    planFile(path, { columns, column, reading, signal }),
  );
  const { mode, baseUrl, level } = context.settings();
  const where = mode === 'remote' ? { service: sanitize(baseUrl ?? 'the remote service') } : { level };
  const pieces = planParts(plan, where).map((text) => ({ text }));
  await stderr.write(`\n${flow('  ', 2, pieces, { between: ' · ', columns: stderr.columns })}`);
  if (await askYes('Start?')) return;
  throw new Failure('interrupted', 'Not started; nothing was changed.');
}
