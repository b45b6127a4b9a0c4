import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { FormData, request } from 'undici';
import { keyOfAddress } from '../../src/lists/mailbox-key.js';
import type { NewApiKey } from '../../src/model/api-key.js';
import type { Limits } from '../../src/server/access/limits.js';
import { type ServerOptions, startServer } from '../../src/server/server.js';
import type { WebOptions } from '../../src/server/web/web-context.js';
import { openApiKeys } from '../../src/service/local/keys.js';
import { openLocalParts } from '../../src/service/local/local.js';
import { makeHome } from '../fakes/job-lab.js';

export interface TestServer {
  /** With the version prefix. */
  url: string;
  /** Without it. */
  root: string;
  home: string;
  /** A valid key without a limit. */
  key: string;
  makeKey(fields?: Partial<NewApiKey>): Promise<{ key: string; id: string }>;
  revoke(id: string): Promise<void>;
  /** The link that sets the first password; null if a password is set. */
  setUpUrl: string | null;
  /** All log lines. */
  log(): string;
  /** Waits until the log has the text. */
  logged(text: string): Promise<void>;
  stop(): Promise<void>;
}

export interface TestServerOptions {
  limits?: Partial<Limits>;
  /** Replaces the validation. */
  validation?: Partial<ServerOptions['validation']>;
  tls?: ServerOptions['tls'];
  reportExceptions?: ServerOptions['reportExceptions'];
  home?: string;
  /** False for so many requests that the log would fill the memory. */
  keepLog?: boolean;
  edge?: ServerOptions['edge'];
  webhookNetworks?: readonly string[];
  /** Null: without pages. */
  web?: Partial<WebOptions> | null;
}

/** No built pages, and no findings. */
const testWeb: WebOptions = {
  folder: '/nowhere',
  passwordCost: { N: 16, r: 1, p: 1 },
  level: 'syntax',
  diagnose: async function* () {},
};

/** A server on a free loopback port that checks only syntax, with its own store. */
export async function openServer(options: TestServerOptions = {}): Promise<TestServer> {
  const home = options.home ?? makeHome();
  const desk = await openApiKeys({ home });
  const local = await openLocalParts({ home, level: 'syntax' });
  let lines = '';
  const running = await startServer({
    host: '127.0.0.1',
    port: 0,
    tls: options.tls ?? null,
    ...(options.edge && { edge: options.edge }),
    webhookNetworks: options.webhookNetworks ?? [],
    validation: { ...local.validation, ...options.validation },
    jobs: local.jobs,
    ...(options.reportExceptions && { reportExceptions: options.reportExceptions }),
    canonical: keyOfAddress,
    incoming: join(home, 'incoming'),
    limits: options.limits ?? {},
    web: options.web === null ? null : { ...testWeb, ...options.web },
    log: {
      level: 'debug',
      write: (text) => {
        if (options.keepLog !== false) lines += text;
      },
    },
  });
  const makeKey: TestServer['makeKey'] = async (fields) => {
    const { key, record } = await desk.create({ name: 'test', plan: 'pro', credits: null, expiresAt: null, ...fields });
    return { key, id: record.id };
  };
  return {
    url: running.url,
    root: new URL(running.url).origin,
    home,
    key: (await makeKey()).key,
    makeKey,
    revoke: async (id) => {
      await desk.revoke(id);
    },
    setUpUrl: running.pages?.setUpUrl ?? null,
    log: () => lines,
    logged: async (text) => {
      while (!lines.includes(text)) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    stop: async () => {
      await running.stop();
      await local.close();
      await desk.close();
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body if it is JSON, otherwise null. */
  json: Record<string, unknown> | null;
}

export interface Asking {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  key?: string | null;
  /** Sent as JSON unless it is text or a form. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Plain HTTP, without our client. */
export async function ask(url: string, { method, key, body, headers = {}, signal }: Asking = {}): Promise<Answer> {
  const form = body instanceof FormData ? await encodeForm(body) : null;
  const asJson = body !== undefined && typeof body !== 'string' && !(body instanceof FormData);
  const answer = await request(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key == null ? {} : { 'x-api-key': key }),
      ...(asJson ? { 'content-type': 'application/json' } : {}),
      ...(form !== null && { 'content-type': form.type }),
      ...headers,
    },
    body: asJson ? JSON.stringify(body) : (form?.bytes ?? ((body ?? null) as string | null)),
    ...(signal && { signal }),
  });
  const text = await answer.body.text();
  const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json') && text !== '';
  return { status: answer.statusCode, headers: answer.headers, text, json: isJson ? JSON.parse(text) : null };
}

/** Sends bytes as they are; all that the server sends until the connection is closed. */
export function sendBytes({ root }: Pick<TestServer, 'root'>, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(new URL(root).port), '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (piece) => {
      answer += piece;
    });
    socket.on('error', () => {}).on('close', () => resolve(answer));
  });
}

/** The bytes of a form. The stream of a Blob may never end on Node 24. */
async function encodeForm(form: FormData): Promise<{ type: string; bytes: Buffer }> {
  const boundary = '----form-of-a-test';
  const parts: Buffer[] = [];
  for (const [name, value] of form) {
    const file = typeof value === 'string' ? '' : `; filename="${value.name.replaceAll('"', '%22')}"`;
    const type = typeof value === 'string' ? '' : `content-type: ${value.type || 'application/octet-stream'}\r\n`;
    const content = typeof value === 'string' ? value : new Uint8Array(await value.arrayBuffer());
    parts.push(Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n${type}\r\n`));
    parts.push(Buffer.from(content), Buffer.from('\r\n'));
  }
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

/** Sends requests to the interface as one user. */
export type Send = (path: string, asking?: Asking) => Promise<Answer>;

export const sendWith =
  ({ url }: Pick<TestServer, 'url'>, key: string): Send =>
  (path, asking) =>
    ask(`${url}${path}`, { key, ...asking });

export const uploadList = (send: Send, content: string | Blob, filename?: string): Promise<Answer> =>
  send('/bulk/upload/preview', { body: formWith(content, filename) });

export const confirmList = (send: Send, uploadId: unknown, column: unknown = 'email'): Promise<Answer> =>
  send('/bulk/upload/confirm', { body: { upload_id: uploadId, email_column: column } });

/** Uploads and confirms a list; the id of its job. */
export async function startList(
  send: Send,
  content: string | Blob,
  filename?: string,
  column?: string,
): Promise<string> {
  const { json } = await uploadList(send, content, filename);
  return String((await confirmList(send, json?.['upload_id'], column)).json?.['id']);
}

/** The job once it has completed. */
export async function untilCompleted(send: Send, id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { json } = await send(`/bulk/jobs/${id}`);
    if (json?.['status'] === 'completed') return json;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A form with a file, as a browser sends it. */
export function formWith(text: string | Blob, filename = 'list.csv', field = 'file'): FormData {
  const form = new FormData();
  form.append(field, typeof text === 'string' ? new Blob([text], { type: 'text/csv' }) : text, filename);
  return form;
}
