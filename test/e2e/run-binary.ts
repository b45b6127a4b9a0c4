import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const binary = resolve(import.meta.dirname, '../../bin/mailvet.js');

export interface BinaryRun {
  status: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

/** An environment without the user's own settings. */
export function bareEnvironment(change: Record<string, string> = {}): NodeJS.ProcessEnv {
  const home = mkdtempSync(join(tmpdir(), 'mailvet-e2e-'));
  const folders = { HOME: home, MAILVET_HOME: home, MAILVET_CONFIG_DIR: join(home, 'config') };
  return { PATH: process.env['PATH'], ...folders, ...change };
}

/** Starts the real binary. */
export function startBinary(args: string[], env = bareEnvironment()): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [binary, ...args], { env });
}

/** Runs the real binary to its end. */
export async function runBinary(
  args: string[],
  { env = bareEnvironment(), stdin = '' }: { env?: NodeJS.ProcessEnv; stdin?: string } = {},
): Promise<BinaryRun> {
  const child = startBinary(args, env);
  // A program that does not read its stdin closes it early.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return waitForExit(child);
}

/** Waits for a started process to end; returns its status and output. */
export async function waitForExit(child: ChildProcessWithoutNullStreams): Promise<BinaryRun> {
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return new Promise((done) => child.on('close', (status, signal) => done({ status, signal, out, err })));
}

/** A shell line in which $MAILVET stands for the binary. */
export async function runShell(line: string, env = bareEnvironment()): Promise<BinaryRun> {
  const mailvet = `'${process.execPath}' '${binary}'`;
  return waitForExit(spawn('bash', ['--norc', '-c', line.replaceAll('$MAILVET', mailvet)], { env }));
}
