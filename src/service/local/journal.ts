import { closeSync, fstatSync, fsync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { storageFailure } from '../../disk/storage-failure.js';
import type { ValidationResult } from '../../model/result.js';
import type { JournalFiles } from '../../model/service.js';
import { isCacheable } from '../../model/verdict-age.js';
import { changeColumn } from '../../rows/table/verdict-columns.js';

/** The first line of a journal: answers are valid only for runs of the same level. */
const firstLine = (level: string): string => `${JSON.stringify({ mailvet_journal: 1, level })}\n`;
const journalName = 'The journal of answers';
const syncEveryMs = 500;
const blockBytes = 1 << 20;
const newline = 10;

/** Opens a new journal, and those of earlier runs. `keyOf` is equal for two spellings of one mailbox. */
export function openJournal({ path, ...files }: JournalFiles, level: string, keyOf: (email: string) => string) {
  const earlierAnswers = readEarlier(files, level, keyOf);
  const file = withStorageFailure(path, () => openSync(path, 'wx', 0o600));
  let lines = firstLine(level);
  let failure: { error: unknown } | null = null;
  let syncedAt = 0;
  let isScheduled = false;
  let isEmpty = true;

  const flush = (): void => {
    isScheduled = false;
    const text = lines;
    lines = '';
    if (text !== '') withStorageFailure(path, () => writeAll(file, text));
    if (performance.now() - syncedAt < syncEveryMs) return;
    syncedAt = performance.now();
    fsync(file, (error) => {
      // Thrown at the next answer. A file that is closed by now has been synced.
      if (error !== null && error.code !== 'EBADF') failure = { error: storageFailure(error, path, journalName) };
    });
  };
  flush();
  return {
    /** The answer of an earlier run, or null. */
    find: earlierAnswers.find,
    /** How many answers the journals of earlier runs have. */
    size: earlierAnswers.size,
    /** Written within a turn of the event loop, and synced within half a second. */
    add: (result: ValidationResult) => {
      if (failure !== null) throw failure.error;
      if (!isCacheable(result)) return;
      isEmpty = false;
      lines += `${JSON.stringify(result)}\n`;
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => {
        try {
          if (isScheduled) flush();
        } catch (error) {
          failure = { error };
        }
      });
    },
    /** A journal without an answer is removed, unless `keep`. */
    close: ({ keep = false } = {}) => {
      isScheduled = false;
      try {
        if (lines !== '') withStorageFailure(path, () => writeAll(file, lines));
        withStorageFailure(path, () => fsyncSync(file));
      } finally {
        closeSync(file);
        earlierAnswers.close();
        if (isEmpty && !keep) rmSync(path, { force: true });
      }
    },
  };
}

/** The level of the run that wrote a journal; null if it cannot be read. */
export function journalLevel(path: string): string | null {
  const bytes = Buffer.alloc(100);
  const file = withStorageFailure(path, () => openSync(path, 'r'));
  try {
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return /"level":"([a-z]+)"/.exec(bytes.toString('latin1', 0, length))?.[1] ?? null;
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, text: string): void {
  let unwritten = Buffer.from(text);
  while (unwritten.length > 0) unwritten = unwritten.subarray(writeSync(file, unwritten));
}

function withStorageFailure<Answer>(path: string, work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    throw storageFailure(error, path, journalName);
  }
}

/** Stores the position of each answer, not the answer, so that a long list fits into memory. */
function readEarlier(
  { earlier, outputs = { paths: [], isReusable: () => false } }: Omit<JournalFiles, 'path'>,
  level: string,
  keyOf: (email: string) => string,
) {
  const open = (path: string): number => withStorageFailure(path, () => openSync(path, 'r'));
  const [journals, outputFiles] = [earlier.map(open), outputs.paths.map(open)];
  const positions = new Map<string, { file: number; offset: number; length: number }>();
  for (const file of outputFiles) {
    for (const { line, offset, length } of linesIn(file)) {
      const result = parseOutputLine(line);
      if (result !== null && outputs.isReusable(result)) positions.set(keyOf(result.email), { file, offset, length });
    }
  }
  for (const file of journals) {
    let isSameLevel = false;
    for (const { line, offset, length } of linesIn(file)) {
      if (offset === 0) isSameLevel = `${line}\n` === firstLine(level);
      const result = isSameLevel && offset > 0 ? parseResult(line) : null;
      if (result !== null) positions.set(keyOf(result.email), { file, offset, length });
    }
  }
  let size = 0;
  for (const { file } of positions.values()) if (journals.includes(file)) size++;
  return {
    size,
    find: (key: string): ValidationResult | null => {
      const position = positions.get(key);
      if (position === undefined) return null;
      const { file, offset, length } = position;
      const bytes = Buffer.allocUnsafe(length);
      readSync(file, bytes, 0, length, offset);
      return parseResult(bytes.toString());
    },
    close: () => {
      for (const file of [...journals, ...outputFiles]) closeSync(file);
    },
  };
}

/** Complete lines only: a crash may have truncated the last one. */
function* linesIn(file: number): Generator<{ line: string; offset: number; length: number }> {
  const size = fstatSync(file).size;
  let offset = 0;
  let unparsed = Buffer.alloc(0);
  for (let read = 0; read < size; ) {
    const block = Buffer.allocUnsafe(Math.min(blockBytes, size - read));
    const byteCount = readSync(file, block, 0, block.length, read);
    if (byteCount === 0) return;
    read += byteCount;
    unparsed = Buffer.concat([unparsed, block.subarray(0, byteCount)]);
    let start = 0;
    for (let end = unparsed.indexOf(newline); end !== -1; end = unparsed.indexOf(newline, start)) {
      yield { line: unparsed.toString('utf8', start, end), offset: offset + start, length: end - start };
      start = end + 1;
    }
    offset += start;
    unparsed = unparsed.subarray(start);
  }
}

/** A complete result. A row of JSON has the fields of its list instead, which may be an earlier output. */
function parseOutputLine(line: string): ValidationResult | null {
  const result = parseResult(line);
  if (result === null || 'mailvet_status' in result) return null;
  const isComplete = typeof result.is_valid === 'boolean' && Array.isArray(result.reasons) && Boolean(result.details);
  return isComplete ? result : null;
}

/** What an output adds to the result of a row. */
const rowFields = ['input', 'duplicate', changeColumn];

function parseResult(line: string): ValidationResult | null {
  try {
    const value: Partial<ValidationResult> = JSON.parse(line);
    for (const name of rowFields) Reflect.deleteProperty(value, name);
    const isResult = typeof value.email === 'string' && typeof value.status === 'string';
    return isResult && typeof value.confidence === 'number' ? (value as ValidationResult) : null;
  } catch {
    return null;
  }
}
