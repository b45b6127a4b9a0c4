import { Failure } from '../../../model/failure.js';
import type { FileReading } from '../../../model/service.js';
import { foldCase } from '../fold-case.js';
import { readJson, readNumber, readNumberOrNull, readText, readTextOrNull, type StoredRow } from '../records.js';
import type { JobRecord, NewJob, UploadRecord, UploadStore } from '../store.js';
import { takeCredits } from './keys-table.js';
import {
  all,
  forOwner,
  get,
  getLocked,
  placeholders,
  run,
  type SqlBackend,
  type SqlValue,
  type Steps,
} from './steps.js';

export function uploadsTable(backend: SqlBackend): UploadStore {
  return {
    addUpload: async (upload) => {
      const values = uploadValues(upload);
      const add = `INSERT INTO uploads (${uploadColumns}) VALUES (${placeholders(values.length)})`;
      await backend.write(() => run(add, ...values), forOwner(upload.owner));
    },
    getUpload: async (owner, id) => {
      const find = 'SELECT * FROM uploads WHERE id = ? AND owner = ?';
      const row = await backend.read(() => get(find, id, owner), forOwner(owner));
      return row === null ? null : readUpload(row);
    },
    confirmUpload: (uploadId, jobs, charge) =>
      backend.write(() => confirm(backend, uploadId, jobs, charge), forOwner(jobs[0]?.owner ?? null)),
    unconfirmed: async (owner) => {
      const sums = `SELECT count(*) AS uploads, coalesce(sum(source_size), 0) AS bytes FROM uploads
        WHERE group_id IS NULL AND owner = ?`;
      const row = (await backend.read(() => get(sums, owner), forOwner(owner))) ?? {};
      return { uploads: readNumber(row, 'uploads'), bytes: readNumber(row, 'bytes') };
    },
    replaceUpload: (id, { id: newId, reading, columns }, emailColumn) =>
      backend.write(function* () {
        const values = [newId, JSON.stringify(reading), JSON.stringify(columns), id];
        yield* run('UPDATE uploads SET id = ?, reading = ?, columns = ? WHERE id = ?', ...values);
        yield* run('UPDATE jobs SET upload_id = ?, email_column = ? WHERE upload_id = ?', newId, emailColumn, id);
      }),
    fileIds: async () => {
      const rows = await backend.read(() => all('SELECT id FROM uploads UNION ALL SELECT id FROM jobs'));
      return new Set(rows.map((row) => readText(row, 'id')));
    },
    expireUploads: async (createdBefore) => {
      const expire = 'DELETE FROM uploads WHERE group_id IS NULL AND created_at < ? RETURNING id';
      return (await backend.write(() => all(expire, createdBefore))).map((row) => readText(row, 'id'));
    },
  };
}

function* confirm(
  { jobColumns, readJob, notifyNodes }: SqlBackend,
  uploadId: string,
  jobs: readonly NewJob[],
  charge: boolean,
): Steps<JobRecord[]> {
  const row = yield* getLocked('SELECT * FROM uploads WHERE id = ?', uploadId);
  if (row === null)
    throw new Failure('not_found', 'There is no such upload; it may have expired.', { hint: 'Upload the file again.' });
  const { owner, groupId } = readUpload(row);
  if (groupId === null) {
    const credits = jobs.reduce((sum, job) => sum + job.uniqueTotal, 0);
    if (charge) yield* takeCredits(owner, credits);
    for (const job of jobs) {
      const values = jobValues(job, charge ? job.uniqueTotal : null);
      yield* run(
        `INSERT INTO jobs (${newJobColumns}, state) VALUES (${placeholders(values.length)}, 'queued')`,
        ...values,
      );
      yield* run('UPDATE uploads SET group_id = ? WHERE id = ?', job.groupId, uploadId);
    }
    yield* notifyNodes();
  }
  const select = `SELECT ${jobColumns} FROM uploads JOIN jobs USING (group_id) WHERE uploads.id = ? ORDER BY part`;
  return (yield* all(select, uploadId)).map(readJob);
}

const newJobColumns =
  'id, group_id, part, parts, owner, upload_id, filename, filename_folded, email_column, options, first_row, total, unique_total, reserved, created_at';

/** A new job; `reserved` are the credits kept for it, or null if it costs none. */
function jobValues(job: NewJob, reserved: number | null): SqlValue[] {
  const { id, groupId, part, parts, owner, uploadId, filename, emailColumn, firstRow, total, uniqueTotal } = job;
  const source = [id, groupId, part, parts, owner, uploadId, filename, foldCase(filename), emailColumn];
  return [...source, JSON.stringify(job.options), firstRow, total, uniqueTotal, reserved, job.createdAt];
}

const uploadColumns =
  'id, owner, filename, source, source_size, source_changed, columns, row_count, row_count_exact, created_at, reading';

function uploadValues(upload: UploadRecord): SqlValue[] {
  const { id, owner, filename, source, sourceSize, sourceChanged, columns, rowCount, rowCountExact } = upload;
  const file = [id, owner, filename, source, sourceSize, sourceChanged, JSON.stringify(columns)];
  return [...file, rowCount, rowCountExact ? 1 : 0, upload.createdAt, JSON.stringify(upload.reading)];
}

function readUpload(row: StoredRow): UploadRecord {
  return {
    id: readText(row, 'id'),
    owner: readText(row, 'owner'),
    filename: readText(row, 'filename'),
    source: readTextOrNull(row, 'source'),
    sourceSize: readNumberOrNull(row, 'source_size'),
    sourceChanged: readNumberOrNull(row, 'source_changed'),
    columns: readJson<string[]>(row, 'columns'),
    reading: readJson<FileReading>(row, 'reading'),
    rowCount: readNumberOrNull(row, 'row_count'),
    rowCountExact: readNumber(row, 'row_count_exact') === 1,
    createdAt: readNumber(row, 'created_at'),
    groupId: readTextOrNull(row, 'group_id'),
  };
}
