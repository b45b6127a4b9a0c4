import type { UploadPreview } from '../../model/job.js';
import type { ConfirmUploadOptions, FileReading } from '../../model/service.js';
import type { ReadOptions } from '../../rows/read/decode/byte-source.js';
import type { RowSource } from '../../rows/rows.js';
import type { JobFiles } from '../store/files.js';
import type { JobStore } from '../store/store.js';
import type { ListMailboxes } from './split-into-jobs.js';

/** What is read of a file before it is confirmed. */
export type FilePreview = Omit<Required<UploadPreview>, 'upload_id' | 'filename' | 'suggested_email_column_number'> &
  Pick<UploadPreview, 'suggested_email_column_number'>;

/** How the file of a job is read. */
type TableReading = FileReading & ReadOptions & Pick<ConfirmUploadOptions, 'columns'>;

/** How files are read; given by csv. A file goes by the name that it was uploaded with, wherever it lies. */
export interface TableReader {
  preview(
    path: string,
    filename: string,
    reading?: FileReading & ReadOptions & { name?: string },
  ): Promise<FilePreview>;
  open(path: string, emailColumn: string, filename: string, reading?: TableReading): Promise<RowSource>;
}

/** What uploads stand on. */
export interface UploadDependencies {
  store: JobStore;
  files: JobFiles;
  reader: TableReader;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** Remembers the mailboxes of one list, of whatever length. */
  createListMailboxes(): ListMailboxes;
  now?(): number;
  /** A longer file becomes several jobs. */
  maxRowsPerJob?: number;
}
