import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BinaryRun, waitForExit } from '../e2e/run-binary.js';
import type { DnsServer } from '../fakes/dns-server.js';
import { type SmtpHost, startSmtpHost } from '../fakes/smtp-host.js';
import { startZone } from '../hostile/mail-zone.js';
import { ensurePackages, fakeTimeLibrary } from './packages.js';
import { stopProcess } from './process.js';

const bin = resolve(import.meta.dirname, '../../bin/mailvet.js');
const domain = 'clocklab.com';
const jumps = [
  { name: 'forward a day', to: '+1d' },
  { name: 'back a day', to: '-1d' },
];
const starts = [
  { name: '1970', at: '@1970-01-01 12:00:00' },
  { name: '2100', at: '@2100-01-01 12:00:00' },
];
const emails = Array.from({ length: 600 }, (_, row) => `${row % 3 === 0 ? 'bad' : 'good'}${row}@${domain}`);
const wanted = emails.map((email) => (email.startsWith('good') ? 'valid' : 'invalid'));

let zone: DnsServer;
let host: SmtpHost;
let home: string;
let running: ChildProcessWithoutNullStreams[];
/** Called for each RCPT with an address of the list, with their number so far. */
let onRcpt: (count: number) => void;
let asked: Map<string, number>;

beforeAll(async () => {
  ensurePackages();
  host = await startSmtpHost({
    rcpt: (rcpt) => {
      const email = rcpt.toLowerCase();
      if (/^(?:good|bad)\d+@/.test(email)) {
        asked.set(email, (asked.get(email) ?? 0) + 1);
        onRcpt(asked.size);
      }
      return email.startsWith('good') ? '250 2.1.5 Ok' : '550 5.1.1 User unknown';
    },
  });
  zone = await startZone([{ name: domain, hosts: [{ name: `mx.${domain}`, addresses: [host.ip] }] }]);
});
afterAll(async () => {
  await host.stop();
  await zone.close();
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mailvet-clock-'));
  running = [];
  asked = new Map();
  onRcpt = () => {};
  setClock('+0');
});
afterEach(async () => {
  for (const child of running) await stopProcess(child);
  rmSync(home, { recursive: true, force: true });
});

/** Sets the clock of every process that is running, as an operator or NTP would. */
function setClock(to: string): void {
  writeFileSync(join(home, 'clock'), `${to}\n`);
}

function start(...args: string[]): ChildProcessWithoutNullStreams {
  const faked = {
    LD_PRELOAD: fakeTimeLibrary(),
    FAKETIME_TIMESTAMP_FILE: join(home, 'clock'),
    FAKETIME_NO_CACHE: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
  const environment = { HOME: home, MAILVET_HOME: join(home, 'data'), MAILVET_CONFIG_DIR: join(home, 'config') };
  const child = spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env['PATH'], ...environment, ...faked },
  });
  child.stdin.on('error', () => {});
  running.push(child);
  return child;
}

async function run(...args: string[]): Promise<BinaryRun> {
  const child = start(...args);
  child.stdin.end();
  return waitForExit(child);
}

const network = (): string[] => [
  ...['--set', `resolvers=${zone.address}`, '--set', `smtp_port=${host.port}`, '--set', 'allow_networks=127.0.0.0/8'],
  ...['--set', 'ehlo_name=probe.clocklab.com', '--set', 'ai=false'],
];
const writeList = (): string => {
  const path = join(home, 'list.csv');
  writeFileSync(path, `email\n${emails.join('\n')}\n`);
  return path;
};
const statusesIn = (csv: string): string[] =>
  csv
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(',')[1] ?? '');
const askedOnce = (): boolean => asked.size === emails.length && [...asked.values()].every((times) => times === 1);

describe.each(jumps)('a clock that is set $name', ({ to }) => {
  test('during bulk: every line is answered once, in order', async () => {
    onRcpt = (count) => count === 200 && setClock(to);
    const bulk = start('bulk', '-', '--format', 'ndjson', ...network());
    bulk.stdin.end(`${emails.join('\n')}\n`);
    const { status, out } = await waitForExit(bulk);
    expect(status).toBe(0);
    const results = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { email: string; status: string });
    expect(results.map((result) => result.email)).toEqual(emails);
    expect(results.map((result) => result.status)).toEqual(wanted);
    expect(askedOnce()).toBe(true);
  });

  test('during a job: a second worker leaves the job to the first, and no row is lost or asked twice', async () => {
    let second: Promise<BinaryRun> | null = null;
    onRcpt = (count) => {
      if (count !== 200 || second !== null) return;
      setClock(to);
      second = run('jobs', 'list', '--json').then(({ out }) =>
        run('jobs', 'resume', JSON.parse(out).jobs[0].id, '--wait', '--json', ...network()),
      );
    };
    const result = join(home, 'out.csv');
    const flags = ['--column', 'email', '--yes', '--wait', '-o', result];
    expect(await run('upload', writeList(), ...flags, ...network())).toMatchObject({ status: 0 });
    expect(statusesIn(readFileSync(result, 'utf8'))).toEqual(wanted);
    const other = (await (second as Promise<BinaryRun> | null)) ?? { out: '' };
    // It found a running job or a completed one.
    expect(other.out === '' || JSON.parse(other.out).status === 'completed').toBe(true);
    expect(askedOnce()).toBe(true);
  });

  test('with a server: keys, credits and jobs keep working', async () => {
    const created = await run('keys', 'create', '--name', 'lab', '--credits', '2000', '--expires', '30d', '--json');
    const { id, key } = JSON.parse(created.out) as { id: string; key: string };
    const server = start('serve', '--port', '0', ...network());
    const url = await urlOf(server);
    const ask = async (path: string, init: RequestInit = {}): Promise<{ status: number; json: unknown }> => {
      const answer = await fetch(url + path, { ...init, headers: { 'x-api-key': key, ...init.headers } });
      return { status: answer.status, json: await answer.json() };
    };
    const bulk = (some: string[]) =>
      ask('/validation/bulk', {
        method: 'POST',
        body: JSON.stringify({ emails: some }),
        headers: { 'content-type': 'application/json' },
      });
    const credits = async () => ((await ask('/credits')).json as { credits: number }).credits;

    expect((await bulk(emails.slice(0, 100))).status).toBe(200);
    setClock(to);
    expect((await bulk(emails.slice(100, 200))).status).toBe(200);
    expect(await credits()).toBe(1800);

    setClock('+0');
    asked.clear();
    onRcpt = (count) => count === 200 && setClock(to);
    const form = new FormData();
    form.set('file', new Blob([`email\n${emails.join('\n')}\n`]), 'list.csv');
    const preview = (await ask('/bulk/upload/preview', { method: 'POST', body: form })).json as { upload_id: string };
    const job = await ask('/bulk/upload/confirm', {
      method: 'POST',
      body: JSON.stringify({ upload_id: preview.upload_id, email_column: 'email' }),
      headers: { 'content-type': 'application/json' },
    });
    const path = `/bulk/jobs/${(job.json as { id: string }).id}`;
    await expect
      .poll(async () => ((await ask(path)).json as { status: string }).status, { timeout: 30_000, interval: 200 })
      .toBe('completed');
    expect((await ask(path)).json).toMatchObject({ processed: 600, valid_count: 400, invalid_count: 200 });
    expect(await credits()).toBe(1200);
    expect([...asked.values()].every((times) => times === 1)).toBe(true);

    expect((await run('keys', 'revoke', id)).status).toBe(0);
    await expect.poll(async () => (await ask('/credits')).status, { timeout: 3000, interval: 100 }).toBe(401);
    const exit = once(server, 'exit');
    server.kill('SIGTERM');
    expect((await exit)[0]).toBe(0);
  });
});

describe.each(starts)('a machine that believes it is $name', ({ at }) => {
  test('does all its work, and a key that was created later is valid again when the clock is right', async () => {
    setClock(at);
    const result = join(home, 'out.csv');
    const flags = ['--column', 'email', '--yes', '--wait', '-o', result, '--max-age', '30d'];
    expect(await run('upload', writeList(), ...flags, ...network())).toMatchObject({ status: 0 });
    expect(statusesIn(readFileSync(result, 'utf8'))).toEqual(wanted);
    expect(askedOnce()).toBe(true);

    // Verdicts cached under the wrong clock have no valid age, so all are asked again.
    setClock('+0');
    asked.clear();
    expect(await run('upload', writeList(), ...flags, ...network())).toMatchObject({ status: 0 });
    expect(askedOnce()).toBe(true);
    const { key } = JSON.parse((await run('keys', 'create', '--name', 'k', '--expires', '30d', '--json')).out);

    const server = start('serve', '--port', '0', ...network());
    const url = await urlOf(server);
    const isGood = async () => (await fetch(`${url}/credits`, { headers: { 'x-api-key': key } })).status === 200;
    setClock(at);
    expect(await isGood()).toBe(at.includes('1970'));
    setClock('+0');
    expect(await isGood()).toBe(true);
  });
});

/** The address that a server prints. */
async function urlOf(server: ChildProcessWithoutNullStreams): Promise<string> {
  let out = '';
  server.stderr.resume();
  for (const exit = once(server, 'exit'); ; ) {
    const [piece] = await Promise.race([once(server.stdout, 'data'), exit]);
    out += String(piece);
    const found = /https?:\/\/\S+\/api\/v1/.exec(out);
    if (found !== null) return found[0];
    if (server.exitCode !== null) throw new Error('the server ended before it listened');
  }
}
