import { open, stat } from 'node:fs/promises';
import { parseAddress } from '../engine/grammar/parse-address.js';
import { keyOfAddress } from '../lists/mailbox-key.js';
import { formatAmount } from '../model/amount.js';
import { namesAt } from '../model/distinct-names.js';
import { Failure } from '../model/failure.js';
import { quotedName } from '../model/text/shell-word.js';
import { openRows } from '../rows/open-rows.js';
import { isPlaceholder, readAddresses } from '../rows/read/find-addresses.js';
import type { RowSource } from '../rows/rows.js';
import { hashAddress, isHashed } from './address-hash.js';

const refreshMs = 60_000;

/** Reads suppression lists again within a minute after one of them was replaced. A list that has become unreadable keeps its entries. */
export async function watchSuppression(paths: readonly string[], now = Date.now): Promise<(email: string) => boolean> {
  const versionOf = async (): Promise<string> => {
    const stats = await Promise.all(paths.map((path) => stat(path)));
    return stats.map(({ mtimeMs, size, ino }) => `${ino}:${size}:${mtimeMs}`).join(' ');
  };
  let includes = await readSuppression(paths);
  let version = await versionOf();
  let checkedAt = now();
  const refresh = async (): Promise<void> => {
    const current = await versionOf();
    if (current === version) return;
    includes = await readSuppression(paths);
    version = current;
  };
  return (email) => {
    if (now() - checkedAt >= refreshMs) {
      checkedAt = now();
      refresh().catch(() => {});
    }
    return includes(email);
  };
}

/** The columns of a list of bounces. */
export const suppressionColumns = ['address', 'since', 'kind', 'times'];
const suppressionHeader = `${suppressionColumns.join(',')}\n`;

/** True for a list that `bounces --suppress` wrote. Its column of addresses is known, whatever the entries are. */
async function isBounceList(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null);
  // A pipe can be read only once.
  if (!stats?.isFile()) return false;
  const file = await open(path).catch(() => null);
  try {
    const start = await file?.read(Buffer.alloc(suppressionHeader.length), 0, suppressionHeader.length, 0);
    return start?.buffer.toString('latin1', 0, start.bytesRead) === suppressionHeader;
  } finally {
    await file?.close();
  }
}

interface SuppressionReading {
  signal?: AbortSignal;
  warn?: (text: string) => void;
  note?: (text: string) => void;
}

const maxExampleChars = 60;

/** The keys of an entry: its addresses, a domain or hashes, and whether all of its text is one of them. */
function parseEntry(text: string): { keys: string[]; isReadable: boolean } {
  const entry = text.toLowerCase();
  if (isHashed(entry)) return { keys: entry.split(', '), isReadable: true };
  const domain = entry.replace(/^\*?@|\.$/g, '');
  if (!domain.includes('@')) {
    const parsed = parseAddress(`a@${domain}`);
    if (parsed.ok) return { keys: [parsed.address.canonical.slice(2)], isReadable: true };
    // A network may have a domain of one label, but without the @ it may be any word.
    const isReadable = /^\*?@[^\s@,;*]+$/.test(entry);
    return { keys: isReadable ? [domain] : [], isReadable };
  }
  const addresses = readAddresses(text);
  return {
    keys: addresses.map(keyOfAddress),
    // A network may have `root@intranet` or `a..b@x.org`, but no domain has a comma.
    isReadable: addresses.every((each) => /^[^\s@]+@[^\s@,;]+$/.test(each) || parseAddress(each).ok),
  };
}

/** The entries of a list. The first domain of a CSV without a header looks like one. */
async function* entryTexts({ hasHeader, columns, emailColumn, chunks }: RowSource): AsyncGenerator<string> {
  const header = hasHeader ? (columns[emailColumn]?.trim() ?? '') : '';
  if (header !== '' && parseEntry(header).isReadable) yield header;
  for await (const rows of chunks) {
    for (const { email } of rows) {
      const text = email.trim();
      if (text !== '' && !isPlaceholder(text)) yield text;
    }
  }
}

/** The message names the list, and the hint does not mean the list that is vetted. */
function namingList(error: unknown, path: string): unknown {
  if (!(error instanceof Failure) || error.code !== 'bad_input' || error.message.includes(path)) return error;
  return new Failure('bad_input', `The suppression list ${quotedName(path)} cannot be read. ${error.message}`, {
    hint: 'It needs an address, a domain or a SHA-256 hash on each line, or a CSV with a column "email".',
    cause: error,
  });
}

/** Reads lists of addresses, domains (`x.org`, `@x.org`) and SHA-256 hashes of addresses; returns a function that is true for their entries. */
export async function readSuppression(
  paths: readonly string[],
  { signal, warn = () => {}, note = () => {} }: SuppressionReading = {},
): Promise<(email: string) => boolean> {
  const entries = new Set<string>();
  let hasHashes = false;
  for (const path of paths) {
    const isOfBounces = await isBounceList(path);
    const options = { mayBeEmpty: true, ...(isOfBounces && { column: 'address' }), ...(signal && { signal }) };
    const source = await openRows({ path }, options).catch((error) => {
      throw namingList(error, path);
    });
    let entryCount = 0;
    const unreadable = { count: 0, first: '' };
    for await (const text of entryTexts(source)) {
      const { keys, isReadable } = parseEntry(text);
      for (const key of keys) entries.add(key);
      hasHashes ||= isHashed(keys[0] ?? '');
      entryCount++;
      if (isReadable) continue;
      unreadable.count++;
      unreadable.first ||= text;
    }
    if (entryCount === unreadable.count && !(isOfBounces && entryCount === 0))
      warn(`Nothing is suppressed by ${quotedName(path)}: it has no address, domain or SHA-256 hash.`);
    else if (unreadable.count > 0) {
      const ignored = `Ignored ${formatAmount(unreadable.count, 'entry', 'entries')} of ${quotedName(path)}`;
      const example = JSON.stringify(unreadable.first.slice(0, maxExampleChars));
      warn(`${ignored}, such as ${example}: only addresses, domains and SHA-256 hashes are read.`);
    }
    const others = source
      .otherColumns?.()
      .map(({ name, rows }) => `${JSON.stringify(name)} (${formatAmount(rows, 'row')})`);
    if (!others?.length) continue;
    const [column] = namesAt(source.columns, source.emailColumns);
    note(
      `Only the column ${JSON.stringify(column)} of ${quotedName(path)} is suppressed; others hold addresses, too: ${others.join(', ')}.`,
    );
  }
  return (email) => {
    const key = keyOfAddress(email);
    if (entries.has(key) || entries.has(key.slice(key.lastIndexOf('@') + 1))) return true;
    return hasHashes && entries.has(hashAddress(email));
  };
}
