import { basename } from 'node:path';
import type { Run } from '../../../lists/answers.js';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { UploadPreview } from '../../../model/job.js';
import type { ValidationService } from '../../../model/service.js';
import { sumJobs } from '../../../service/remote/joined-jobs.js';
import { areJobs, partsFailure, unsentJob, uploadInParts } from '../../../service/remote/upload-in-parts.js';
import type { Context } from '../../context.js';
import { chooseColumn } from './choose-column.js';
import { followAndShow, type SentList } from './follow-remote.js';
import { findEarlierJob, openUploadRun, type UploadOptions } from './upload-run.js';

/** Uploads to a service in as many parts as needed, and follows their jobs as one. A failed part is reported at the end. */
export async function runRemoteUpload(
  context: Context,
  service: ValidationService,
  options: UploadOptions,
): Promise<number> {
  await requireRows(context, service, options);
  const { baseUrl, apiKey } = context.settings();
  const run = await openUploadRun(context, options, { baseUrl, apiKey }, { isPaid: true });
  try {
    const sent = await sendList(context, service, options, run);
    if (sent === null) return 0;
    const { job, failure } = sent;
    if (job.id === '' && failure !== null) throw failure;
    const status = await followAndShow(context, service, options, sent).catch((error: unknown) => {
      // Another error, such as Ctrl-C, must not hide that rows were not sent.
      if (failure !== null && error !== failure) context.warn(`${failure.message} ${failure.hint ?? ''}`.trim());
      throw error;
    });
    if (failure !== null) throw failure;
    if (options.wait && status === 0) await run.finish();
    else if (!options.wait) {
      const command = context.command('jobs', 'get', job.id, '--watch');
      context.note(`The service runs the job. Follow it with: ${command}`);
    }
    return status;
  } finally {
    await run.close();
  }
}

/** Sends what an earlier start has not sent, once the user agrees; null if not. */
async function sendList(
  context: Context,
  service: ValidationService,
  options: UploadOptions,
  run: Run,
): Promise<SentList | null> {
  const { signal } = context;
  const { path, reading } = options;
  const { maxCredits = Number.POSITIVE_INFINITY } = options.run;
  const { maxRows } = context.settings();
  const known = run.unfinished?.jobs ?? [];
  const earlier = areJobs(known) ? await findEarlierJob(context, service, run, options) : null;
  if (earlier !== null) return { job: earlier, failure: null, unsent: [] };
  const upload = await uploadInParts(
    service,
    { path, filename: basename(path) },
    { signal, reading, ...(maxRows !== null && { maxRows }) },
  );
  if (upload.rowCount > maxCredits) {
    const cost = `The list may cost ${formatAmount(upload.rowCount, 'credit')}`;
    throw new Failure('no_credits', `${cost}, but --max-credits allows ${formatNumber(maxCredits)}.`, {
      hint: 'Nothing was started. Allow more, or give a shorter list.',
    });
  }
  if (reading.limit !== undefined && upload.rowCount === reading.limit) {
    context.note(`--limit took the first ${formatAmount(reading.limit, 'row')}.`);
  }
  const columns = await chooseColumn(context, upload.preview, options);
  if (columns === null) return null;
  const column = columnName(upload.preview, columns, (await service.sendsResults?.(context)) === true);
  await reportList(context, options, column);
  const isSameList = !areJobs(known) && known.length === upload.parts.length;
  if (isSameList) context.note('Continuing an upload of this list that was stopped while its jobs were created.');
  const parts = await upload.confirm(column, { signal, onState: run.attach.bind(run), ...(isSameList && { known }) });
  const jobs = parts.flatMap(({ job }) => (job === null ? [] : [job]));
  return {
    job: sumJobs(jobs),
    failure: partsFailure(parts),
    unsent: parts.filter(({ job }) => job === null).map(unsentJob),
  };
}

/** Throws, before anything is paid for, if rows are requested that the service cannot send. */
async function requireRows(
  context: Context,
  service: ValidationService,
  { path, wait, output }: UploadOptions,
): Promise<void> {
  if (!wait || !output.isGiven || (await service.sendsResults?.(context)) !== false) return;
  throw new Failure('unsupported', `The service does not send the rows of a job, which --output needs.`, {
    hint: `Nothing was started. Vet the list with: ${context.command('bulk', path)}`,
  });
}

/** Notes what is unusual in the list before anything is paid for, as for a local job. */
async function reportList(
  { signal, note, warn }: Context,
  { path, reading, column: requested, yes }: UploadOptions,
  column: string,
): Promise<void> {
  const { openTable } = await import('../../../rows/open-rows.js');
  let table = await openTable({ path }, { ...reading, signal });
  // The service may read other columns, or suggest another one.
  const index = table.columns.indexOf(column);
  const isOurGuess = yes && requested === undefined && table.emailColumn === index;
  if (!isOurGuess) {
    await table.close();
    if (index === -1) return;
    const chosen = await openTable({ path }, { ...reading, columns: [index], signal }).catch(() => null);
    if (chosen === null) return;
    table = chosen;
  }
  for await (const rows of table.chunks) rows.length = 0;
  for (const text of table.warnings()) warn(text);
  for (const text of table.notes()) note(text);
}

/** The name of the column; those of several with commas between them, which only our own service knows. */
function columnName({ columns: names }: UploadPreview, columns: readonly number[], isOurs: boolean): string {
  const [first = 0, ...others] = columns;
  if (others.length > 0 && isOurs) return columns.map((at) => names[at] ?? '').join(',');
  const name = names[first] ?? '';
  if (others.length === 0 && names.indexOf(name) !== first) {
    throw new Failure(
      'unsupported',
      `A remote service finds a column by its name, and another one is ${JSON.stringify(name)}, too.`,
      {
        hint: 'Nothing was started. Give the column another name, or add --local.',
      },
    );
  }
  if (others.length === 0) return name;
  throw new Failure('unsupported', 'A remote service vets one column of a file. Nothing was started.', {
    hint: 'Upload the file once for each column, or add --local.',
  });
}
