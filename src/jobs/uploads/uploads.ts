import { randomUUID } from 'node:crypto';
import type { TimeSlices } from '../../async/time-slicer.js';
import { Failure } from '../../model/failure.js';
import type { UploadFile } from '../../model/service.js';
import { isFirstPart } from '../../rows/rows.js';
import type { JobRecord } from '../store/job-record.js';
import {
  type ConfirmOptions,
  confirmUpload,
  openUpload,
  requireSameColumn,
  resolveColumns,
  type UploadDependencies,
} from './confirm-upload.js';
import { createListMailboxes } from './list-mailboxes.js';
import { type PreviewOptions, previewUpload, requireRowLimit } from './preview-upload.js';

/** What a column of a file contains. */
export interface ColumnPlan {
  rows: number;
  /** Cells with an address, and without: several of a row if several columns are vetted. */
  addresses: number;
  empty: number;
  /** Distinct mailboxes, which are charged. */
  unique: number;
}

/** Uploaded files that are not confirmed yet. */
export type Uploads = ReturnType<typeof createUploads>;

/** How long an upload waits to be confirmed. */
export const uploadLifeMs = 24 * 60 * 60_000;

export function createUploads(dependencies: UploadDependencies) {
  const { store, files } = dependencies;
  const now = dependencies.now ?? Date.now;
  return {
    /** Reads the head of the file only. */
    preview: (file: UploadFile, owner: string, options: PreviewOptions = {}) =>
      previewUpload(dependencies, now(), file, owner, options),
    /** Confirming twice returns the same job; with another column it is the Failure `conflict`. */
    confirm: async (uploadId: string, emailColumn: string, owner: string, options: ConfirmOptions = {}) => {
      const upload = await store.getUpload(owner, uploadId);
      if (upload === null || (upload.jobId === null && upload.createdAt < now() - uploadLifeMs)) throw uploadNotFound();
      const job = upload.jobId === null ? null : await store.getJob(owner, upload.jobId);
      if (job !== null) return requireSameColumn(job, emailColumn, options.columns);
      return await confirmUpload(dependencies, now(), upload, emailColumn, options);
    },
    /** A new upload of the file of a list. */
    copy: async ({ owner, uploadId }: JobRecord) => {
      const upload = await store.getUpload(owner, uploadId);
      if (upload === null) throw uploadNotFound();
      const id = randomUUID();
      await files.copyUpload(await files.uploadPath(uploadId), id);
      await store.addUpload({ ...upload, id, source: null, jobId: null, createdAt: now() });
      return id;
    },
    /** What confirming a stored upload with that column would validate. Reads the whole file and changes nothing. */
    plan: async (
      uploadId: string,
      emailColumn: string,
      owner: string,
      {
        slices,
        maxRows,
        ...options
      }: Pick<ConfirmOptions, 'columns' | 'maxBytes' | 'maxRows' | 'signal'> & { slices: TimeSlices },
    ) => {
      const upload = await store.getUpload(owner, uploadId);
      if (upload === null) throw uploadNotFound();
      const columns = await resolveColumns(dependencies, upload, emailColumn, options);
      const source = await openUpload(dependencies, upload, emailColumn, { ...options, columns });
      const mailboxes = createListMailboxes(dependencies.maxMailboxes);
      const plan: ColumnPlan = { rows: 0, addresses: 0, empty: 0, unique: 0 };
      for await (const chunk of source.chunks) {
        requireRowLimit(plan.addresses + plan.empty + chunk.length, maxRows);
        for (const row of chunk) {
          const pause = slices.maybeYield();
          if (pause !== null) await pause;
          if (isFirstPart(row)) plan.rows++;
          if (row.email === '') plan.empty++;
          else if (typeof mailboxes.add(dependencies.canonical(row.email), row.email, plan.addresses++) === 'string')
            plan.unique++;
        }
      }
      return plan;
    },
    /** Removes uploads that were not confirmed within a day. */
    expire: async () => {
      const expired = await store.expireUploads(now() - uploadLifeMs);
      for (const id of expired) await files.removeUpload(id);
      return expired.length;
    },
  };
}

function uploadNotFound(): Failure {
  return new Failure('not_found', 'There is no such upload; unconfirmed uploads are kept for a day.', {
    hint: 'Upload the file again.',
  });
}
