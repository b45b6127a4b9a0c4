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
import { addressOf, deletedRow, EmailsLost, recordedEmail } from './email-record.js';
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
  for (const job of await allJobs(store)) {
    const columns = job.options['columns'];
    const width = Array.isArray(columns) ? columns.length : 1;
    const { rows, deleted, suggestions, forgotten, answered } = await findInJob(dependencies, job.id, search, width);
    const isListed = rows.size > 0 || (await isMentioned(dependencies, job, search));
    if (!isListed && suggestions.size === 0) continue;
    if (job.state === 'queued' || job.state === 'running') {
      report.unfinished.push(job.id);
      continue;
    }
    if (isListed) await rewriteUpload(dependencies, job, search);
    // This comes last, so that an interrupted run can be repeated.
    if (suggestions.size > 0) await store.forgetSuggestions(job.id, suggestions);
    report.rows += rows.size;
    if (rows.size > 0) {
      await store.addForgotten(job.id, forgotten);
      await rewriteEmails(dependencies, job.id, { deleted, answered, width });
    }
    report.lists++;
  }
  // What is not confirmed yet may hold it, and so may a file that an interrupted run was to remove.
  for (const id of await store.expireUploads(Number.MAX_SAFE_INTEGER)) await files.removeUpload(id);
  await files.removeLeftovers(await store.fileIds());
  await store.compact();
  return report;
}

async function allJobs(store: JobStore): Promise<JobRecord[]> {
  const jobs = new Map<string, JobRecord>();
  // A page skips a job if one before it is deleted meanwhile, so all are listed until none is new.
  for (let known = -1; known < jobs.size; ) {
    known = jobs.size;
    for (let skip = 0; ; skip += pageSize) {
      const page = await store.listJobs(null, { skip, limit: pageSize });
      for (const job of page.jobs) jobs.set(job.id, job);
      if (page.jobs.length < pageSize) break;
    }
  }
  return [...jobs.values()];
}

async function isMentioned(
  dependencies: ForgetDependencies,
  job: JobRecord,
  { addressPattern }: Search,
): Promise<boolean> {
  const source = await openStoredList(dependencies, job);
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
async function rewriteUpload(dependencies: ForgetDependencies, job: JobRecord, search: Search): Promise<void> {
  const { store, files } = dependencies;
  const upload = await store.getUpload(job.owner, job.uploadId);
  if (upload === null) return;
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

/**
 * The rows of the mailbox, and how they were counted; the rows that go with them, of those that were answered; the spellings that
 * their verdicts suggest, and suggestions of the mailbox. A row of the list has `width` addresses.
 */
async function findInJob({ files, store }: ForgetDependencies, id: string, { isForgotten }: Search, width: number) {
  const rows = new Set<number>();
  const duplicates = new Set<number>();
  let count = 0;
  try {
    for await (const emails of files.readEmails(id)) {
      for (const listed of emails) {
        if (isForgotten(addressOf(listed))) rows.add(count);
        if (typeof listed !== 'string') duplicates.add(count);
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
  const forgotten = countRows(deleted.size * width, verdicts, duplicates);
  return { rows, deleted, suggestions, forgotten, answered: verdicts };
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
  { deleted, answered, width }: { deleted: ReadonlySet<number>; answered: ReadonlyMap<number, unknown>; width: number },
): Promise<void> {
  const isDeleted = (row: number): boolean => deleted.has(Math.floor(row / width));
  const toListed = (listed: ListedEmail, row: number): ListedEmail => {
    if (isDeleted(row)) return deletedRow;
    const [email, first = -1] = typeof listed === 'string' ? [] : listed;
    // A repeat of an address that is gone and has no answer is asked itself.
    return email !== undefined && isDeleted(first) && !answered.has(first) ? [email] : listed;
  };
  const writer = await files.writeEmails(jobId);
  try {
    let count = 0;
    for await (const emails of files.readEmails(jobId))
      await writer.write(emails.map((listed) => toListed(listed, count++)));
    await writer.close();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}
