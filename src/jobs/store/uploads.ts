import { Failure } from '../../model/failure.js';
import { takeCredits } from './credits.js';
import type { JobRecord, NewJob, UploadRecord } from './job-record.js';
import { foldCase, jobById } from './jobs.js';
import { all, forOwner, get, getLocked, insert, run, type SqlBackend, type Steps } from './sql.js';

export function uploadsTable(backend: SqlBackend) {
  const { read, write } = backend;
  return {
    addUpload: async (upload: UploadRecord) => {
      await write(() => insert('uploads', upload), forOwner(upload.owner));
    },
    getUpload: (owner: string, id: string) => {
      const find = 'SELECT * FROM uploads WHERE id = ? AND owner = ?';
      return read(() => get<UploadRecord>(find, id, owner), forOwner(owner));
    },
    /** Creates the job, or returns that of an earlier confirmation. With `charge`, reserves a credit for each unique address, or fails with `no_credits`. */
    confirmUpload: (job: NewJob, charge: boolean) => write(() => confirm(backend, job, charge), forOwner(job.owner)),
    /** The number and total size of the owner's unconfirmed uploads. */
    unconfirmed: async (owner: string) => {
      const sums = `SELECT count(*) AS uploads, coalesce(sum(source_size), 0) AS bytes FROM uploads
        WHERE job_id IS NULL AND owner = ?`;
      const none = { uploads: 0, bytes: 0 };
      return (await read(() => get<typeof none>(sums, owner), forOwner(owner))) ?? none;
    },
    /** Called after the file of an upload was rewritten: changes the id, and how the upload and its job read the file. */
    replaceUpload: (
      id: string,
      { id: newId, reading, columns }: Pick<UploadRecord, 'id' | 'reading' | 'columns'>,
      emailColumn: string,
    ) =>
      write(function* () {
        const values = [newId, JSON.stringify(reading), JSON.stringify(columns), id];
        yield* run('UPDATE uploads SET id = ?, reading = ?, columns = ? WHERE id = ?', ...values);
        yield* run('UPDATE jobs SET upload_id = ?, email_column = ? WHERE upload_id = ?', newId, emailColumn, id);
      }),
    /** The ids of all uploads and jobs, which their files are named by. */
    fileIds: async (): Promise<ReadonlySet<string>> => {
      const list = 'SELECT id FROM uploads UNION ALL SELECT id FROM jobs';
      return new Set((await read(() => all<{ id: string }>(list))).map(({ id }) => id));
    },
    /** Deletes unconfirmed uploads created before that time and returns their ids. */
    expireUploads: async (createdBefore: number) => {
      const expire = 'DELETE FROM uploads WHERE job_id IS NULL AND created_at < ? RETURNING id';
      return (await write(() => all<{ id: string }>(expire, createdBefore))).map(({ id }) => id);
    },
  };
}

function* confirm(backend: SqlBackend, job: NewJob, charge: boolean): Steps<JobRecord> {
  const { owner, uploadId, uniqueTotal } = job;
  const upload = yield* getLocked<UploadRecord>('SELECT * FROM uploads WHERE id = ?', uploadId);
  if (upload === null)
    throw new Failure('not_found', 'There is no such upload; it may have expired.', { hint: 'Upload the file again.' });
  if (upload.jobId === null) {
    if (charge) yield* takeCredits(upload.owner, uniqueTotal);
    const reserved = charge ? uniqueTotal : null;
    yield* insert('jobs', { ...job, filenameFolded: foldCase(job.filename), reserved, state: 'queued' });
    yield* run('UPDATE uploads SET job_id = ? WHERE id = ?', job.id, uploadId);
  }
  const created = yield* jobById(backend, owner, upload.jobId ?? job.id);
  if (created === null) throw new Failure('not_found', 'The job of this upload was deleted.');
  if (upload.jobId === null) {
    yield* backend.slices.open(created.num);
    yield* backend.notifyNodes();
  }
  return created;
}
