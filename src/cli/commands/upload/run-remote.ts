import { existsSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { formatAmount } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { UploadPreview } from '../../../model/job.js';
import type { ValidationService } from '../../../model/service.js';
import { partsFailure, unsentJob, uploadInParts } from '../../../service/remote/upload-in-parts.js';
import { sumJobs } from '../../../service/sum-jobs.js';
import type { Context } from '../../context.js';
import { flagForRows } from '../../flags/output-flags.js';
import { chooseColumn } from './choose-column.js';
import { followAndShow } from './follow-remote.js';
import { openPendingUploads, openUnfetchedList } from './unfetched.js';
import type { UploadOptions } from './upload-options.js';

/** Uploads to a service in as many parts as needed, and follows their jobs as one. A failed part is reported at the end. */
export async function runRemoteUpload(
  context: Context,
  service: ValidationService,
  options: UploadOptions,
): Promise<number> {
  const { signal } = context;
  const { path, maxRows, parts: only, reading } = options;
  protectOutput(options);
  await requireRows(context, service, options);
  const upload = await uploadInParts(
    service,
    { path, filename: basename(path) },
    { signal, reading, ...(maxRows !== undefined && { maxRows }), ...(only !== undefined && { only }) },
  );
  const { limit } = reading;
  if (limit !== undefined && upload.rowCount === limit) {
    context.note(`--limit took the first ${formatAmount(limit, 'row')}.`);
  }
  const columns = await chooseColumn(context, upload.preview, options);
  if (columns === null) return 0;
  const column = onlyColumn(upload.preview, columns);
  await reportList(context, options, column);
  const { baseUrl, apiKey } = context.settings();
  const unfetched = await openUnfetchedList(context, options, columns, { baseUrl, apiKey });
  const earlier = await unfetched.find((id) => service.getJob(id, { signal }));
  const pending = await openPendingUploads(context, options, { column, baseUrl, apiKey });
  const parts = earlier === null ? await confirm(context, upload, column, pending) : [];
  const jobs = earlier ?? parts.flatMap(({ job }) => (job === null ? [] : [job]));
  const failure = partsFailure(parts, upload.partCount, options.output.main.path);
  const unsent = parts.filter(({ job }) => job === null).map(unsentJob);
  if (jobs.length === 0 && failure !== null) throw failure;
  if (earlier === null && failure === null) {
    await unfetched.add(jobs);
    await pending.remove();
  }
  const status = await followAndShow(context, service, jobs, options, { failure, unsent }).catch((error: unknown) => {
    // Another error, such as Ctrl-C, must not hide that rows were not sent.
    if (failure !== null && error !== failure) context.warn(`${failure.message} ${failure.hint ?? ''}`.trim());
    throw error;
  });
  if (failure !== null) throw failure;
  if (!options.wait) {
    context.note(
      `The service runs the job. Follow it with: ${context.command('jobs', 'get', sumJobs(jobs).id, '--watch')}`,
    );
  }
  if (options.wait) await unfetched.remove(jobs);
  return status;
}

/** Creates the jobs, or those of an earlier run that was stopped while it created them. */
async function confirm(
  { signal, note }: Context,
  upload: Awaited<ReturnType<typeof uploadInParts>>,
  column: string,
  pending: Awaited<ReturnType<typeof openPendingUploads>>,
) {
  const uploads = await pending.find();
  if (uploads.length === upload.parts.length) {
    note('Continuing an upload of this list that was stopped while its job was created; --new starts another one.');
    return upload.confirm(column, { signal, uploads });
  }
  await pending.add(upload.parts.flatMap(({ preview }) => preview?.upload_id ?? []));
  return upload.confirm(column, { signal });
}

/** Throws if the rows of some parts would replace an output of all of them. */
function protectOutput({ parts, output: { main } }: UploadOptions): void {
  if (parts === undefined || main.path === null || !existsSync(main.path) || !statSync(main.path).isFile()) return;
  throw new Failure(
    'usage',
    `--part would replace ${main.path} by the rows of ${formatAmount(parts.length, 'part')}.`,
    {
      hint: 'Write them to another file: -o FILE',
    },
  );
}

/** Throws, before anything is paid for, if rows are requested that the service cannot send. */
async function requireRows(
  context: Context,
  service: ValidationService,
  { path, wait, output, review }: UploadOptions,
): Promise<void> {
  const flag = flagForRows(output, review);
  if (!wait || flag === null || (await service.sendsResults?.(context)) !== false) return;
  throw new Failure('unsupported', `The service does not send the rows of a job, which ${flag} needs.`, {
    hint: `Nothing was started. Vet the list with: ${context.command('bulk', path)}`,
  });
}

/** Notes what is unusual in the list before anything is paid for, as for a local job. A pipe is read only once. */
async function reportList(
  { signal, note, warn }: Context,
  { path, reading, column: requested, yes }: UploadOptions,
  column: string,
): Promise<void> {
  if (!(await stat(path).catch(() => null))?.isFile()) return;
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

function onlyColumn({ columns: names }: UploadPreview, columns: readonly number[]): string {
  const [first = 0, ...others] = columns;
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
