import { randomUUID } from 'node:crypto';
import type { ForgetReport } from '../../model/job.js';
import type { FileReading } from '../../model/service.js';
import { isFirstPart } from '../../rows/pick-rows.js';
import type { Row, RowSource } from '../../rows/rows.js';
import { encodeRawRow } from '../../rows/write/encode-row.js';
import { callerOfJob } from '../job-caller.js';
import type { JobFiles, ListedEmail } from '../store/files.js';
import type { JobRecord, JobStore } from '../store/store.js';
import { EmailsLost, recordedEmail } from './email-record.js';
import type { TableReader } from './preview-upload.js';
import { isUnreadable } from './unreadable-list.js';

interface ForgetDependencies {
  store: JobStore;
  files: JobFiles;
  reader: TableReader;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
}

/** How an address is found in lists. */
interface Search {
  /** True for an address of the mailbox. */
  isForgotten(email: string): boolean;
  /** Matches a cell with the address in it. */
  mention: RegExp;
}

const pageSize = 100;
const emailsPerLine = 1_000;

/**
 * Deletes a mailbox from the cached verdicts and from all lists that have ended: its rows, and cells of other rows with the
 * address in them. Verdicts stay, with the spelling that they suggest. Can be repeated if it was interrupted.
 */
export async function forgetAddress(dependencies: ForgetDependencies, email: string): Promise<ForgetReport> {
  const { store, canonical } = dependencies;
  const mailbox = canonical(email);
  const search: Search = {
    isForgotten: (other) => other !== '' && canonical(other) === mailbox,
    mention: mentionPattern(email),
  };
  const report: ForgetReport = { cached: await store.forgetCached(mailbox), lists: 0, rows: 0, unfinished: [] };
  for (const jobs of (await jobsByUpload(store)).values()) {
    if (!(await isListed(dependencies, jobs, search)) && !(await isMentioned(dependencies, jobs, search))) continue;
    if (jobs.some(({ state }) => state === 'queued' || state === 'running')) {
      report.unfinished.push(...new Set(jobs.map(({ groupId }) => groupId)));
      continue;
    }
    await rewriteUpload(dependencies, jobs, search);
    // Last: a run that was interrupted before it is repeated.
    for (const job of jobs) report.rows += await rewriteEmails(dependencies, job.id, search);
    report.lists++;
  }
  if (report.lists > 0) await store.compact();
  return report;
}

async function jobsByUpload(store: JobStore): Promise<Map<string, JobRecord[]>> {
  const byUpload = new Map<string, JobRecord[]>();
  for (let skip = 0; ; skip += pageSize) {
    const { jobs } = await store.listJobs(null, { skip, limit: pageSize });
    for (const job of jobs) byUpload.set(job.uploadId, [...(byUpload.get(job.uploadId) ?? []), job]);
    if (jobs.length < pageSize) return byUpload;
  }
}

async function isListed({ files }: ForgetDependencies, jobs: readonly JobRecord[], search: Search): Promise<boolean> {
  for (const { id } of jobs) {
    try {
      for await (const emails of files.emailLists(id)) if (emails.some(search.isForgotten)) return true;
    } catch (error) {
      // A job without its addresses has nothing to forget.
      if (!(error instanceof EmailsLost)) throw error;
    }
  }
  return false;
}

async function isMentioned(
  dependencies: ForgetDependencies,
  [job]: readonly JobRecord[],
  { mention }: Search,
): Promise<boolean> {
  const source = job === undefined ? null : await openUpload(dependencies, job);
  if (source === null) return false;
  try {
    if (mention.test(`${source.preamble ?? ''}${source.headerText ?? source.columns.join('\n')}`)) return true;
    for await (const chunk of source.chunks)
      if (chunk.some(({ cells }) => cells.some((cell) => mention.test(cell)))) return true;
    return false;
  } finally {
    await source.close();
  }
}

/** Null if the file is gone, or not a list for this version. */
async function openUpload(
  { store, files, reader }: ForgetDependencies,
  { owner, uploadId, emailColumn, filename, options }: JobRecord,
): Promise<RowSource | null> {
  const upload = await store.getUpload(owner, uploadId);
  const columns = options['columns'] as number[] | undefined;
  try {
    return await reader.open(await files.uploadPath(uploadId), emailColumn, filename, {
      ...upload?.reading,
      ...(columns && { columns }),
      caller: callerOfJob(owner),
    });
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/** Stores the list under a new id: other machines may have a copy of the old file. */
async function rewriteUpload(
  dependencies: ForgetDependencies,
  [job]: readonly JobRecord[],
  search: Search,
): Promise<void> {
  const { store, files } = dependencies;
  const upload = job && (await store.getUpload(job.owner, job.uploadId));
  if (job === undefined || upload == null) return;
  const source = await openUpload(dependencies, job);
  if (source !== null) {
    const id = randomUUID();
    try {
      await files.writeUpload(remainingBytes(source, search), id);
    } finally {
      await source.close();
    }
    await store.replaceUpload(upload.id, id, readingOf(source, upload.reading, search));
  }
  await files.removeUpload(upload.id);
}

/** How the rewritten list is read: it has only the rows that were read of the old one. */
function readingOf(
  { format, hasHeader, preamble = '' }: RowSource,
  { skipRows, splitCells }: FileReading,
  { mention }: Search,
): FileReading {
  return {
    format: 'csv',
    encoding: 'utf-8',
    header: format !== 'csv' || hasHeader,
    ...(format === 'csv' && skipRows !== undefined && !mention.test(preamble) && { skipRows }),
    ...(splitCells !== undefined && { splitCells }),
  };
}

async function* remainingBytes(source: RowSource, { isForgotten, mention }: Search): AsyncGenerator<Uint8Array> {
  const { columns, format, hasHeader, delimiter, preamble = '', headerText, lineEnd = '\n' } = source;
  const encode = (cells: readonly string[]): string => `${encodeRawRow(cells, delimiter)}${lineEnd}`;
  const hasHead = format !== 'csv' || hasHeader;
  // Lines above the header that mention it are dropped as a whole.
  const head = `${mention.test(preamble) ? '' : preamble}${hasHead ? (headerText ?? encode(columns)) : ''}`;
  yield Buffer.from(head.replace(new RegExp(mention, 'giu'), ''));
  for await (const chunk of source.chunks) {
    let text = '';
    for (const [index, row] of chunk.entries()) {
      if (!isFirstPart(row)) continue;
      const parts: readonly Row[] = row.part === undefined ? [row] : chunk.slice(index, index + row.part.of);
      if (parts.some((part) => isForgotten(recordedEmail(part.email)))) continue;
      const cells = row.cells.map((cell) => (mention.test(cell) ? '' : cell));
      const isKept = row.text !== undefined && cells.every((cell, column) => cell === row.cells[column]);
      text += isKept ? row.text : encode(cells);
    }
    yield Buffer.from(text);
  }
}

/** Matches the address, not as a part of a longer one. */
function mentionPattern(email: string): RegExp {
  const literal = email.trim().replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}._%+-])${literal}(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`, 'iu');
}

/** Replaces the mailbox by empty entries, which keeps the numbers of all rows. Gives how many. */
async function rewriteEmails({ files }: ForgetDependencies, jobId: string, { isForgotten }: Search): Promise<number> {
  const record = await files.readEmails(jobId).catch((error: unknown) => {
    if (error instanceof EmailsLost) return null;
    throw error;
  });
  if (record === null) return 0;
  const { emails, seenInEarlierPart, duplicates } = record;
  const writer = await files.writeEmails(jobId);
  let count = 0;
  const toListed = (email: string, row: number): ListedEmail => {
    if (isForgotten(email)) {
      count++;
      return '';
    }
    return seenInEarlierPart.has(row) ? [email] : email;
  };
  try {
    const listed = emails.map(toListed);
    for (let start = 0; start < listed.length; start += emailsPerLine)
      await writer.write(listed.slice(start, start + emailsPerLine));
    if (duplicates !== null) await writer.writeDuplicates(duplicates);
    await writer.close();
  } catch (error) {
    await writer.discard();
    throw error;
  }
  return count;
}
