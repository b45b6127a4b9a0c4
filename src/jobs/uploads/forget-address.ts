import { randomUUID } from 'node:crypto';
import type { Charset } from '../../model/charset.js';
import { emptyVerdict, type ForgetReport, type RowVerdict, suppressedVerdict } from '../../model/job.js';
import { countedAs } from '../../model/result.js';
import type { FileReading } from '../../model/service.js';
import { isFirstPart, type Row, type RowSource } from '../../rows/rows.js';
import { encodeRawRow } from '../../rows/write/encode-row.js';
import type { ListedEmail } from '../store/files.js';
import { type ForgottenRows, type JobRecord, nothingForgotten } from '../store/job-record.js';
import type { JobStore } from '../store/store.js';
import type { UploadDependencies } from './confirm-upload.js';
import { deletedRow, EmailsLost, recordedEmail } from './email-record.js';
import { isUnreadable, openStoredList } from './stored-list.js';

type ForgetDependencies = Pick<UploadDependencies, 'store' | 'files' | 'reader' | 'canonical'>;

/** How an address is found in lists. */
interface Search {
  /** True for an address of the mailbox, and for a text that was vetted with the address in it. */
  isForgotten(email: string): boolean;
  /** Matches a cell with the address in it. */
  addressPattern: RegExp;
}

const pageSize = 100;
const emailsPerLine = 1_000;

/**
 * Deletes a mailbox from the cached verdicts and from all lists that have ended: its rows, cells of other rows with the
 * address in them, and suggestions of it. Verdicts stay, without an address. Can be repeated if it was interrupted.
 */
export async function forgetAddress(dependencies: ForgetDependencies, email: string): Promise<ForgetReport> {
  const { store, files, canonical } = dependencies;
  const mailbox = canonical(email);
  const addressPattern = createAddressPattern(email);
  const search: Search = {
    isForgotten: (other) => other !== '' && (canonical(other) === mailbox || addressPattern.test(other)),
    addressPattern,
  };
  const report: ForgetReport = { cached: await store.forgetAnswers(mailbox), lists: 0, rows: 0, unfinished: [] };
  for (const jobs of await jobsByUpload(store)) {
    const found: Awaited<ReturnType<typeof findInJob>>[] = [];
    const columns = jobs[0]?.options['columns'];
    const width = Array.isArray(columns) ? columns.length : 1;
    const seen = new Set<string>();
    for (const { id } of jobs) found.push(await findInJob(dependencies, id, search, { width, seen }));
    const isListed = found.some(({ rows }) => rows.size > 0) || (await isMentioned(dependencies, jobs, search));
    if (!isListed && found.every(({ suggestions }) => suggestions.size === 0)) continue;
    if (jobs.some(({ state }) => state === 'queued' || state === 'running')) {
      report.unfinished.push(...new Set(jobs.map(({ groupId }) => groupId)));
      continue;
    }
    if (isListed) await rewriteUpload(dependencies, jobs, search);
    // This comes last, so that an interrupted run can be repeated.
    for (const { id, rows, forgotten, suggestions } of found) {
      if (suggestions.size > 0) await store.forgetSuggestions(id, suggestions);
      report.rows += rows.size;
      if (rows.size === 0) continue;
      await store.addForgotten(id, forgotten);
      await rewriteEmails(dependencies, id, rows, width);
    }
    report.lists++;
  }
  // An interrupted run may have left the file that it replaced.
  // What is not confirmed yet may hold it, too.
  for (const id of await store.expireUploads(Number.MAX_SAFE_INTEGER)) await files.removeUpload(id);
  await files.removeLeftovers(await store.fileIds());
  await store.compact();
  return report;
}

/** All jobs, those of one upload together. */
async function jobsByUpload(store: JobStore): Promise<JobRecord[][]> {
  const jobs = new Map<string, JobRecord>();
  // A page skips a job if one before it is deleted meanwhile, so all are listed until none is new.
  for (let known = -1; known < jobs.size; ) {
    known = jobs.size;
    for (let skip = 0; ; skip += pageSize) {
      const page = await store.listJobs(null, { skip, limit: pageSize });
      for (const list of page.jobs)
        for (const job of await store.jobsOfGroup(list.owner, list.groupId)) jobs.set(job.id, job);
      if (page.jobs.length < pageSize) break;
    }
  }
  const byUpload = new Map<string, JobRecord[]>();
  for (const job of jobs.values()) byUpload.set(job.uploadId, [...(byUpload.get(job.uploadId) ?? []), job]);
  return [...byUpload.values()];
}

async function isMentioned(
  dependencies: ForgetDependencies,
  [job]: readonly JobRecord[],
  { addressPattern }: Search,
): Promise<boolean> {
  const source = job === undefined ? null : await openStoredList(dependencies, job);
  if (source === null) return false;
  try {
    if (addressPattern.test(`${source.preamble ?? ''}${source.headerText ?? source.columns.join('\n')}`)) return true;
    for await (const chunk of source.chunks)
      if (chunk.some(({ cells }) => cells.some((cell) => addressPattern.test(cell)))) return true;
    return false;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return false;
  } finally {
    await source.close();
  }
}

/** A list that cannot be read to its end is removed: its jobs have the addresses. */
async function rewriteUpload(
  dependencies: ForgetDependencies,
  [job]: readonly JobRecord[],
  search: Search,
): Promise<void> {
  const { store, files } = dependencies;
  const upload = job && (await store.getUpload(job.owner, job.uploadId));
  if (job === undefined || upload == null) return;
  const source = await openStoredList(dependencies, job);
  // The file gets another id, since other machines may have a copy of the old file.
  const id = randomUUID();
  let { reading } = upload;
  try {
    if (source !== null) await files.writeUpload(remainingBytes(source, search), id);
    if (source !== null) reading = readingOf(source, reading, search);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  } finally {
    await source?.close();
  }
  const [emailColumn = '', ...columns] = [job.emailColumn, ...upload.columns].map((name) =>
    withoutAddress(name, search.addressPattern),
  );
  await store.replaceUpload(upload.id, { id, reading, columns }, emailColumn);
  await files.removeUpload(upload.id);
}

/** How the rewritten list is read: only rows that were read are left, a CSV keeps its encoding, and a sheet stays one. */
function readingOf(
  { format, headerLine = 1, preamble = '', charset }: RowSource,
  { encoding, language, warnings }: FileReading,
  { addressPattern }: Search,
): FileReading {
  return {
    format: 'csv',
    ...(format === 'csv' ? encoding !== undefined && { encoding } : { encoding: 'utf-8' }),
    ...(language !== undefined && { language }),
    ...(warnings && { warnings: [] }),
    // Lines above the header that mention the address are dropped.
    header: isMentionedIn(preamble, charset, addressPattern) ? Math.min(1, headerLine) : headerLine,
  };
}

function isMentionedIn(held: string, charset: Charset | undefined, addressPattern: RegExp): boolean {
  return addressPattern.test(charset?.show(held) ?? held);
}

function withoutAddress(text: string, addressPattern: RegExp): string {
  return text.replace(new RegExp(addressPattern, 'giu'), '');
}

async function* remainingBytes(source: RowSource, { isForgotten, addressPattern }: Search): AsyncGenerator<Uint8Array> {
  const { columns, format, hasHeader, delimiter, preamble = '', headerText, lineEnd = '\n', charset } = source;
  const toBytes = (held: string): Uint8Array => charset?.toBytes(held) ?? Buffer.from(held);
  const encode = (cells: readonly string[]): string => {
    const record = `${encodeRawRow(cells, delimiter)}${lineEnd}`;
    return charset?.hold(record) ?? record;
  };
  const hasHead = format !== 'csv' || hasHeader;
  const isHeaderKept = headerText !== undefined && !isMentionedIn(headerText, charset, addressPattern);
  // Lines above the header that mention it are dropped as a whole.
  if (!isMentionedIn(preamble, charset, addressPattern)) yield toBytes(preamble);
  if (hasHead)
    yield toBytes(isHeaderKept ? headerText : encode(columns.map((name) => withoutAddress(name, addressPattern))));
  for await (const chunk of source.chunks) {
    let text = '';
    for (const [index, row] of chunk.entries()) {
      if (!isFirstPart(row)) continue;
      const parts: readonly Row[] = row.part === undefined ? [row] : chunk.slice(index, index + row.part.of);
      if (parts.some((part) => isForgotten(recordedEmail(part.email)))) continue;
      const isKept = row.text !== undefined && !row.cells.some((cell) => addressPattern.test(cell));
      text += isKept ? row.text : encode(row.cells.map((cell) => (addressPattern.test(cell) ? '' : cell)));
    }
    yield toBytes(text);
  }
}

/** Matches the address, not as a part of a longer one. */
function createAddressPattern(email: string): RegExp {
  const literal = email.trim().replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}._%+-])${literal}(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`, 'iu');
}

/** A list's number of address columns, and the mailboxes that its earlier jobs have. */
interface ListState {
  width: number;
  seen: Set<string>;
}

/**
 * The rows of the mailbox, counted from 0 within the job, and how they were counted; the spellings that their verdicts
 * suggest, and suggestions of the mailbox.
 */
async function findInJob(
  { files, store, canonical }: ForgetDependencies,
  id: string,
  { isForgotten }: Search,
  { width, seen }: ListState,
) {
  const rows = new Set<number>();
  const duplicates = new Set<number>();
  let count = 0;
  try {
    for await (const emails of files.emailLists(id)) {
      for (const email of emails) {
        if (isForgotten(email)) {
          rows.add(count);
          if (seen.has(canonical(email))) duplicates.add(count);
          seen.add(canonical(email));
        }
        count++;
      }
    }
  } catch (error) {
    // A job without its addresses has nothing to forget.
    if (!(error instanceof EmailsLost)) throw error;
  }
  const deleted = new Set([...rows].map((row) => Math.floor(row / width)));
  const verdicts = new Map<number, RowVerdict>();
  const suggestions = new Set<string>();
  for await (const results of store.readResults(id)) {
    for (const { row, verdict, retryAt } of results) {
      if (retryAt === null && deleted.has(Math.floor(row / width))) verdicts.set(row, verdict);
      const suggestion = verdict.did_you_mean;
      if (suggestion && (rows.has(row) || isForgotten(suggestion))) suggestions.add(suggestion);
    }
  }
  return { id, rows, suggestions, forgotten: countRows(deleted.size * width, verdicts, duplicates) };
}

/** How deleted rows were counted; a later verdict of a row replaces an earlier one. */
function countRows(
  rows: number,
  verdicts: ReadonlyMap<number, RowVerdict>,
  duplicates: ReadonlySet<number>,
): ForgottenRows {
  const forgotten = { ...structuredClone(nothingForgotten), rows };
  const { counts, subCounts } = forgotten;
  for (const [row, verdict] of verdicts) {
    forgotten.answered++;
    const { status, sub_status: code } = verdict;
    const isCounted = status !== emptyVerdict.status && status !== suppressedVerdict.status;
    if (isCounted) counts[countedAs(status, duplicates.has(row))]++;
    if (!isCounted || duplicates.has(row) || code === '') continue;
    subCounts[code] = (subCounts[code] ?? 0) + 1;
  }
  return forgotten;
}

/**
 * Marks entries as deleted, which keeps the numbers of all others. A row of the list with several addresses is deleted with all
 * `width` of them.
 */
async function rewriteEmails(
  { files }: ForgetDependencies,
  jobId: string,
  rows: ReadonlySet<number>,
  width: number,
): Promise<void> {
  const before: string[] = [];
  for await (const emails of files.emailLists(jobId)) before.push(...emails);
  const { emails, seenInEarlierPart, duplicates } = await files.readEmails(jobId);
  const writer = await files.writeEmails(jobId);
  const deleted = new Set([...rows].map((row) => Math.floor(row / width)));
  const toListed = (email: string, row: number): ListedEmail => {
    if (deleted.has(Math.floor(row / width)) || before[row] === deletedRow) return deletedRow;
    return seenInEarlierPart.has(row) ? [email] : email;
  };
  try {
    const listed = emails.map(toListed);
    for (let start = 0; start < listed.length; start += emailsPerLine)
      await writer.write(listed.slice(start, start + emailsPerLine));
    await writer.writeDuplicates(duplicates);
    await writer.close();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}
