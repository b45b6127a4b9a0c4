import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** One request as it arrived. */
export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** The parsed body if it is JSON. */
  json: Record<string, unknown> | null;
  file: { filename: string; text: string } | null;
}

/** How the fake misbehaves. */
export type Reaction =
  | { status: number; body?: string | Buffer; headers?: Record<string, string> }
  /** Promise a long body, send some of it, and break the connection. */
  | { cutOff: string; type?: string }
  /** Break the connection without an answer. */
  | { drop: true }
  /** Never answer. */
  | { hang: true }
  /** Send the beginning of the body, and nothing more. */
  | { stall: string }
  /** Answer properly after this delay. */
  | { after: Promise<void> }
  /** Answer properly, with a changed body. */
  | { change: (answer: Record<string, unknown>) => unknown }
  | { gzip: true };

export interface FakeJob extends Record<string, unknown> {
  id: string;
  status: string;
}

/** A strict fake of the service: it records requests, and answers 400 to anything that the interface does not describe. */
export interface FakeService {
  url: string;
  apiKey: string;
  seen: SeenRequest[];
  /** What was wrong with requests, as sentences. */
  violations: string[];
  jobs: FakeJob[];
  /** Every address of every bulk request, answered or not, in order of arrival. */
  bulkEmails(): string[];
  /** Announce `mailvet serve`. */
  isMailvet: boolean;
  /** Called before each answer; undefined: answer properly. */
  misbehave(react: (request: SeenRequest, count: number) => Reaction | undefined): void;
  /** The number of all connections. */
  connections(): number;
  /** The current and the maximum number of requests in progress. */
  load: { now: number; most: number };
  stop(): Promise<void>;
}

export interface FakeServiceOptions {
  apiKey?: string;
  /** The shape of a job list. */
  jobList?: (jobs: FakeJob[], total: number) => unknown;
  /** Announce `mailvet serve`, and offer results and cancel, which the interface does not describe. */
  hasResults?: boolean;
}

class Violation extends Error {}

/** Listens on a free loopback port. */
export async function startFakeService(options: FakeServiceOptions = {}): Promise<FakeService> {
  const uploads = new Map<string, string[]>();
  const texts = new Map<string, string>();
  let react: (request: SeenRequest, count: number) => Reaction | undefined = () => undefined;
  const server = createServer((incoming, response) => {
    void serve(incoming, response).catch(() => response.destroy());
  });
  let connections = 0;
  server.on('connection', () => {
    connections++;
  });
  const fake: FakeService = {
    url: '',
    apiKey: options.apiKey ?? 'mv_secret_0123456789abcdef',
    seen: [],
    violations: [],
    jobs: [],
    isMailvet: options.hasResults ?? false,
    bulkEmails: () => fake.seen.flatMap(({ json }) => (Array.isArray(json?.['emails']) ? json['emails'] : [])),
    misbehave: (script) => {
      react = script;
    },
    connections: () => connections,
    load: { now: 0, most: 0 },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    fake.seen.push(request);
    fake.load.now++;
    fake.load.most = Math.max(fake.load.most, fake.load.now);
    response.on('close', () => {
      fake.load.now--;
    });
    if (fake.isMailvet) response.setHeader('x-mailvet', '1');
    const reaction = react(request, fake.seen.length);
    if (reaction !== undefined && (await misbehaves(reaction, response))) return;
    const { status, body } = answerStrictly(request);
    const changed =
      reaction !== undefined && 'change' in reaction ? reaction.change(body as Record<string, unknown>) : body;
    const text = typeof changed === 'string' ? changed : JSON.stringify(changed);
    if (reaction !== undefined && 'gzip' in reaction) {
      response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(text));
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(text);
  }

  function answerStrictly(request: SeenRequest): { status: number; body: unknown } {
    if (request.headers['x-api-key'] !== fake.apiKey) return { status: 401, body: { detail: 'Invalid API key' } };
    try {
      return { status: 200, body: answer(request) };
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      fake.violations.push(error.message);
      return { status: error.message === 'no such thing' ? 404 : 400, body: { detail: error.message } };
    }
  }

  function answer(request: SeenRequest): unknown {
    const { method, path, query } = request;
    const one = /^\/api\/v1\/bulk\/jobs\/([^/]+)$/.exec(path);
    const results = /^\/api\/v1\/bulk\/jobs\/([^/]+)\/results$/.exec(path);
    const cancel = /^\/api\/v1\/bulk\/jobs\/([^/]+)\/cancel$/.exec(path);
    if (method === 'POST' && path === '/api/v1/validation/single')
      return single(textField(request, ['email'], 'email'));
    if (method === 'GET' && path === '/api/v1/validation/single') {
      check(
        request.body.length === 0 && [...query.keys()].join() === 'email',
        'GET single takes the query email alone',
      );
      return single(query.get('email') ?? '');
    }
    if (method === 'POST' && path === '/api/v1/validation/bulk') return bulk(request);
    if (method === 'POST' && path === '/api/v1/bulk/upload/preview') return preview(request);
    if (method === 'POST' && path === '/api/v1/bulk/upload/confirm') return confirm(request);
    if (method === 'GET' && path === '/api/v1/bulk/jobs') return list(query);
    if (method === 'GET' && one) return jobOf(one[1] ?? '');
    if (method === 'POST' && cancel && options.hasResults)
      return Object.assign(jobOf(cancel[1] ?? ''), { status: 'canceled' });
    if (method === 'GET' && results && options.hasResults) {
      const { id } = jobOf(results[1] ?? '');
      return resultsOf(texts.get(id.replace(/^a/, '0')) ?? 'email\nada@site.example');
    }
    throw new Violation('no such thing');
  }

  function preview(request: SeenRequest): unknown {
    check(request.file !== null, 'an upload is multipart/form-data with one file in the field file');
    const columns = (request.file?.text.split(/\r?\n/)[0] ?? '')
      .split(/[,;]/)
      .map((name) => name.replace(/^"|"$/g, ''));
    const id = `00000000-0000-4000-8000-${String(uploads.size + 1).padStart(12, '0')}`;
    uploads.set(id, columns);
    texts.set(id, request.file?.text ?? '');
    const suggested = columns.find((name) => /mail/i.test(name)) ?? '';
    return { upload_id: id, filename: request.file?.filename, columns, suggested_email_column: suggested };
  }

  function confirm(request: SeenRequest): unknown {
    const fields = ['upload_id', 'email_column'];
    const id = textField(request, fields, 'upload_id');
    const column = textField(request, fields, 'email_column');
    check(uploads.get(id)?.includes(column) === true, 'confirm names an upload and one of its columns');
    const job = { id: id.replace(/^0/, 'a'), status: 'queued' };
    const known = fake.jobs.find(({ id }) => id === job.id);
    if (known === undefined) fake.jobs.push(job);
    return known ?? job;
  }

  function list(query: URLSearchParams): unknown {
    check(
      [...query.keys()].every((name) => name === 'skip' || name === 'limit'),
      'a job list takes skip and limit',
    );
    const skip = integer(query.get('skip') ?? '0');
    const limit = integer(query.get('limit') ?? '10');
    const page = fake.jobs.slice(skip, skip + limit);
    return options.jobList?.(page, fake.jobs.length) ?? page;
  }

  function jobOf(id: string): FakeJob {
    const job = fake.jobs.find((known) => known.id === decodeURIComponent(id));
    if (job === undefined) throw new Violation('no such thing');
    return job;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const url = new URL(incoming.url ?? '/', 'http://fake');
  const type = incoming.headers['content-type'] ?? '';
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body,
    json: type === 'application/json' ? JSON.parse(body.toString('utf8')) : null,
    file: fileIn(type, body),
  };
}

/** The only part of a form; null if the form has another shape (RFC 7578). */
function fileIn(type: string, body: Buffer): SeenRequest['file'] {
  const boundary = /^multipart\/form-data; boundary=([\w'()+,./:=?-]{1,70})$/.exec(type)?.[1];
  if (boundary === undefined) return null;
  const text = body.toString('utf8');
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="`;
  const foot = `\r\n--${boundary}--\r\n`;
  if (!text.startsWith(head) || !text.endsWith(foot)) return null;
  const part = /^([^"\r\n]+)"\r\nContent-Type: text\/csv\r\n\r\n([\s\S]*)$/.exec(text.slice(head.length, -foot.length));
  return part === null ? null : { filename: part[1] ?? '', text: part[2] ?? '' };
}

async function misbehaves(reaction: Reaction, response: ServerResponse): Promise<boolean> {
  if ('status' in reaction) {
    response.writeHead(reaction.status, reaction.headers ?? { 'content-type': 'application/json' });
    response.end(reaction.body ?? '');
    return true;
  }
  if ('cutOff' in reaction) {
    const type = reaction.type ?? 'application/json';
    response.writeHead(200, { 'content-type': type, 'content-length': reaction.cutOff.length + 1_000 });
    response.write(reaction.cutOff, () => response.destroy());
    return true;
  }
  if ('stall' in reaction) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(reaction.stall);
    return true;
  }
  if ('drop' in reaction) response.destroy();
  if ('after' in reaction) await reaction.after;
  return 'drop' in reaction || 'hang' in reaction;
}

function check(holds: boolean, rule: string): void {
  if (!holds) throw new Violation(rule);
}

function integer(text: string): number {
  check(/^\d+$/.test(text), 'skip and limit are integers');
  return Number(text);
}

function textField(request: SeenRequest, fields: readonly string[], name: string): string {
  check(request.json !== null, 'the body is JSON with Content-Type application/json');
  check(
    Object.keys(request.json ?? {})
      .sort()
      .join() === [...fields].sort().join(),
    `the body has just ${fields.join()}`,
  );
  const value = request.json?.[name];
  check(typeof value === 'string', `${name} is a string`);
  return String(value);
}

function bulk({ json }: SeenRequest): unknown {
  check(json !== null && Object.keys(json).join() === 'emails', 'the body is JSON with just emails');
  const emails: unknown = json?.['emails'];
  check(Array.isArray(emails) && emails.every((email) => typeof email === 'string'), 'emails is a list of strings');
  const list = emails as string[];
  check(list.length > 0 && list.length <= 1_000, 'a request carries 1 to 1,000 addresses');
  const unique = new Set(list.map((email) => email.toLowerCase()));
  const results = list.map((email) => ({ email, ...verdictOf(email) }));
  const count = (status: string) => results.filter((result) => result.status === status).length;
  return {
    total: list.length,
    valid_count: count('valid'),
    invalid_count: count('invalid'),
    risky_count: count('risky'),
    duplicate_count: list.length - unique.size,
    credits_used: unique.size,
    results,
  };
}

/** The verdict is in the name: bad…, risky…, odd… (an undocumented status); all others are valid. */
function verdictOf(email: string): { status: string; is_valid: boolean; confidence: number } {
  if (email.startsWith('bad') || !email.includes('@')) return { status: 'invalid', is_valid: false, confidence: 0.99 };
  if (email.startsWith('risky')) return { status: 'risky', is_valid: false, confidence: 0.6 };
  if (email.startsWith('odd')) return { status: 'do_not_mail', is_valid: false, confidence: 0.7 };
  return { status: 'valid', is_valid: true, confidence: 0.95 };
}

function single(email: string): unknown {
  const { status, is_valid, confidence } = verdictOf(email);
  return {
    email,
    status,
    sub_status: '',
    confidence,
    safe_to_send: is_valid,
    is_valid,
    details: {
      syntax_valid: true,
      dns_valid: true,
      smtp_valid: is_valid,
      smtp_code: is_valid ? 250 : 550,
      domain: email.slice(email.lastIndexOf('@') + 1),
      provider: 'Example Mail',
      is_disposable: false,
      is_role_based: false,
      has_spf: true,
      has_dmarc: true,
    },
    catchall: { is_catchall: false, confidence: null },
    ai_enhancement: { used: false, method: null },
    performance: { response_time_ms: 12 },
    metadata: {
      timestamp: 1_700_000_000.25,
      plan_tier: 'pro',
      features_used: { catchall_detection: true, ai_enhancement: false },
    },
  };
}

/** The rows of an uploaded list as lines, as our own service sends them. */
function resultsOf(text: string): string {
  const verdict = { status: 'valid', sub_status: '', confidence: 0.95, safe_to_send: true, did_you_mean: null };
  const [columns = [], ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  const email = (cells: string[]): string => cells.find((cell) => cell.includes('@')) ?? '';
  const lines = rows.map((cells) => JSON.stringify({ cells, email: email(cells), verdict }));
  return `${[JSON.stringify({ columns }), ...lines].join('\n')}\n`;
}
