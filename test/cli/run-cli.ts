import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenService, Runtime } from '../../src/cli/context.js';
import { runProgram } from '../../src/cli/program.js';
import type { ListService } from '../../src/lists/pipeline.js';
import type { Settings } from '../../src/settings/resolve.js';
import { fakeService } from '../fakes/service.js';
import { fakeTerminal } from '../fakes/terminal.js';

export interface CliRun {
  status: number;
  out: string;
  err: string;
  /** The settings that a back end was opened with, in order. */
  opened: Settings[];
  /** The options passed with them. */
  options: unknown[];
}

export interface CliEnvironment {
  tty?: boolean;
  stdin?: string | Buffer;
  color?: boolean;
  columns?: number;
  unicode?: boolean;
  environment?: Record<string, string>;
  service?: ListService;
  signal?: AbortSignal;
  bug?: Promise<never>;
  startServer?: Runtime['startServer'];
  checkServer?: Runtime['checkServer'];
  openKeys?: Runtime['openKeys'];
  work?: Runtime['runWorker'];
}

/** A new folder for settings and files. */
export function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), 'mailvet-test-'));
}

/** Runs a command line with fakes for all dependencies. */
export async function runCli(args: string[], environment: CliEnvironment = {}, run = runProgram): Promise<CliRun> {
  const { tty = true, stdin = null, color = false, columns = 80, unicode = true } = environment;
  const terminal = fakeTerminal({ tty, stdin, color, columns, unicode });
  const opened: Settings[] = [];
  const options: unknown[] = [];
  const openService: OpenService = async (settings, given) => {
    opened.push(settings);
    options.push(given);
    return environment.service ?? fakeService();
  };
  const status = await run(args, {
    terminal,
    environment: {
      MAILVET_CONFIG_DIR: join(tmpdir(), 'mailvet-test-none'),
      MAILVET_HOME: join(tmpdir(), 'mailvet-test-homes', randomUUID()),
      ...environment.environment,
    },
    signal: environment.signal ?? new AbortController().signal,
    openService,
    startServer: environment.startServer ?? missing('server'),
    checkServer: environment.checkServer ?? missing('server'),
    openKeys: environment.openKeys ?? missing('keys'),
    runWorker: environment.work ?? missing('worker'),
    ...(environment.bug === undefined ? {} : { uncaughtError: environment.bug }),
  });
  return { status, out: terminal.out(), err: terminal.err(), opened, options };
}

/** Presses a key, and Enter after a letter, once a prompt listens. */
export async function answerWith(key: string, run: Promise<CliRun>): Promise<CliRun> {
  const timer = setInterval(() => {
    process.stdin.emit('keypress', key, { name: key });
    if (/[a-z]/.test(key)) process.stdin.emit('keypress', '\r', { name: 'return' });
  }, 5);
  return run.finally(() => clearInterval(timer));
}

function missing(what: string): () => Promise<never> {
  return () => Promise.reject(new Error(`this test has no ${what}`));
}
