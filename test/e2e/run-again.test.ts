import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startFakeService } from '../fakes/fake-service.js';
import { startNetwork } from '../fakes/network.js';
import { amount, isNightly } from '../size.js';
import { bareEnvironment, startBinary, waitForExit } from './run-binary.js';

/** Interruptions of each run: the nightly one has each signal. */
const kills = amount(1, 3);
const signals = ['SIGKILL', 'SIGINT', 'SIGTERM'] as const;
const rows = amount(1_500, 3_000);
/** Slow enough that each part of a run takes longer than opening its memory: what is answered before is asked again. */
const rcptMs = Math.ceil(((kills + 1) * 5_000) / rows);

const folder = mkdtempSync(join(tmpdir(), 'mailvet-again-'));
afterAll(() => rmSync(folder, { recursive: true }));

const emails = Array.from({ length: rows }, (_, row) => `${row % 3 === 0 ? 'good' : 'bad'}${row}@site${row % 30}.com`);
const csv = `n,email\n${emails.map((email, row) => `${row},${email}\n`).join('')}`;
const list = join(folder, 'list.csv');
writeFileSync(list, csv);

interface Interrupted {
  args: string[];
  env: NodeJS.ProcessEnv;
  stdin?: string;
  /** How many rows were asked about so far, of `rows`. */
  asked: () => number;
  rows: number;
}

/** Starts a command again and again, interrupts it, and returns how its last run ended. */
async function interruptedRun({ args, env, stdin = '', asked, rows }: Interrupted) {
  const ends: (string | number | null)[] = [];
  for (let time = 0; time <= kills; time++) {
    const child = startBinary(args, env);
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    const isLast = time === kills;
    const enough = (rows * (time + 0.7 + Math.random() * 0.3)) / (kills + 1);
    const timer = setInterval(() => !isLast && asked() >= enough && child.kill(signals[time % 3]), 20);
    const end = await waitForExit(child);
    clearInterval(timer);
    ends.push(end.signal ?? end.status);
    if (isLast) return { ...end, ends };
  }
  throw new Error('unreachable');
}

describe.concurrent('a list on slow mail hosts that is interrupted', () => {
  test.each(
    [
      { name: 'bulk -o', command: ['bulk', list, '-o', join(folder, 'bulk.csv')], output: 'bulk.csv' },
      { name: 'bulk from a pipe', command: ['bulk', '-', '--format', 'csv'], output: null, stdin: csv },
      { name: 'bulk to stdout', command: ['bulk', list, '--format', 'csv'], output: null, isLong: true },
      {
        name: 'upload --wait -o',
        command: ['upload', list, '--column', 'email', '--yes', '--wait', '-o', join(folder, 'job.csv')],
        output: 'job.csv',
        isLong: true,
      },
    ].filter(({ isLong = false }) => isNightly || !isLong),
  )(
    'goes on with the same command: $name',
    async ({ command, output, stdin }) => {
      const asked = new Map<string, number>();
      const network = await startNetwork({
        rcptMs,
        rcpt: (address) => {
          asked.set(address, (asked.get(address) ?? 0) + 1);
          return address.startsWith('good') ? '250 2.1.5 ok' : '550 5.1.1 no such user';
        },
      });
      // A session at a time: slow enough to be interrupted.
      const args = [...command, ...network.flags, '--concurrency', '1'];
      try {
        const env = bareEnvironment();
        const progress = { rows, asked: () => asked.size };
        const end = await interruptedRun({ args, env, ...progress, ...(stdin !== undefined && { stdin }) });
        expect(end, end.err).toMatchObject({ status: 0 });
        const written = output === null ? end.out : readFileSync(join(folder, output), 'utf8');
        const want = emails.map((email, row) => `${row},${email},${email.startsWith('good') ? 'valid' : 'invalid'}`);
        expect(
          written
            .trim()
            .split('\n')
            .slice(1)
            .map((line) => line.split(',').slice(0, 3).join()),
        ).toEqual(want);
        const repeated = emails.filter((email) => (asked.get(email) ?? 0) > 1).length;
        expect(end.ends.slice(0, -1)).not.toContain(0);
        expect(repeated).toBeLessThanOrEqual(kills * 150);
        if (end.ends.includes('SIGKILL')) expect(end.err).toMatch(/Continuing/);
      } finally {
        await network.stop();
      }
    },
    120_000,
  );
});

test.concurrent('a list at a service that is interrupted: nothing is paid twice, and what is in doubt is named', async () => {
  const fake = await startFakeService();
  // Slow enough that no run but the last one ends.
  fake.misbehave(() => ({ after: new Promise((resolve) => setTimeout(resolve, 1_500)) }));
  const many = Array.from({ length: 4_000 * (kills + 2) }, (_, row) => `p${row}@site${row % 30}.com`);
  const long = join(folder, 'long.csv');
  writeFileSync(long, `email\n${many.join('\n')}\n`);
  const output = join(folder, 'paid.csv');
  const env = bareEnvironment({ MAILVET_API_KEY: fake.apiKey });
  const args = ['bulk', long, '-o', output, '--remote', '--base-url', fake.url, '--concurrency', '2'];
  try {
    const end = await interruptedRun({ args, env, rows: many.length, asked: () => fake.bulkEmails().length });
    expect(new Set(fake.bulkEmails()).size).toBe(fake.bulkEmails().length);
    const statuses = readFileSync(end.status === 4 ? `${output}.rejected` : output, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[1]);
    expect(statuses).toHaveLength(many.length);
    const unanswered = statuses.filter((status) => status === 'unknown').length;
    if (unanswered > 0) expect(end.err).toMatch(/sent to the service before the\s+interruption and never answered/);
    expect(unanswered % 1_000).toBe(0);
    expect(end, end.err).toMatchObject({ status: unanswered > 0 ? 4 : 0 });
    expect(fake.violations).toEqual([]);
  } finally {
    await fake.stop();
  }
}, 120_000);

test.concurrent.each(
  [
    { command: 'bulk', flags: [] },
    { command: 'upload', flags: ['--column', 'email', '--yes', '--wait'] },
  ].slice(0, amount(1, 2)),
)(
  'hybrid that is interrupted: $command sends what the engine cannot settle, and nothing twice',
  async ({ command, flags }) => {
    const fake = await startFakeService();
    const wild = (email: string): boolean => Number(/site(\d+)/.exec(email)?.[1]) % 3 === 0;
    const asked = new Set<string>();
    const network = await startNetwork({
      rcptMs,
      rcpt: (address) => {
        asked.add(address);
        return wild(address) || address.startsWith('good') ? '250 2.1.5 ok' : '550 5.1.1 no such user';
      },
    });
    const backEnd = ['--hybrid', '--base-url', fake.url, '--concurrency', '1', '--set', 'max_credits=100000'];
    try {
      const env = bareEnvironment({ MAILVET_API_KEY: fake.apiKey });
      const output = join(folder, `${command}-hybrid.csv`);
      const args = [command, list, '-o', output, ...flags, ...backEnd, ...network.flags];
      const end = await interruptedRun({ args, env, rows, asked: () => asked.size });
      // A run that was killed while the service answered leaves rows in doubt.
      expect([0, 4], end.err).toContain(end.status);
      const sent = fake.bulkEmails();
      expect(new Set(sent).size).toBe(sent.length);
      expect(sent.every(wild)).toBe(true);
      const written = readFileSync(end.status === 4 ? `${output}.rejected` : output, 'utf8')
        .trim()
        .split('\n')
        .slice(1);
      const unanswered = written.filter((line) => line.includes('no_answer')).length;
      expect(written).toHaveLength(rows);
      expect(end.status).toBe(unanswered > 0 ? 4 : 0);
      if (unanswered > 0) expect(end.err).toMatch(/sent to the service before the\s+interruption and never answered/);
      expect(sent.length).toBeLessThanOrEqual(emails.filter(wild).length);
      expect(sent.length + unanswered).toBeGreaterThanOrEqual(emails.filter(wild).length);
      expect(fake.violations).toEqual([]);
    } finally {
      await network.stop();
      await fake.stop();
    }
  },
  120_000,
);
