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
  /** The link that it printed for the first password; null where there is one. */
  setUpUrl: string | null;
  /** Ends it as an administrator would, or as a power cut does. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again in the same place. */
  again(): Promise<Serving>;
}

export interface ServeWishes {
  home?: string;
  port?: number;
  /** Null: none is set, as at the first start. */
  password?: string | null;
  args?: readonly string[];
}

export const password = 'correct horse battery';

/** `mailvet serve` on loopback with its own folder; it contacts no server unless `args` name one. */
export async function serve(wishes: ServeWishes = {}): Promise<Serving> {
  const { home = mkdtempSync(join(tmpdir(), 'mailvet-browser-')), port = 0, args = ['--level', 'syntax'] } = wishes;
  const given = wishes.password === undefined ? password : wishes.password;
  const secret = join(home, 'password.txt');
  if (given !== null) writeFileSync(secret, given);
  const flags = given === null ? [] : ['--admin-password-file', secret];
  const environment = bareEnvironment({ MAILVET_HOME: home, MAILVET_CONFIG_DIR: join(home, 'config') });
  const child = startBinary(['serve', '--port', String(port), '--log-level', 'warn', ...flags, ...args], environment);
  const told = await firstWords(child, given === null);
  const root = new URL(/Listening on (\S+)/.exec(told)?.[1] ?? '').origin;
  return {
    root,
    port: Number(new URL(root).port),
    home,
    setUpUrl: /https?:\S+\/setup#\S+/.exec(told)?.[0] ?? null,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((done) => child.once('close', done));
      child.kill(signal);
      await gone;
    },
    again: () => serve({ ...wishes, home, port: Number(new URL(root).port) }),
  };
}

/** The output until it is ready. */
function firstWords(child: ChildProcessWithoutNullStreams, waitForLink: boolean): Promise<string> {
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
