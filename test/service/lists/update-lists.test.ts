import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findLists } from '../../../src/engine/lists/installed-lists.js';
import { createLists } from '../../../src/engine/lists/lists.js';
import { checkLists } from '../../../src/service/diagnosis/machine.js';
import { listsInUse, resetLists, updateLists } from '../../../src/service/lists/update-lists.js';
import { anAddress } from '../../engine/an-address.js';

const bundled = (file: string) =>
  readFileSync(join(import.meta.dirname, '../../../src/engine/data', file), 'utf8')
    .trimEnd()
    .split('\n');
const disposable = bundled('disposable.txt');
const now = Date.parse('2027-03-02T12:00:00Z');

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const keyId = randomBytes(8);
const key = Buffer.concat([
  Buffer.from('Ed'),
  keyId,
  publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
]).toString('base64');

function signatureOf(content: Buffer): string {
  const proof = sign(null, createHash('blake2b512').update(content).digest(), privateKey);
  const global = sign(null, Buffer.concat([proof, Buffer.from('today')]), privateKey);
  const line = Buffer.concat([Buffer.from('ED'), keyId, proof]).toString('base64');
  return `untrusted comment: x\n${line}\ntrusted comment: today\n${global.toString('base64')}\n`;
}

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailvet-lists-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Package {
  format?: string;
  generated?: unknown;
  files?: unknown;
}

const newDomains = ['just-opened-throwaway.example-mail.com', 'neu-und-weg.de'];
const fresh: Package = {
  format: 'mailvet-lists/1',
  generated: '2027-03-01',
  files: {
    'disposable.txt': [...newDomains, ...disposable],
    'disposable-hosts.txt': ['mx.fresh-cluster.net 37', ...bundled('disposable-hosts.txt')],
  },
};

function install(update: Package | Buffer, change: { signature?: string; at?: number } = {}) {
  const content = Buffer.isBuffer(update) ? update : gzipSync(JSON.stringify(update), { level: 1 });
  const files = new Map([
    ['lists.json.gz', content],
    ['lists.json.gz.minisig', Buffer.from(change.signature ?? signatureOf(content))],
  ]);
  const read = async (source: string) => files.get(source) ?? Buffer.alloc(0);
  return updateLists({ folder, from: 'lists.json.gz', key, readSource: read, now: () => change.at ?? now });
}

test('an update is used by the engine, and can be undone', async () => {
  const installed = await install(fresh);
  expect(installed?.find(({ file }) => file === 'disposable.txt')).toEqual({
    file: 'disposable.txt',
    entries: disposable.length + 2,
    generated: '2027-03-01',
    origin: 'installed',
  });
  expect(installed?.find(({ file }) => file === 'free.txt')).toMatchObject({ origin: 'bundled' });
  const lists = createLists(null, findLists(folder));
  expect(lists.check(anAddress('ada@neu-und-weg.de')).disposable).toBe('neu-und-weg.de');
  expect(lists.check(anAddress('ada@mailinator.com')).disposable).toBe('mailinator.com');
  expect(lists.disposableHost('mx.fresh-cluster.net')).toEqual({ name: 'mx.fresh-cluster.net', domains: 37 });
  expect(createLists().disposableHost('mx.fresh-cluster.net')).toBeNull();

  expect(await resetLists(folder)).toBe(true);
  expect(createLists(null, findLists(folder)).check(anAddress('ada@neu-und-weg.de')).disposable).toBeNull();
  expect(await resetLists(folder)).toBe(false);
});

test('an update keeps the files of the one before it, and no older ones', async () => {
  for (const generated of ['2027-03-01', '2027-03-02', '2027-03-03']) await install({ ...fresh, generated });
  expect(
    readdirSync(folder)
      .map((name) => name.slice(0, 10))
      .sort(),
  ).toEqual(['2027-03-02', '2027-03-03', 'current.js']);
  expect(listsInUse(folder)[0]).toMatchObject({ generated: '2027-03-03', origin: 'installed' });
});

test('a process that has not read its lists yet can read them after an update and a reset', async () => {
  await install(fresh);
  const atUpdate = createLists(null, findLists(folder));
  const atReset = createLists(null, findLists(folder));
  await install({ ...fresh, generated: '2027-03-02' });
  expect(atUpdate.disposableHost('mx.fresh-cluster.net')).toEqual({ name: 'mx.fresh-cluster.net', domains: 37 });
  await resetLists(folder);
  expect(atReset.check(anAddress('ada@mailinator.com')).disposable).toBe('mailinator.com');
  expect(atReset.disposableHost('mx.fresh-cluster.net')).toBeNull();
});

test('a package without some lists keeps those of the one before it, with their date', async () => {
  const free = ['just-opened-webmail.example-mail.com', ...bundled('free.txt')];
  await install({ ...fresh, files: { ...(fresh.files as object), 'free.txt': free } });
  for (const generated of ['2027-03-02', '2027-03-03']) {
    await install({ ...fresh, generated, files: { 'disposable.txt': disposable } });
  }
  const dateOf = (name: string) => listsInUse(folder).find(({ file }) => file === name);
  expect(dateOf('disposable.txt')).toMatchObject({ generated: '2027-03-03', origin: 'installed' });
  expect(dateOf('free.txt')).toEqual({
    ...{ file: 'free.txt', entries: free.length, generated: '2027-03-01', origin: 'installed' },
  });
  expect(createLists(null, findLists(folder)).disposableHost('mx.fresh-cluster.net')).not.toBeNull();
  expect(checkLists(Date.parse('2027-03-03'), folder).message).toBe(
    'The installed lists were built today (2027-03-03), free.txt on 2027-03-01, disposable-hosts.txt on 2027-03-01.',
  );
});

test('doctor names lists that the package lacks', async () => {
  const [{ generated = '' } = {}] = listsInUse(folder);
  await install(fresh);
  expect(checkLists(Date.parse('2027-03-01'), folder).message).toBe(
    `The installed lists were built today (2027-03-01), free.txt on ${generated}.`,
  );
  await resetLists(folder);
  await install({ ...fresh, files: { 'free.txt': bundled('free.txt') } });
  expect(checkLists(Date.parse('2027-12-01'), folder)).toMatchObject({
    state: 'warn',
    message: expect.stringMatching(/^The bundled lists were built \d+ days ago .*, free\.txt on 2027-03-01\.$/),
  });
});

test('lists of the same day are not an update', async () => {
  await install(fresh);
  expect(await install(fresh)).toBeNull();
});

describe('refused, and the lists in use stay:', () => {
  const many = Array.from({ length: disposable.length * 4 + 1 }, (_, index) => `d${index}.com`);
  const files = (lines: readonly unknown[]) => ({ ...fresh, files: { 'disposable.txt': lines } });
  test.each([
    { name: 'a wrong signature', update: fresh, change: { signature: signatureOf(Buffer.from('x')) }, why: 'match' },
    { name: 'an older package', update: { ...fresh, generated: '2026-01-01' }, why: 'older than those in use' },
    { name: 'a date in the future', update: { ...fresh, generated: '2027-03-05' }, why: 'future' },
    { name: 'no date', update: { ...fresh, generated: 7 }, why: 'no date' },
    { name: 'another format', update: { ...fresh, format: 'mailvet-lists/2' }, why: 'that this version supports' },
    { name: 'no lists', update: { ...fresh, files: { 'roles.txt': ['info'] } }, why: 'none of the lists' },
    { name: 'files that are null', update: { ...fresh, files: null }, why: 'that this version supports' },
    { name: 'text', update: files('gmail.com' as never), why: 'not a list of names' },
    { name: 'half of the list', update: files(disposable.slice(0, 1000)), why: '1,000 entries' },
    { name: 'many times the list', update: files(many), why: 'entries' },
    { name: 'a large provider', update: files([...disposable, 'gmail.com']), why: 'gmail.com' },
    { name: 'a top-level domain', update: files([...disposable, 'com']), why: 'not a domain name: "com"' },
    { name: 'an invalid name', update: files([...disposable, 'a b\nc']), why: 'not a domain name' },
    { name: 'a number', update: files([...disposable, 5]), why: 'not a domain name: 5' },
    { name: 'damaged data', update: gzipSync(JSON.stringify(fresh)).subarray(0, -20), why: 'damaged' },
    { name: 'an HTML page', update: Buffer.from('<html>'), why: 'not JSON' },
    { name: 'null', update: Buffer.from('null'), why: 'that this version supports' },
  ])('$name', async ({ update, change, why }) => {
    await expect(install(update, change)).rejects.toThrow(why);
    expect(readdirSync(folder)).toEqual([]);
    expect(listsInUse(folder).every(({ origin }) => origin === 'bundled')).toBe(true);
  });

  test.skipIf(process.geteuid?.() === 0)('a folder that cannot be written', async () => {
    chmodSync(folder, 0o500);
    await expect(install(fresh)).rejects.toMatchObject({ code: 'storage' });
    chmodSync(folder, 0o700);
  });
});

describe('the bundled lists', () => {
  const isInstalled = () => findLists(folder).installed !== null;

  test('are used if a file of the update is damaged', async () => {
    await install(fresh);
    expect(isInstalled()).toBe(true);
    const [name = ''] = readdirSync(folder).filter((entry) => entry !== 'current.json');
    truncateSync(join(folder, name, 'disposable.txt'), 1000);
    expect(isInstalled()).toBe(false);
  });

  test('are used if a later version of mailvet has newer ones', async () => {
    await install(fresh);
    const record = JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8')) as { generated: string };
    writeFileSync(join(folder, 'current.json'), JSON.stringify({ ...record, generated: '2026-01-01' }));
    expect(isInstalled()).toBe(false);
  });

  test('are used if the record points outside the folder', async () => {
    await install(fresh);
    const record = JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8')) as { folder: string };
    writeFileSync(join(folder, 'current.json'), JSON.stringify({ ...record, folder: '../elsewhere' }));
    expect(isInstalled()).toBe(false);
  });
});
