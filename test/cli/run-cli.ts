import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenService, Runtime } from '../../src/cli/context.js';
import { runProgram } from '../../src/cli/program.js';
import type { ValidationService } from '../../src/model/service.js';
import type { Settings } from '../../src/settings/resolve.js';
import { fakeService } from '../fakes/service.js';
import { fakeTerminal } from '../fakes/terminal.js';

export interface CliRun {
  status: number;
  out: string;
  err: string;
  /** The settings that a back end was opened with, in order. */
  opened: Settings[];
  /** The options that came with them. */
  options: unknown[];
}

export interface CliWorld {
  tty?: boolean;
  stdin?: string | Buffer;
  color?: boolean;
  columns?: number;
  unicode?: boolean;
  environment?: Record<string, string>;
  service?: ValidationService;
  signal?: AbortSignal;
  bug?: Promise<never>;
  startServer?: Runtime['startServer'];
  openKeys?: Runtime['openKeys'];
  work?: Runtime['runWorker'];
}

/** A folder of its own for settings and files. */
export function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), 'mailvet-test-'));
}

/** Runs a command line with fakes all around. */
export async function runCli(args: string[], world: CliWorld = {}, run = runProgram): Promise<CliRun> {
  const { tty = true, stdin = null, color = false, columns = 80, unicode = true } = world;
  const terminal = fakeTerminal({ tty, stdin, color, columns, unicode });
  const opened: Settings[] = [];
  const options: unknown[] = [];
  const openService: OpenService = async (settings, given) => {
    opened.push(settings);
    options.push(given);
    return world.service ?? fakeService();
  };
  const status = await run(args, {
    terminal,
    environment: { MAILVET_CONFIG_DIR: join(tmpdir(), 'mailvet-test-none'), ...world.environment },
    signal: world.signal ?? new AbortController().signal,
    openService,
    startServer: world.startServer ?? missing('server'),
    openKeys: world.openKeys ?? missing('keys'),
    runWorker: world.work ?? missing('worker'),
    ...(world.bug === undefined ? {} : { uncaughtError: world.bug }),
  });
  return { status, out: terminal.out(), err: terminal.err(), opened, options };
}

function missing(what: string): () => Promise<never> {
  return () => Promise.reject(new Error(`this test has no ${what}`));
}
