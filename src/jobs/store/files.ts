/** The persistent files of uploads and jobs, named by their ids. */
export interface JobFiles {
  /** A path on this machine with the bytes of an upload. */
  uploadPath(uploadId: string): Promise<string>;
  /** Copies a file, and syncs it before it returns. */
  copyUpload(source: string, uploadId: string): Promise<void>;
  /** Stores bytes that can be read only once, such as a pipe's. */
  writeUpload(bytes: AsyncIterable<Uint8Array>, uploadId: string): Promise<void>;
  /** Moves in a file from the disk of the data directory. */
  moveUpload(source: string, uploadId: string): Promise<void>;
  writeEmails(jobId: string): Promise<EmailWriter>;
  /** The addresses of a job, in the order of its rows, a slice at a time; those of one slice only if it is given. */
  readEmails(jobId: string, slice?: number): AsyncGenerator<ListedEmail[]>;
  removeUpload(uploadId: string): Promise<void>;
  removeJob(jobId: string): Promise<void>;
  /** Removes partial files of dead processes, and old files of uploads and jobs that are not among these ids. */
  removeLeftovers(storedIds?: ReadonlySet<string>): Promise<void>;
}

export interface EmailWriter {
  write(emails: readonly ListedEmail[]): Promise<void>;
  /** Completes and syncs the file. */
  close(): Promise<void>;
  /** Removes the file; also after a failure. */
  discard(): Promise<void>;
}

/** The address of a row; in an array if its mailbox is in an earlier row, with that row if the address is written the same there. */
export type ListedEmail = string | [email: string, firstRow?: number];
