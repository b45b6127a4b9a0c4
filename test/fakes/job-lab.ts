import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { newIdentity } from '../../src/disk/process-identity.js';
import type { DriverName } from '../../src/jobs/store/sqlite/driver-registry.js';
import { nativeSqlite } from '../../src/jobs/store/sqlite/native.js';
import { openSqliteStore } from '../../src/jobs/store/sqlite/sqlite-store.js';
import type { JobStore } from '../../src/jobs/store/store.js';
import type { UploadDependencies } from '../../src/jobs/uploads/confirm-upload.js';
import { type DiskFiles, openJobFiles } from '../../src/jobs/uploads/job-files.js';
import type { TableReader } from '../../src/jobs/uploads/preview-upload.js';
import { createUploads } from '../../src/jobs/uploads/uploads.js';
import type { ValidationResult } from '../../src/model/result.js';
import type { Row } from '../../src/rows/rows.js';
import type { StoreLab } from '../contract/store/store-lab.js';
import { resultOf } from './service.js';

/** The SQLite builds that this Node has. */
export const drivers: DriverName[] = nativeSqlite() === null ? ['wasm'] : ['wasm', 'node'];

/** Reads tables without quotes: a header and comma-separated cells. */
export const plainReader: TableReader = {
  preview: async (path) => {
    const [header = '', ...lines] = linesOf(path);
    return {
      columns: header.split(','),
      suggested_email_column: 'email',
      sample_rows: lines.slice(0, 3).map((line) => line.split(',')),
      row_count: lines.length,
      row_count_exact: true,
    };
  },
  open: async (path, emailColumn) => {
    const [header = '', ...lines] = linesOf(path);
    const columns = header.split(',');
    const index = columns.indexOf(emailColumn);
    return {
      format: 'csv',
      columns,
      emailColumn: index,
      emailColumns: [index],
      hasHeader: true,
      delimiter: ',',
      totalBytes: null,
      bytesRead: () => 0,
      chunks: inChunks(lines.map((line) => toRow(line.split(','), index))),
      notes: () => [],
      summarize: () => null,
      skippedLines: () => 0,
      warnings: () => [],
      stats: () => ({ rows: 0, addresses: 0, empty: 0, several: 0 }),
      close: async () => {},
    };
  },
};

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

function toRow(cells: string[], index: number): Row {
  return { cells, email: cells[index] ?? '' };
}

async function* inChunks(rows: Row[]): AsyncIterable<Row[]> {
  for (let start = 0; start < rows.length; start += 700) yield rows.slice(start, start + 700);
}

/** A verdict that depends only on the address, so that tests can check it. */
export function knownAnswer(email: string): ValidationResult {
  let sum = 0;
  for (const char of email) sum = (sum * 31 + char.charCodeAt(0)) % 9973;
  const status = (['valid', 'invalid', 'risky', 'unknown'] as const)[sum % 4] ?? 'valid';
  const sub = { valid: '', invalid: 'mailbox_not_found', risky: 'catch_all', unknown: 'timeout_exceeded' }[status];
  const did_you_mean = sum % 7 === 0 ? 'someone@elsewhere.example' : null;
  return resultOf(email, { status, sub_status: sub, confidence: (sum % 100) / 100, did_you_mean });
}

/** Spellings differ by case only. */
export function canonical(email: string): string {
  return email.toLowerCase();
}

/** A table of `count` different addresses. */
export function list(count: number): string {
  const rows = Array.from({ length: count }, (_, row) => `${row},person${row}@host${row % 50}.example\n`);
  return `id,email\n${rows.join('')}`;
}

/** A new directory, in memory if the system supports that: these tests kill processes, not machines. */
export function makeHome(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'mailvet-jobs-'));
}

export interface Lab extends StoreLab {
  files: DiskFiles;
  disk: DiskFiles;
  name: string;
  canonical: typeof canonical;
  /** Previews and confirms a table. */
  submit(text: string, options?: Record<string, unknown>): Promise<string>;
}

/** A new store in a temporary directory. */
export async function openLab(
  driver: DriverName,
  { elapsed, ...overrides }: Partial<UploadDependencies> & { elapsed?: () => number } = {},
): Promise<Lab> {
  const home = makeHome();
  const files = openJobFiles(home);
  const store = await openSqliteStore(files.storePath, { driver, ...(elapsed && { elapsed }) });
  const others: JobStore[] = [];
  const openAs = async (identity = newIdentity()): Promise<JobStore> => {
    others.push(await openSqliteStore(files.storePath, { driver, identity }));
    return others.at(-1) ?? store;
  };
  const uploads = createUploads({ store, files, reader: plainReader, canonical, ...overrides });
  const write = (text: string, name = 'list.csv'): string => {
    const path = join(home, name);
    writeFileSync(path, text);
    return path;
  };
  return {
    home,
    files,
    disk: files,
    name: files.storePath,
    store,
    uploads,
    canonical,
    write,
    address: `${driver} ${files.storePath}`,
    openAnother: () => openAs(),
    openDead: async () => {
      const worker = newIdentity().split('~').with(3, '4194305').join('~');
      return { store: await openAs(worker), worker };
    },
    submit: async (text, options = {}) => {
      const path = write(text);
      const { upload_id } = await uploads.preview({ path, filename: basename(path) }, 'local');
      return (await uploads.confirm(upload_id, 'email', 'local', { options })).id;
    },
    close: async () => {
      for (const each of [store, ...others]) await each.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
