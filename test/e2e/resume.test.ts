import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { a, mx } from '../fakes/dns-records.js';
import { startDnsServer } from '../fakes/dns-server.js';
import { startSmtpHost } from '../fakes/smtp-host.js';
import { bareEnvironment, runShell, startBinary, waitForExit } from './run-binary.js';

/** How often the run is killed. MAILVET_KILLS=100 npx vitest run test/e2e/resume.test.ts runs more. */
const kills = Number(process.env['MAILVET_KILLS'] ?? 5);
/** Probes after which a run may be killed, and enough rows that every run has some left. */
const perKill = 40;
const rowsPerKill = 3 * perKill;

test(
  `${kills} × kill -9 of bulk: every row is written once, and no answered address is asked again`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mailvet-resume-'));
    const people = Array.from({ length: (kills + 1) * rowsPerKill }, (_, row) => `person${row}@site${row % 20}.com`);
    // The first row stays unanswered until the last run, and blocks all others.
    const rows = ['grey@site0.com', ...people];
    const asked = new Map<string, number>();
    let total = 0;
    let isLast = false;
    let isTime = (): boolean => false;
    let kill = (): void => {};
    const host = await startSmtpHost({
      rcpt: (address) => {
        if (address.startsWith('grey')) return isLast ? '250 2.1.5 ok' : '451 4.7.1 Greylisted, try again later';
        if (!address.startsWith('person')) return '550 5.1.1 no such user';
        asked.set(address, (asked.get(address) ?? 0) + 1);
        total++;
        if (!isTime()) return '250 2.1.5 ok';
        kill();
        return null;
      },
    });
    const dns = await startDnsServer(({ type, name }) =>
      type === 'MX'
        ? { answers: [mx('mx.example.net', 10, name)] }
        : type === 'A' && name === 'mx.example.net'
          ? { answers: [a('127.0.0.1', name)] }
          : {},
    );
    const list = join(folder, 'list.csv');
    const output = join(folder, 'out.csv');
    writeFileSync(list, `n,email\n${rows.map((email, row) => `${row},${email}\n`).join('')}`);
    const env = bareEnvironment();
    const flags = ['--resolver', dns.address, '--smtp-port', String(host.port), '--allow-network', '127.0.0.0/8'];
    const start = () =>
      startBinary(['bulk', list, '-o', output, '--resume', output, '--ehlo-name', 'probe.example.net', ...flags], env);
    const journaled = (): string[] =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.journal'))
        .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(1, -1))
        .map((line) => JSON.parse(line).email);
    const known = new Map<string, number>();
    try {
      for (let time = 0; time < kills; time++) {
        const killAt = total + 1 + Math.floor(Math.random() * perKill);
        // Answers are written in batches. A run that is killed before its first batch would test nothing.
        isTime = () => total >= killAt && journaled().length > known.size;
        const child = start();
        kill = () => child.kill('SIGKILL');
        const end = await waitForExit(child);
        expect(end).toMatchObject({ signal: 'SIGKILL' });
        for (const email of journaled()) known.set(email, known.get(email) ?? asked.get(email) ?? 0);
      }
      expect(known.size).toBeGreaterThanOrEqual(kills);
      isTime = () => false;
      isLast = true;
      const last = await waitForExit(start());
      expect(last).toMatchObject({ status: 0 });
      for (const [email, times] of known) expect([email, asked.get(email)]).toEqual([email, times]);
    } finally {
      await dns.close();
      await host.stop();
    }
    const lines = readFileSync(output, 'utf8').trimEnd().split('\n').slice(1);
    expect(lines.map((line) => line.split(',')[1])).toEqual(rows);
    expect(lines.filter((line) => line.split(',')[2] !== 'valid')).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['list.csv', 'out.csv']);
    rmSync(folder, { recursive: true });
  },
  20_000 + kills * 10_000,
);

describe('a run that is stopped while rows wait for a retry', () => {
  const rows = ['a@one.com', 'grey1@two.com', 'grey2@one.com', 'b@two.com'];
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let stopHosts: () => Promise<unknown>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mailvet-waiting-'));
    writeFileSync(join(folder, 'list.csv'), `email\n${rows.join('\n')}\n`);
    const host = await startSmtpHost({
      rcpt: (address) => {
        if (address.startsWith('grey')) return '451 4.7.1 Greylisted, try again later';
        return /^[ab]@/.test(address) ? '250 2.1.5 ok' : '550 5.1.1 no such user';
      },
    });
    const dns = await startDnsServer(({ type, name }) =>
      type === 'MX'
        ? { answers: [mx('mx.example.net', 10, name)] }
        : type === 'A' && name === 'mx.example.net'
          ? { answers: [a('127.0.0.1', name)] }
          : {},
    );
    stopHosts = () => Promise.all([host.stop(), dns.close()]);
    env = bareEnvironment({
      ...{
        MAILVET_RESOLVERS: dns.address,
        MAILVET_SMTP_PORT: String(host.port),
        MAILVET_EHLO_NAME: 'probe.example.net',
      },
      MAILVET_ALLOW_NETWORKS: '127.0.0.0/8',
    });
  });
  afterEach(async () => {
    await stopHosts();
    rmSync(folder, { recursive: true });
  });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const shell = (line: string) => runShell(`cd ${folder}; ${line}`, env);
  const stop = (command: string) =>
    shell(
      `$MAILVET ${command} 2> err & until grep -qs 'try again later' err; do sleep 0.1; done; sleep 0.3; kill -TERM $!; wait $!`,
    );
  const continuation = (): string => /(?:Continue with|can): mailvet (.*)/.exec(read('err'))?.[1] ?? '';
  const statuses = (text: string): string[] =>
    [...text.matchAll(/,(valid|unknown),(?:greylisted)?,/g)].map(([, each]) => each ?? '');

  test('keeps their last answers in the output, and --resume asks again', async () => {
    expect((await stop('bulk list.csv -o out.csv')).status).toBe(130);
    expect(statuses(read('out.csv.partial'))).toEqual(['valid', 'unknown', 'unknown', 'valid']);
    expect(read('err')).toContain('Stopped after 4 rows. 2 addresses wait for a retry, and are unknown so far.');
    const waiting = await shell(`timeout -s TERM 3 $MAILVET ${continuation()} 2>&1`);
    expect(waiting.out).toContain('try again later');
    expect((await shell(`$MAILVET ${continuation()} --greylist-wait 0`)).status).toBe(0);
    expect(statuses(read('out.csv'))).toEqual(['valid', 'unknown', 'unknown', 'valid']);
  });

  test('also if nothing else was answered', async () => {
    writeFileSync(join(folder, 'list.csv'), `email\n${rows[1]}\n${rows[2]}\n`);
    await stop('bulk list.csv -o out.csv');
    expect(continuation()).toBe('bulk list.csv -o out.csv --resume out.csv');
    expect((await shell(`timeout -s TERM 3 $MAILVET ${continuation()} 2>&1`)).out).toContain('try again later');
  });

  test('goes on from the file that its output was redirected to, and leaves that file alone', async () => {
    await stop('bulk list.csv --format csv > out.csv');
    const saved = read('out.csv');
    expect(statuses(saved)).toEqual(['valid', 'unknown', 'unknown', 'valid']);
    expect(continuation()).toBe(
      process.platform === 'linux'
        ? 'bulk list.csv --format csv --resume out.csv --only-unknown -o vetted.csv'
        : 'bulk list.csv --format csv -o vetted.csv',
    );
    expect((await shell(`$MAILVET ${continuation()} --greylist-wait 0`)).status).toBe(0);
    expect([statuses(read('vetted.csv')).length, read('out.csv')]).toEqual([4, saved]);
  });

  test.each([{ name: 'that has more than the answers of this run', command: 'bulk list.csv', redirection: '>> log' }])(
    'names no file $name',
    async ({ command, redirection }) => {
      writeFileSync(join(folder, 'log'), 'started\n');
      await stop(`${command} ${redirection}`);
      expect(continuation()).toBe(`${command} -o vetted.ndjson`);
    },
  );
});
