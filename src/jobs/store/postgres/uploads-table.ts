import { uploadGone } from '../job-sums.js';
import { jobValues, newJobColumns, uploadValues } from '../new-records.js';
import { number, readUpload, text } from '../records.js';
import type { JobRecord, NewJob, UploadRecord, UploadStore } from '../store.js';
import { takeCredits } from './credits.js';
import type { Database, Sql } from './database.js';
import { notifyNodes } from './listener.js';
import { jobColumns, readJob } from './read-job.js';

/** Uploads on PostgreSQL. */
export function postgresUploads(database: Database): UploadStore {
  return {
    addUpload: (upload) =>
      database.write(async (sql) => {
        await insertUpload(sql, upload);
      }),
    getUpload: (owner, id) =>
      database.read(async (sql) => {
        const row = await sql.get('SELECT * FROM mailvet.uploads WHERE id = $1 AND owner = $2', id, owner);
        return row === null ? null : readUpload(row);
      }),
    confirmUpload: (uploadId, jobs, charge) => database.write((sql) => confirm(sql, uploadId, jobs, charge)),
    unconfirmed: (owner) =>
      database.read(async (sql) => {
        const sums = 'SELECT count(*) AS uploads, coalesce(sum(source_size), 0) AS bytes FROM mailvet.uploads';
        const row = (await sql.get(`${sums} WHERE group_id IS NULL AND owner = $1`, owner)) ?? {};
        return { uploads: number(row, 'uploads'), bytes: number(row, 'bytes') };
      }),
    expireUploads: (before) =>
      database.write(async (sql) => {
        const old = 'DELETE FROM mailvet.uploads WHERE group_id IS NULL AND created_at < $1 RETURNING id';
        return (await sql.all(old, before)).map((row) => text(row, 'id'));
      }),
  };
}

function insertUpload(sql: Sql, upload: UploadRecord): Promise<number> {
  return sql.run(
    'INSERT INTO mailvet.uploads VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, NULL, $11)',
    ...uploadValues(upload),
  );
}

async function confirm(sql: Sql, uploadId: string, jobs: readonly NewJob[], charge: boolean): Promise<JobRecord[]> {
  const row = await sql.get('SELECT * FROM mailvet.uploads WHERE id = $1 FOR UPDATE', uploadId);
  if (row === null) throw uploadGone();
  const { owner, groupId: confirmed } = readUpload(row);
  if (confirmed === null) {
    const credits = jobs.reduce((sum, job) => sum + job.uniqueTotal, 0);
    if (charge) await takeCredits(sql, owner, credits);
    for (const job of jobs) {
      await insertJob(sql, job, charge ? job.uniqueTotal : null);
      await sql.run('UPDATE mailvet.uploads SET group_id = $1 WHERE id = $2', job.groupId, uploadId);
    }
    await notifyNodes(sql);
  }
  const made = await sql.all(
    `SELECT ${jobColumns} FROM mailvet.uploads JOIN mailvet.jobs USING (group_id) WHERE uploads.id = $1 ORDER BY part`,
    uploadId,
  );
  return made.map(readJob);
}

function insertJob(sql: Sql, job: NewJob, reserved: number | null): Promise<number> {
  return sql.run(
    `INSERT INTO mailvet.jobs (${newJobColumns}, state) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'queued')`,
    ...jobValues(job, reserved),
  );
}
