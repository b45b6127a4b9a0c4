import { uploadGone } from '../job-sums.js';
import { jobValues, newJobColumns, uploadValues } from '../new-records.js';
import { number, readUpload, text } from '../records.js';
import type { JobRecord, NewJob, UploadRecord, UploadStore } from '../store.js';
import { takeCredits } from './credits.js';
import { readJob } from './read-job.js';
import { forOwner, type Sql, type Sqlite } from './sqlite.js';

/** Uploads on SQLite. */
export function sqliteUploads(sqlite: Sqlite): UploadStore {
  return {
    addUpload: (upload) => sqlite.write((sql) => insertUpload(sql, upload), forOwner(upload.owner)),
    getUpload: (owner, id) =>
      sqlite.read((sql) => {
        const row = sql.get('SELECT * FROM uploads WHERE id = ? AND owner = ?', id, owner);
        return row === null ? null : readUpload(row);
      }, forOwner(owner)),
    confirmUpload: (uploadId, jobs, charge) =>
      sqlite.write((sql) => confirm(sql, uploadId, jobs, charge), forOwner(jobs[0]?.owner ?? null)),
    unconfirmed: (owner) =>
      sqlite.read((sql) => {
        const sums = 'SELECT count(*) AS uploads, coalesce(sum(source_size), 0) AS bytes FROM uploads';
        const row = sql.get(`${sums} WHERE group_id IS NULL AND owner = ?`, owner) ?? {};
        return { uploads: number(row, 'uploads'), bytes: number(row, 'bytes') };
      }, forOwner(owner)),
    expireUploads: (before) =>
      sqlite.write((sql) => {
        const old = sql.all('SELECT id FROM uploads WHERE group_id IS NULL AND created_at < ?', before);
        sql.run('DELETE FROM uploads WHERE group_id IS NULL AND created_at < ?', before);
        return old.map((row) => text(row, 'id'));
      }),
  };
}

function insertUpload(sql: Sql, upload: UploadRecord): void {
  sql.run('INSERT INTO uploads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)', ...uploadValues(upload));
}

function confirm(sql: Sql, uploadId: string, jobs: readonly NewJob[], charge: boolean): JobRecord[] {
  const row = sql.get('SELECT * FROM uploads WHERE id = ?', uploadId);
  if (row === null) throw uploadGone();
  const { owner, groupId: confirmed } = readUpload(row);
  if (confirmed === null) {
    const credits = jobs.reduce((sum, job) => sum + job.uniqueTotal, 0);
    if (charge) takeCredits(sql, owner, credits);
    for (const job of jobs) {
      insertJob(sql, job, charge ? job.uniqueTotal : null);
      sql.run('UPDATE uploads SET group_id = ? WHERE id = ?', job.groupId, uploadId);
    }
  }
  const made = 'SELECT jobs.* FROM uploads JOIN jobs USING (group_id) WHERE uploads.id = ? ORDER BY part';
  return sql.all(made, uploadId).map(readJob);
}

function insertJob(sql: Sql, job: NewJob, reserved: number | null): void {
  sql.run(
    `INSERT INTO jobs (${newJobColumns}, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued')`,
    ...jobValues(job, reserved),
  );
}
