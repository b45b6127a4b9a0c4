import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { onTestFinished, vi } from 'vitest';
import { bareEnvironment, runBinary, startBinary } from '../e2e/run-binary.js';

/** Starts the real binary and kills it at the end of the test. */
export function startProgram(args: string[], env: NodeJS.ProcessEnv): ChildProcessWithoutNullStreams {
  const child = startBinary(args, env);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** A real `mailvet serve` on a shared store. */
export interface Node {
  url: string;
  root: string;
  env: NodeJS.ProcessEnv;
  /** Its stderr so far. */
  log(): string;
  signal(name: NodeJS.Signals): void;
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

/** Starts a node with its own data directory. */
export async function startNode(store: string, ...flags: string[]): Promise<Node> {
  const env = bareEnvironment({ MAILVET_STORE: store });
  const child = startProgram(['serve', '--port', '0', '--level', 'syntax', '--set', 'serve.web=false', ...flags], env);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const url = await addressOf(child, () => log);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    ...{ url, env },
    root: url.replace('/api/v1', ''),
    log: () => log,
    signal: (name) => void child.kill(name),
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
    stop: () => {
      child.kill('SIGTERM');
      return exit;
    },
  };
}

function addressOf(child: ChildProcessWithoutNullStreams, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      const found = /http:\/\/\S+/.exec(out)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (status) => reject(new Error(`serve ended with ${status}: ${log()}`)));
  });
}

/** One request with a key; the body is sent as JSON. */
export async function ask(
  node: Node,
  key: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; json: Record<string, unknown> }> {
  const answer = await fetch(`${node.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : { text } };
}

/** Creates a key with these credits. */
export async function makeKey({ env }: Node, credits = 1_000_000): Promise<{ id: string; key: string }> {
  return JSON.parse((await runBinary(['keys', 'create', '--name', 'k', '--credits', String(credits)], { env })).out);
}

/** Waits until a job is completed, and returns it. */
export async function untilCompleted(node: Node, key: string, id: string, timeout = 60_000) {
  const read = async () => (await ask(node, key, `/bulk/jobs/${id}`)).json;
  await vi.waitUntil(async () => (await read())['status'] === 'completed', { timeout, interval: 200 });
  return read();
}

/** The results of a job as CSV. */
export async function resultsOf(node: Node, key: string, id: string): Promise<string> {
  return (await fetch(`${node.url}/bulk/jobs/${id}/results?format=csv`, { headers: { 'x-api-key': key } })).text();
}

/** Uploads a list and confirms it; returns the id of its job. */
export async function submit(nodes: readonly [Node, Node], key: string, list: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([list]), 'list.csv');
  const [first, second] = nodes;
  const preview = await fetch(`${first.url}/bulk/upload/preview`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: form,
  });
  const { upload_id } = (await preview.json()) as { upload_id: string };
  const confirmed = await ask(second, key, '/bulk/upload/confirm', { upload_id, email_column: 'email' });
  return String(confirmed.json['id']);
}
