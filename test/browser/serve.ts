import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareEnvironment, startBinary } from '../e2e/run-binary.js';

/** The real program as a server. */
export interface Serving {
  root: string;
  port: number;
  home: string;
  /** The printed link that sets the first password; null if a password is set. */
  setUpUrl: string | null;
  /** Stops it as an administrator would, or kills it as a power cut would. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again in the same folder. */
  again(): Promise<Serving>;
}

export interface ServeOptions {
  home?: string;
  port?: number;
  /** Null: no password is set, as at the first start. */
  password?: string | null;
  args?: readonly string[];
}

export const password = 'correct horse battery';

/** `mailvet serve` on loopback with its own folder; it contacts no server unless `args` name one. */
export async function serve(options: ServeOptions = {}): Promise<Serving> {
  const { home = mkdtempSync(join(tmpdir(), 'mailvet-browser-')), port = 0, args = ['--level', 'syntax'] } = options;
  const firstPassword = options.password === undefined ? password : options.password;
  const secret = join(home, 'password.txt');
  if (firstPassword !== null) writeFileSync(secret, firstPassword);
  const flags = firstPassword === null ? [] : ['--set', `serve.admin_password_file=${secret}`];
  const environment = bareEnvironment({ MAILVET_HOME: home, MAILVET_CONFIG_DIR: join(home, 'config') });
  const child = startBinary(
    ['serve', '--port', String(port), '--set', 'serve.log_level=warn', ...flags, ...args],
    environment,
  );
  const output = await readUntilReady(child, firstPassword === null);
  const root = new URL(/Listening on (\S+)/.exec(output)?.[1] ?? '').origin;
  return {
    root,
    port: Number(new URL(root).port),
    home,
    setUpUrl: /https?:[^\s"]+\/setup#[^\s"]+/.exec(output)?.[0] ?? null,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = new Promise((done) => child.once('close', done));
      child.kill(signal);
      await exited;
    },
    again: () => serve({ ...options, home, port: Number(new URL(root).port) }),
  };
}

/** The output until it is ready. */
function readUntilReady(child: ChildProcessWithoutNullStreams, waitForLink: boolean): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const hear = (piece: Buffer): void => {
      text += piece.toString();
      if (text.includes('Listening on') && (!waitForLink || text.includes('/setup#'))) resolve(text);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('close', () => reject(new Error(`serve ended at once: ${text}`)));
  });
}
