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
  readEmails(jobId: string): Promise<JobEmails>;
  /** The addresses only, in order, some at a time. */
  emailLists(jobId: string): AsyncGenerator<string[]>;
  removeUpload(uploadId: string): Promise<void>;
  removeJob(jobId: string): Promise<void>;
  /** Removes partial files of dead processes, and old files of uploads and jobs that are not among these ids. */
  removeLeftovers(storedIds?: ReadonlySet<string>): Promise<void>;
}

/** The addresses of a job, in the order of its rows. */
export interface JobEmails {
  emails: string[];
  /** Rows whose mailbox is in an earlier job of the same list. */
  seenInEarlierPart: ReadonlySet<number>;
  /** Rows whose mailbox is earlier in this job, with its first row. */
  duplicates: ReadonlyMap<number, number>;
}

export interface EmailWriter {
  write(emails: readonly ListedEmail[]): Promise<void>;
  /** Written after all addresses: each row whose mailbox is earlier in this job, and its first row. */
  writeDuplicates(repeats: ReadonlyMap<number, number>): Promise<void>;
  /** Completes and syncs the file. */
  close(): Promise<void>;
  /** Removes the file; also after a failure. */
  discard(): Promise<void>;
}

/** An address of a job; in an array if an earlier job of the same list has it. */
export type ListedEmail = string | [seenInEarlierPart: string];
