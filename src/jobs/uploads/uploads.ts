import type { TimeSlices } from '../../async/time-slicer.js';
import { Failure } from '../../model/failure.js';
import type { UploadPreview } from '../../model/job.js';
import type { UploadFile } from '../../model/service.js';
import type { JobRecord } from '../store/store.js';
import {
  type ConfirmOptions,
  confirmUpload,
  openUpload,
  requireSameColumn,
  resolveColumn,
  unknownColumn,
} from './confirm-upload.js';
import { type ColumnPlan, planColumn } from './plan-upload.js';
import { type PreviewOptions, previewUpload } from './preview-upload.js';
import type { UploadDependencies } from './upload-dependencies.js';

/** The way from a file to jobs. */
export interface Uploads {
  /** Looks at the head of the file only. */
  preview(file: UploadFile, owner: string, options?: PreviewOptions): Promise<UploadPreview>;
  /** Confirming twice gives the same jobs; with another column it is the Failure `conflict`. */
  confirm(uploadId: string, emailColumn: string, owner: string, options?: ConfirmOptions): Promise<JobRecord[]>;
  /** What confirming an upload that the store holds with that column would ask for; changes nothing. */
  plan(
    uploadId: string,
    emailColumn: string,
    owner: string,
    options: Pick<ConfirmOptions, 'maxBytes' | 'signal'> & { slices: TimeSlices },
  ): Promise<ColumnPlan>;
  /** Removes what was never confirmed within a day. */
  expire(): Promise<number>;
}

/** How long an upload waits to be confirmed. */
export const uploadLifeMs = 24 * 60 * 60_000;

/** Previews and confirms uploads. */
export function createUploads(dependencies: UploadDependencies): Uploads {
  const { store, files } = dependencies;
  const now = dependencies.now ?? Date.now;
  return {
    preview: (file, owner, options = {}) => previewUpload(dependencies, now(), file, owner, options),
    confirm: async (uploadId, emailColumn, owner, options = {}) => {
      const upload = await store.getUpload(owner, uploadId);
      if (upload === null || (upload.groupId === null && upload.createdAt < now() - uploadLifeMs)) throw noUpload();
      if (upload.groupId !== null)
        return requireSameColumn(await store.jobsOfGroup(owner, upload.groupId), emailColumn);
      return await confirmUpload(dependencies, now(), upload, emailColumn, options);
    },
    plan: async (uploadId, emailColumn, owner, { slices, ...options }) => {
      const upload = await store.getUpload(owner, uploadId);
      if (upload === null) throw noUpload();
      if (!upload.columns.includes(emailColumn)) throw unknownColumn(emailColumn, upload.columns);
      const { canonical, createListMailboxes } = dependencies;
      const columns = await resolveColumn(dependencies, upload, emailColumn, options);
      const source = await openUpload(dependencies, upload, emailColumn, { ...options, ...(columns && { columns }) });
      return planColumn(source, {
        canonical,
        seen: createListMailboxes(),
        slices,
      });
    },
    expire: async () => {
      const expired = await store.expireUploads(now() - uploadLifeMs);
      for (const id of expired) await files.removeUpload(id);
      return expired.length;
    },
  };
}

function noUpload(): Failure {
  return new Failure('not_found', 'There is no such upload; unconfirmed uploads are kept for a day.', {
    hint: 'Upload the file again.',
  });
}
