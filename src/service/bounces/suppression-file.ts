import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { replaceFile } from '../../disk/atomic-file.js';
import { storageFailure } from '../../disk/storage-failure.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import { keyOfAddress } from '../../lists/mailbox-key.js';
import type { Bounce } from '../../model/bounce.js';
import { Failure } from '../../model/failure.js';
import { openTable } from '../../rows/open-rows.js';
import { encodeRow } from '../../rows/write/encode-row.js';
import { suppressionColumns as columns } from '../suppression.js';

interface Entry {
  address: string;
  /** The day of the first bounce. */
  since: string;
  kind: string;
  times: number;
}

/** Opens a suppression list that bounces are added to, and that need not exist. The notices that were added are remembered as hashes in `FILE.seen`. */
export async function openSuppressionFile(path: string, now = Date.now()) {
  const target = await realpath(path).catch(() => path);
  const entries = await readEntries(target, path);
  const seen = await readSeen(`${target}.seen`, entries.size > 0, now);
  const today = new Date(now).toISOString().slice(0, 10);
  const initialSize = entries.size;
  const undated = new Set<string>();
  return {
    /** Adds a hard bounce or a complaint, unless the same notice was added before. Other kinds are ignored. */
    add: ({ address, kind, date }: Bounce, noticeId: string): void => {
      // A domain would suppress all of its addresses.
      if ((kind !== 'hard' && kind !== 'complaint') || !parseAddress(address).ok) return;
      const key = keyOfAddress(address);
      const hash = createHash('sha256').update(`${noticeId}\n${key}`).digest('base64url').slice(0, 16);
      if (seen.has(hash)) return;
      seen.set(hash, today);
      const day = date === '' ? today : date.slice(0, 10);
      const entry = entries.get(key);
      if (entry === undefined) {
        entries.set(key, { address, since: day, kind, times: 1 });
        if (date === '') undated.add(key);
      } else {
        entry.times++;
        if (date !== '') undated.delete(key);
        if (day < entry.since) entry.since = day;
        if (kind === 'complaint') entry.kind = kind;
      }
    },
    /** Replaces the file. Returns the number of new addresses, of those without a date, and of all addresses. */
    save: async (): Promise<{ added: number; undated: number; total: number }> => {
      const rows = [...entries.values()].map(({ address, since, kind, times }) => [
        address,
        since,
        kind,
        String(times),
      ]);
      const lines = [columns, ...rows].map((row) => `${encodeRow(row, ',')}\n`);
      const hashes = [...seen].slice(-maxSeen).map(([hash, day]) => `${day} ${hash}\n`);
      try {
        await replaceFile(target, lines.join(''));
        // Written last: after a crash a bounce is counted twice rather than lost.
        await replaceFile(`${target}.seen`, hashes.join(''));
      } catch (error) {
        throw storageFailure(error, path, 'The suppression list');
      }
      return { added: entries.size - initialSize, undated: undated.size, total: entries.size };
    },
  };
}

async function readEntries(target: string, path: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  const stats = await stat(target).catch(() => null);
  if (stats === null || stats.size === 0) return entries;
  const table = await openTable({ path: target, name: path }, { column: 'address' }).catch((cause: unknown) => {
    // An I/O error such as "permission denied" says nothing about the format.
    if (cause instanceof Failure && (cause.cause as NodeJS.ErrnoException | undefined)?.syscall) throw cause;
    throw notASuppressionList(path, cause);
  });
  const columnIndexes = columns.map((name) => table.columns.indexOf(name));
  // Further columns would be lost.
  if (columnIndexes.includes(-1) || table.columns.length > columns.length) {
    await table.close();
    throw notASuppressionList(path);
  }
  for await (const rows of table.chunks) {
    for (const { cells, email } of rows) {
      const [, since = '', kind = '', times = ''] = columnIndexes.map((index) => cells[index] ?? '');
      if (email !== '') entries.set(keyOfAddress(email), { address: email, since, kind, times: Number(times) || 1 });
    }
  }
  return entries;
}

function notASuppressionList(path: string, cause?: unknown): Failure {
  return new Failure(
    'usage',
    `${path} is not a suppression list of mailvet: its columns must be ${columns.join(', ')}.`,
    {
      hint: 'Name a new file; --exclude takes several lists.',
      cause,
    },
  );
}

const maxSeen = 500_000;
const keptMs = 400 * 86_400_000;

/** The hashes of notices and the day on which each was added, oldest first. Ignored if the list is empty. */
async function readSeen(path: string, hasList: boolean, now: number): Promise<Map<string, string>> {
  const reading = hasList ? readFile(path, 'utf8') : '';
  const text = await Promise.resolve(reading).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw storageFailure(error, path, 'The record of notices');
  });
  const oldest = new Date(now - keptMs).toISOString().slice(0, 10);
  const lines = text.split('\n').map((line) => line.split(' '));
  return new Map(
    lines.flatMap(([day = '', hash = '']) => (hash !== '' && day >= oldest ? [[hash, day] as const] : [])),
  );
}
