/** The bytes of uploads and the addresses of jobs, which outlive a process as the store does. Only our own random ids become names. */
export interface JobFiles {
  /** Where the bytes of an upload can be read on this machine. */
  uploadPath(uploadId: string): Promise<string>;
  /** Copies a file in, and it is safe before it returns. */
  keepCopy(source: string, uploadId: string): Promise<void>;
  /** The same for bytes that can be read only once, as from a pipe. */
  keepBytes(bytes: AsyncIterable<Uint8Array>, uploadId: string): Promise<void>;
  /** Takes over a file of ours that lies on the same disk as the data directory. */
  adopt(source: string, uploadId: string): Promise<void>;
  writeEmails(jobId: string): Promise<EmailWriter>;
  readEmails(jobId: string): Promise<JobEmails>;
  /** The addresses alone, in order and some at a time. */
  emailLists(jobId: string): AsyncGenerator<string[]>;
  removeUpload(uploadId: string): Promise<void>;
  removeJob(jobId: string): Promise<void>;
  /** Removes what processes that are now dead had begun to write. */
  removeLeftovers(): Promise<void>;
}

/** The addresses of a job, in the order of its rows. */
export interface JobEmails {
  emails: string[];
  /** Rows whose mailbox came in an earlier job of the same list. */
  seenInEarlierPart: ReadonlySet<number>;
  /** Rows whose mailbox came earlier in this job, with the first row of it; null where the file, as of before, does not tell. */
  repeats: ReadonlyMap<number, number> | null;
}

/** Writes the addresses of a job, one list of them at a time. */
export interface EmailWriter {
  /** An address in a list of its own came in an earlier job of the same list. */
  write(emails: readonly ListedEmail[]): Promise<void>;
  /** Behind all addresses: each row whose mailbox came earlier in this job, and the first row of it. */
  writeRepeats(repeats: ReadonlyMap<number, number>): Promise<void>;
  /** They are whole, and safe before it returns. */
  close(): Promise<void>;
  /** They are not needed; also after a failure. */
  discard(): Promise<void>;
}

/** An address of a job; in a list of its own where it came in an earlier job of the same list. */
export type ListedEmail = string | [seenInEarlierPart: string];
