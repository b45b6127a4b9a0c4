import { Failure } from '../../model/failure.js';
import { takeCredits } from './credits.js';
import type { JobRecord, NewJob, StoredJob, UploadRecord } from './job-record.js';
import { foldCase } from './jobs.js';
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
    /** Creates the jobs, or returns those of an earlier confirmation. With `charge`, reserves a credit for each unique address, or fails with `no_credits`. */
    confirmUpload: (uploadId: string, jobs: readonly NewJob[], charge: boolean) =>
      write(() => confirm(backend, uploadId, jobs, charge), forOwner(jobs[0]?.owner ?? null)),
    /** The number and total size of the owner's unconfirmed uploads. */
    unconfirmed: async (owner: string) => {
      const sums = `SELECT count(*) AS uploads, coalesce(sum(source_size), 0) AS bytes FROM uploads
        WHERE group_id IS NULL AND owner = ?`;
      const none = { uploads: 0, bytes: 0 };
      return (await read(() => get<typeof none>(sums, owner), forOwner(owner))) ?? none;
    },
    /** Called after the file of an upload was rewritten: changes the id, and how the upload and its jobs read the file. */
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
      const expire = 'DELETE FROM uploads WHERE group_id IS NULL AND created_at < ? RETURNING id';
      return (await write(() => all<{ id: string }>(expire, createdBefore))).map(({ id }) => id);
    },
  };
}

function* confirm(
  { jobColumns, readJob, notifyNodes, slices }: SqlBackend,
  uploadId: string,
  jobs: readonly NewJob[],
  charge: boolean,
): Steps<JobRecord[]> {
  const upload = yield* getLocked<UploadRecord>('SELECT * FROM uploads WHERE id = ?', uploadId);
  if (upload === null)
    throw new Failure('not_found', 'There is no such upload; it may have expired.', { hint: 'Upload the file again.' });
  if (upload.groupId === null) {
    const credits = jobs.reduce((sum, job) => sum + job.uniqueTotal, 0);
    if (charge) yield* takeCredits(upload.owner, credits);
    for (const job of jobs) {
      const reserved = charge ? job.uniqueTotal : null;
      yield* insert('jobs', { ...job, filenameFolded: foldCase(job.filename), reserved, state: 'queued' });
      const added = yield* get<{ num: number }>('SELECT num FROM jobs WHERE id = ?', job.id);
      if (added !== null) yield* slices.open(added.num);
      yield* run('UPDATE uploads SET group_id = ? WHERE id = ?', job.groupId, uploadId);
    }
    yield* notifyNodes();
  }
  const select = `SELECT ${jobColumns} FROM uploads JOIN jobs USING (group_id) WHERE uploads.id = ? ORDER BY part`;
  return (yield* all<StoredJob>(select, uploadId)).map(readJob);
}
