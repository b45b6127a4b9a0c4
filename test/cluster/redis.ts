import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { findRedis } from './packages.js';

/** A Redis server of its own, on loopback. */
export interface Redis {
  /** In the form that --queue takes. */
  address: string;
  /** Forgets everything. */
  wipe(): void;
  /** Kills it, and starts it again on the same port, empty. */
  restart(): Promise<void>;
  close(): void;
}

/** Starts a server with `settings` added to its own. */
export async function startRedis(...settings: string[]): Promise<Redis> {
  const program = findRedis();
  const folder = mkdtempSync(join(process.env['MAILVET_TEST_TMP'] ?? '/tmp', 'mailvet-redis-'));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...settings];
  const start = async (): Promise<ChildProcess> => {
    const started = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await isReady(started);
    return started;
  };
  let child = await start();
  const call = (...args: string[]): void => {
    execFileSync('redis-cli', ['-p', String(port), ...args], { stdio: 'ignore' });
  };
  return {
    address: `redis://127.0.0.1:${port}`,
    wipe: () => call('FLUSHALL'),
    restart: async () => {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
      child = await start();
    },
    close: () => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Ready to accept connections')) resolve();
    });
    child.once('exit', (status) => reject(new Error(`redis-server ended with ${status}: ${said}`)));
  });
}
