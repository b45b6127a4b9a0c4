import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { findRedis } from './packages.js';

/** A Redis server for one test file, on loopback. */
export interface Redis {
  /** In the form that --queue takes. */
  address: string;
  /** Deletes all data. */
  wipe(): void;
  /** Kills the server. */
  stop(): Promise<void>;
  /** Starts it again on the same port, empty. */
  start(): Promise<void>;
  /** `stop` and `start`. */
  restart(): Promise<void>;
  close(): void;
}

/** Starts a server with `settings` added to its own. */
export async function startRedis(...settings: string[]): Promise<Redis> {
  const program = findRedis();
  const folder = mkdtempSync(join(process.env['MAILVET_TEST_TMP'] ?? '/tmp', 'mailvet-redis-'));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...settings];
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await isReady(child);
  };
  const stop = async (): Promise<void> => {
    const exit = child === null ? null : new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGKILL');
    child = null;
    await exit;
  };
  await start();
  const call = (...args: string[]): string =>
    execFileSync('redis-cli', ['-p', String(port), ...args], { encoding: 'utf8' });
  return {
    address: `redis://127.0.0.1:${port}`,
    ...{ start, stop },
    wipe: () => void call('FLUSHALL'),
    restart: async () => {
      await stop();
      await start();
    },
    close: () => {
      child?.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Ready to accept connections')) resolve();
    });
    child.once('exit', (status) => reject(new Error(`redis-server ended with ${status}: ${output}`)));
  });
}
