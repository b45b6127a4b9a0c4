import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { openAtomicFile } from '../../disk/atomic-file.js';
import { readDataFile } from '../../disk/bundled-file.js';
import { readProblem, readSmallFile } from '../../disk/own-file.js';
import { makeOwnFolder } from '../../disk/private-folder.js';
import { storageFailure } from '../../disk/storage-failure.js';
import { dataPath } from '../../engine/data-file.js';
import { readDataSources } from '../../engine/lists/data-sources.js';
import {
  findLists,
  type InstalledLists,
  installedDate,
  readInstalledLists,
  type UpdatableList,
  updatableLists,
} from '../../engine/lists/installed-lists.js';
import { formatNumber } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import { checkMinisign, parseMinisignKey } from './minisign.js';

/** A list in use. */
export interface ListInUse {
  file: string;
  entries: number;
  /** YYYY-MM-DD. */
  generated: string;
  origin: 'bundled' | 'installed';
}

interface UpdateOptions {
  /** The lists folder of the data directory. */
  folder: string;
  /** A file or an https URL; its signature is next to it, with `.minisig` appended. */
  from: string;
  /** A minisign public key, or the path of its file. */
  key: string;
  /** Reads a file or a URL, up to `maxBytes`. */
  readSource(source: string, maxBytes: number): Promise<Buffer>;
  now?: () => number;
}

/** The content of a package, after the checks. */
interface ListPackage {
  generated: string;
  files: Partial<Record<UpdatableList, readonly string[]>>;
}

const maxPackageBytes = 32 * 2 ** 20;
const maxUnpackedBytes = 256 * 2 ** 20;
const maxSignatureBytes = 4_096;
/** The allowed ratio of new to old entries. */
const entryLimits = { min: 0.5, max: 4 };
const dayMs = 86_400_000;
const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** The lists folder of a data directory. */
export function listsFolder(dataDir: string): string {
  return join(dataDir, 'lists');
}

/** Every list, its age and its origin. */
export function listsInUse(folder: string): ListInUse[] {
  const { installed } = findLists(folder);
  const { generated, files } = readDataSources();
  return files
    .filter(({ file }) => !file.endsWith('.bin'))
    .map(({ file, entries }) => {
      const update = installed?.files[file as UpdatableList];
      const date = installed === null ? null : installedDate(installed, file as UpdatableList);
      return update === undefined || date === null
        ? { file, entries, generated, origin: 'bundled' }
        : { file, entries: update.entries, generated: date, origin: 'installed' };
    });
}

/** Checks and installs a package of lists; null if the lists in use are from the same day. */
export async function updateLists(options: UpdateOptions): Promise<ListInUse[] | null> {
  const { folder, from, readSource } = options;
  const key = parseMinisignKey(/^RW[\w+/=]{54}$/.test(options.key) ? options.key : readKeyFile(options.key));
  const content = await readSource(from, maxPackageBytes);
  const signature = await readSource(signatureOf(from), maxSignatureBytes);
  checkMinisign(content, signature.toString('utf8'), key);
  const update = parsePackage(await unpack(content), (options.now ?? Date.now)());
  const inUse = listsInUse(folder);
  const current = findLists(folder).installed?.generated ?? readDataSources().generated;
  if (update.generated < current) {
    throw rejectPackage(`The lists are dated ${update.generated}, older than those in use (${current})`);
  }
  if (update.generated === current) return null;
  for (const [file, lines] of entriesOf(update)) checkSize(file, lines.length, inUse);
  checkDomains(update);
  await install(folder, from, update);
  return listsInUse(folder);
}

function readKeyFile(path: string): string {
  try {
    return readSmallFile(path, maxSignatureBytes).toString('utf8');
  } catch (cause) {
    throw new Failure('usage', `The key file ${path} cannot be read: ${readProblem(cause)}.`, {
      cause,
      hint: 'Give the line of the .pub file that begins with RW, or the path of that file.',
    });
  }
}

/** Returns to the bundled lists. True if other lists were installed. */
export async function resetLists(folder: string): Promise<boolean> {
  const existed = readInstalledLists(folder) !== null;
  await rm(folder, { recursive: true, force: true }).catch((error: unknown) => {
    throw storageFailure(error, folder, 'The folder of the lists');
  });
  return existed;
}

function signatureOf(source: string): string {
  if (!/^https?:/i.test(source)) return `${source}.minisig`;
  const url = new URL(source);
  url.pathname += '.minisig';
  return url.href;
}

async function unpack(content: Buffer): Promise<string> {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return content.toString('utf8');
  try {
    return (await promisify(gunzip)(content, { maxOutputLength: maxUnpackedBytes })).toString('utf8');
  } catch (cause) {
    throw rejectPackage('The package is damaged, or larger than 256 MB unpacked', cause);
  }
}

function parsePackage(text: string, now: number): ListPackage {
  let parsed: { format?: unknown; generated?: unknown; files?: unknown };
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch (cause) {
    throw rejectPackage('The package is not JSON', cause);
  }
  const { format, generated, files } = parsed ?? {};
  if (format !== 'mailvet-lists/1' || typeof files !== 'object' || files === null) {
    throw rejectPackage('This is not a package of lists that this version supports');
  }
  if (typeof generated !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(generated) || !(Date.parse(generated) < now + dayMs)) {
    throw rejectPackage('The package has no date, or one in the future');
  }
  const lists = updatableLists
    .filter((file) => file in files)
    .map((file) => [file, readLines(file, (files as Record<string, unknown>)[file])]);
  if (lists.length === 0) throw rejectPackage('The package has none of the lists that can be updated');
  return { generated, files: Object.fromEntries(lists) as ListPackage['files'] };
}

function readLines(file: UpdatableList, lines: unknown): string[] {
  const isLine = (line: unknown): line is string => {
    if (typeof line !== 'string') return false;
    return hostName.test(file === 'disposable-hosts.txt' ? line.replace(/ [0-9]{1,9}$/, '') : line);
  };
  if (!Array.isArray(lines)) throw rejectPackage(`${file} is not a list of names`);
  const invalidEntry: unknown = lines.find((line) => !isLine(line));
  if (invalidEntry !== undefined)
    throw rejectPackage(`${file} has an entry that is not a domain name: ${JSON.stringify(invalidEntry).slice(0, 80)}`);
  // ASCII, so that this is the order of bytes that the binary search needs.
  return [...new Set(lines as string[])].sort((a, b) => (a < b ? -1 : 1));
}

function checkSize(file: UpdatableList, entries: number, inUse: readonly ListInUse[]): void {
  const currentEntries = inUse.find((list) => list.file === file)?.entries ?? 0;
  const isSmall = file === 'disposable-hosts.txt';
  if (entries >= currentEntries * entryLimits.min && (isSmall || entries <= currentEntries * entryLimits.max)) return;
  throw rejectPackage(
    `${file} has ${formatNumber(entries)} entries, and the list in use ${formatNumber(currentEntries)}`,
  );
}

/** Rejects a package that lists a large provider as disposable. */
function checkDomains({ files }: ListPackage): void {
  const { providers } = JSON.parse(readDataFile(dataPath('providers.json')).toString('utf8')) as {
    providers: { domains: string[]; hosts: string[] }[];
  };
  const names = new Set(providers.flatMap(({ domains, hosts }) => [...domains, ...hosts]));
  const disposable = [...(files['disposable.txt'] ?? []), ...(files['disposable-hosts.txt'] ?? [])];
  const provider = disposable.map((line) => line.replace(/ .*/, '')).find((name) => names.has(name));
  if (provider !== undefined) throw rejectPackage(`The package lists ${provider} as disposable`);
}

/** Writes the files to a new folder, then the record that names it. The folder before it stays for processes that have not read it yet. */
async function install(folder: string, from: string, update: ListPackage): Promise<void> {
  const name = `${update.generated}-${randomBytes(4).toString('hex')}`;
  const record: InstalledLists = { generated: update.generated, from: withoutSecrets(from), folder: name, files: {} };
  try {
    makeOwnFolder(folder);
    const previous = readInstalledLists(folder);
    const olderEntries = await readdir(folder);
    await mkdir(join(folder, name), { mode: 0o700 });
    for (const [file, lines] of entriesOf(update)) {
      const bytes = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
      await writeFile(join(folder, name, file), bytes, { mode: 0o600, flush: true });
      record.files[file] = { entries: lines.length, bytes: bytes.length };
    }
    // Lists that the package lacks are kept.
    for (const file of updatableLists) {
      const kept = previous?.files[file];
      if (previous === null || kept === undefined || record.files[file] !== undefined) continue;
      await copyFile(join(folder, previous.folder, file), join(folder, name, file));
      record.files[file] = { generated: previous.generated, ...kept };
    }
    const current = await openAtomicFile(join(folder, 'current.json'), join(folder, `${name}.json`));
    await current.handle.writeFile(`${JSON.stringify(record)}\n`).catch(async (error: unknown) => {
      await current.discard();
      throw error;
    });
    await current.commit();
    for (const entry of olderEntries) {
      if (entry !== 'current.json' && entry !== previous?.folder)
        await rm(join(folder, entry), { recursive: true, force: true });
    }
  } catch (error) {
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
    throw storageFailure(error, folder, 'The folder of the lists');
  }
}

/** A URL may have a token in its user or query. */
function withoutSecrets(source: string): string {
  if (!/^https?:/i.test(source)) return source;
  const { origin, pathname } = new URL(source);
  return origin + pathname;
}

function entriesOf({ files }: ListPackage): [UpdatableList, readonly string[]][] {
  return Object.entries(files) as [UpdatableList, readonly string[]][];
}

function rejectPackage(reason: string, cause?: unknown): Failure {
  return new Failure('bad_input', `${reason}. The lists in use are unchanged.`, {
    ...(cause !== undefined && { cause }),
    hint: 'Ask the publisher of the package, or keep the lists in use: mailvet lists show',
  });
}
