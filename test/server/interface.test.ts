import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FormData } from 'undici';
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  type Asking,
  ask,
  confirmList,
  formWith,
  sendWith,
  startList,
  untilCompleted,
  uploadList,
} from './run-server.js';
import { startForTest, useServer } from './use-server.js';

const server = useServer();
const api = (path: string, asking: Asking = {}): Promise<Answer> =>
  ask(`${server.url}${path}`, { key: server.key, ...asking });
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('single validation', () => {
  const single = {
    email: 'ada@python.org',
    status: 'valid',
    sub_status: expect.any(String),
    confidence: expect.any(Number),
    safe_to_send: expect.any(Boolean),
    is_valid: true,
    details: {
      syntax_valid: true,
      dns_valid: false,
      smtp_valid: false,
      smtp_code: 0,
      smtp_enhanced_code: null,
      domain: 'python.org',
      provider: expect.any(String),
      is_disposable: false,
      is_role_based: false,
      is_free: false,
      is_relay: false,
      has_spf: false,
      has_dmarc: false,
    },
    catchall: { is_catchall: false, confidence: null },
    ai_enhancement: { used: false, method: null },
    performance: { response_time_ms: expect.any(Number) },
    metadata: {
      timestamp: expect.any(Number),
      plan_tier: 'pro',
      features_used: { catchall_detection: false, ai_enhancement: false },
    },
    reasons: expect.any(Array),
    did_you_mean: null,
    canonical: 'ada@python.org',
  };

  test.each([
    { name: 'POST', path: '/validation/single', asking: { body: { email: 'ada@python.org' } } },
    { name: 'GET', path: '/validation/single?email=ada@python.org', asking: {} },
    { name: 'a trailing slash', path: '/validation/single/?email=ada@python.org', asking: {} },
  ])('$name returns every field of §2.1 with its type', async ({ path, asking }) => {
    const { status, headers, json } = await api(path, asking);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(json).toEqual(single);
    const { performance, metadata, confidence } = json as typeof single;
    expect(Number.isInteger(performance.response_time_ms)).toBe(true);
    // Unix time in seconds with a fractional part.
    expect(Math.abs(metadata.timestamp - Date.now() / 1000)).toBeLessThan(60);
    expect(confidence).toBeGreaterThan(0);
    expect(confidence).toBeLessThanOrEqual(1);
  });

  test.each([
    { name: 'an escaped plus', query: 'email=a%2Bb@python.org', email: 'a+b@python.org' },
    { name: 'a bare plus, which stays a plus', query: 'email=a+b@python.org', email: 'a+b@python.org' },
    { name: 'an escaped at', query: 'email=ada%40python.org', email: 'ada@python.org' },
    { name: 'letters of other scripts', query: 'email=d%C3%B6rte@python.org', email: 'dörte@python.org' },
    { name: 'an ampersand inside', query: 'email=a%26b@python.org', email: 'a&b@python.org' },
    { name: 'an equals sign inside', query: 'email=a=b@python.org', email: 'a=b@python.org' },
    { name: 'unknown parameters', query: 'x=1&email=ada@python.org&y', email: 'ada@python.org' },
  ])('GET with $name', async ({ query, email }) => {
    const { status, json } = await api(`/validation/single?${query}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ email, status: 'valid', is_valid: true });
  });

  test('space around an address is an error, with a suggestion', async () => {
    const { json } = await api('/validation/single?email=%20ada@python.org%20');
    expect(json).toMatchObject({ email: ' ada@python.org ', status: 'invalid', did_you_mean: 'ada@python.org' });
  });

  test.each([
    { name: 'no parameter', query: '', status: 422, says: 'The parameter email is missing.' },
    { name: 'another case', query: '?EMAIL=a@b.co', status: 422, says: 'The parameter email is missing.' },
    { name: 'the parameter twice', query: '?email=a@b.co&email=c@d.co', status: 422, says: 'given once' },
    { name: 'a broken escape', query: '?email=%E0%A4%A', status: 400, says: 'not properly escaped' },
  ])('GET with $name is refused', async ({ query, status, says }) => {
    const answer = await api(`/validation/single${query}`);
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({ error: expect.objectContaining({ message: expect.stringContaining(says) }) });
  });
});

test('options of a validation: explain adds the evidence, and level checks no deeper', async () => {
  const body = { email: 'ada@python.org', level: 'syntax' };
  expect((await api('/validation/single', { body })).json).not.toHaveProperty('evidence');
  const explained = await api('/validation/single', { body: { ...body, explain: true } });
  expect(explained.json).toMatchObject({ status: 'valid', evidence: { syntax: { ok: true } } });
  expect((await api('/validation/single', { body: { ...body, level: 'deep' } })).status).toBe(422);
});

describe('bulk validation', () => {
  const bulk = (emails: unknown, more = {}): Promise<Answer> => api('/validation/bulk', { body: { emails, ...more } });

  test('returns every field of §2.2, results in order, and counts that sum to the total', async () => {
    const emails = ['ada@python.org', 'nobody', 'ADA@python.org', 'root@mailinator.com', 'nobody', 'ada@PYTHON.org'];
    const { status, json } = await bulk(emails);
    expect(status).toBe(200);
    expect(json).toEqual({
      total: 6,
      valid_count: 1,
      invalid_count: 1,
      risky_count: 1,
      unknown_count: 0,
      duplicate_count: 3,
      credits_used: 3,
      results: emails.map((email) => ({
        email,
        status: email === 'nobody' ? 'invalid' : email.startsWith('root') ? 'risky' : 'valid',
        is_valid: email !== 'nobody' && !email.startsWith('root'),
        confidence: expect.any(Number),
      })),
    });
  });

  test('accepts 1,000 addresses, and not one more', async () => {
    const emails = Array.from({ length: 1001 }, (_, index) => `user${index}@python.org`);
    expect((await bulk(emails.slice(1))).json).toMatchObject({ total: 1000, valid_count: 1000, credits_used: 1000 });
    const refused = await bulk(emails);
    expect(refused.status).toBe(422);
    expect(refused.json).toHaveProperty('error.message', 'The field emails must not contain more than 1,000 items.');
  });

  test('an empty list costs nothing', async () => {
    expect((await bulk([])).json).toMatchObject({ total: 0, credits_used: 0, results: [] });
  });

  test('unknown fields are ignored', async () => {
    expect((await bulk(['ada@python.org'], { extra: { deep: [1] }, __proto__: { x: 1 } })).status).toBe(200);
  });

  test('items are full results if the caller asks for them', async () => {
    const { json } = await api('/validation/bulk', {
      body: { emails: ['ada@python.org'] },
      headers: { accept: 'application/json; results=full' },
    });
    const [item] = (json?.['results'] ?? []) as Record<string, unknown>[];
    expect(item).toMatchObject({ email: 'ada@python.org', sub_status: 'not_probed', details: { syntax_valid: true } });
    expect(item).toHaveProperty('metadata.plan_tier', 'pro');
  });
});

describe('uploads and jobs', () => {
  const twoFiles = (): FormData => {
    const form = formWith('email\nx\n');
    form.append('file', new Blob(['email\ny\n']), 'other.csv');
    return form;
  };
  const preview = (text: string, name?: string) => uploadList(api, text, name);
  const confirm = (id: unknown, column?: unknown) => confirmList(api, id, column);
  const makeJob = (text: string, column?: string) => startList(api, text, undefined, column);
  const finished = (id: string) => untilCompleted(api, id);

  test('a preview has every field of §2.3', async () => {
    const { status, json } = await preview('Name,E-Mail\nAda,ada@python.org\nBob,bob@python.org\n', 'Größe "1".csv');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      upload_id: expect.stringMatching(uuid),
      filename: 'Größe "1".csv',
      columns: ['Name', 'E-Mail'],
      suggested_email_column: 'E-Mail',
      row_count: 2,
    });
  });

  test('confirming returns an id and "queued"; confirming again returns the same job', async () => {
    const { json: upload } = await preview('email\nada@python.org\n');
    const { status, json } = await confirm(upload?.['upload_id']);
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: expect.stringMatching(uuid), status: 'queued' });
    expect((await confirm(upload?.['upload_id'])).json).toHaveProperty('id', json?.['id']);
    const other = await confirm(upload?.['upload_id'], 'name');
    expect(other).toMatchObject({ status: 409, json: { error: { code: 'conflict' } } });
    expect(other.text).toContain(String(json?.['id']));
  });

  test('a job runs to its end and returns all fields', async () => {
    const id = await makeJob('name,email\nAda,ada@python.org\nBob,nobody\nAda again,ADA@python.org\n');
    const job = await finished(id);
    expect(job).toEqual({
      id,
      status: 'completed',
      filename: 'list.csv',
      email_column: 'email',
      total: 3,
      processed: 3,
      valid_count: 1,
      invalid_count: 1,
      risky_count: 0,
      unknown_count: 0,
      duplicate_count: 1,
      credits_used: 2,
      empty_count: 0,
      suppressed_count: 0,
      reused_count: 0,
      forgotten_count: 0,
      waiting_count: 0,
      retry_at: null,
      interrupted: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      started_at: expect.stringMatching(/Z$/),
      finished_at: expect.stringMatching(/Z$/),
      last_run_at: null,
      eta_seconds: null,
      rows_per_second: expect.any(Number),
      error: null,
      sub_status_counts: { not_probed: 1, failed_syntax_check: 1 },
      resolver_down: false,
    });
  });

  test('a job counts its rows without an address, so that its counts sum to its total', async () => {
    const job = await finished(await makeJob('name,email\nAda,ada@python.org\nBob,\nCy,n/a\n'));
    expect(job).toMatchObject({ total: 3, processed: 3, valid_count: 1, empty_count: 2 });
  });

  test('if two columns have one name, the one that the preview suggested is vetted', async () => {
    const { json } = await preview('email,email\n,ada@python.org\n,nobody\n');
    expect(json).toMatchObject({ columns: ['email', 'email'], suggested_email_column: 'email' });
    const { json: made } = await confirm(json?.['upload_id']);
    expect(await finished(String(made?.['id']))).toMatchObject({ valid_count: 1, invalid_count: 1 });
    expect((await api(`/bulk/jobs/${made?.['id']}/results`)).text).toContain(',ada@python.org,valid,');
    expect((await confirm(json?.['upload_id'])).json).toHaveProperty('id', made?.['id']);
  });

  test('results keep every column, as CSV, JSON or lines', async () => {
    const id = await makeJob('id;Mail;note\n1;ada@python.org;"a;b"\n2;nobody;=1+1\n', 'Mail');
    await finished(id);
    const results = (query: string, accept?: string): Promise<Answer> =>
      api(`/bulk/jobs/${id}/results${query}`, accept === undefined ? {} : { headers: { accept } });
    const csv = await results('');
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv.text.split('\n')).toEqual([
      'id;Mail;note;mailvet_status;mailvet_sub_status;mailvet_confidence;mailvet_safe_to_send;mailvet_did_you_mean',
      expect.stringMatching(/^1;ada@python\.org;"a;b";valid;not_probed;/),
      expect.stringMatching(/^2;nobody;'=1\+1;invalid;failed_syntax_check;/),
      '',
    ]);
    const json = await results('', 'application/json');
    expect(json.json).toEqual([
      {
        email: 'ada@python.org',
        status: 'valid',
        sub_status: 'not_probed',
        confidence: expect.any(Number),
        safe_to_send: false,
        did_you_mean: null,
        is_valid: true,
        input: { id: '1', Mail: 'ada@python.org', note: 'a;b' },
      },
      expect.objectContaining({ status: 'invalid', input: { id: '2', Mail: 'nobody', note: '=1+1' } }),
    ]);
    expect((await results('?format=json')).json).toEqual(json.json);
    expect((await results('?format=csv', 'application/json')).text).toBe(csv.text);
    const lines = (await results('?format=ndjson')).text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toHaveLength(3);
    expect((await results('?format=xml')).status).toBe(422);
  });

  test('jobs are listed newest first; skip is 0 and limit 10 by default', async () => {
    const { key } = await server.makeKey();
    const send = sendWith(server, key);
    const list = (query = ''): Promise<Answer> => send(`/bulk/jobs${query}`);
    expect((await list()).json).toEqual({ jobs: [], total: 0, skip: 0, limit: 10 });
    const ids: string[] = [];
    for (let index = 0; index < 12; index++) ids.unshift(await startList(send, 'email\nx\n'));
    const idsOf = ({ json }: Answer): string[] => ((json?.['jobs'] ?? []) as { id: string }[]).map(({ id }) => id);
    const first = await list();
    expect(first.json).toMatchObject({ total: 12, skip: 0, limit: 10 });
    expect(idsOf(first)).toEqual(ids.slice(0, 10));
    expect(idsOf(await list('?skip=10'))).toEqual(ids.slice(10));
    expect(idsOf(await list('?skip=3&limit=2'))).toEqual(ids.slice(3, 5));
    expect((await list('?skip=99')).json).toMatchObject({ jobs: [], total: 12, skip: 99 });
  });

  test.each([
    ['skip=x'],
    ['skip=-1'],
    ['skip=1.5'],
    ['skip='],
    ['skip=1&skip=2'],
    ['limit=0'],
    ['limit=1001'],
    ['limit=0x10'],
    ['limit=%2010'],
    ['limit=1e1'],
  ])('a page of %s is refused', async (query) => {
    const answer = await api(`/bulk/jobs?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.json).toHaveProperty('error.code', 'bad_input');
  });

  test('a queued job can be canceled, and stays so', async () => {
    const id = await makeJob(
      `email\n${Array.from({ length: 20_000 }, (_, row) => `user${row}@python.org\n`).join('')}`,
    );
    expect((await api(`/bulk/jobs/${id}`, { method: 'DELETE' })).status).toBe(409);
    const { status, json } = await api(`/bulk/jobs/${id}/cancel`, { method: 'POST' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ id, status: 'canceled' });
    expect((await api(`/bulk/jobs/${id}/cancel`, { method: 'POST' })).json).toMatchObject({ status: 'canceled' });
    expect((await api(`/bulk/jobs/${id}`)).json).toHaveProperty('status', 'canceled');
  });

  test('a canceled job is continued, one that is complete is not', async () => {
    const id = await makeJob(
      `email\n${Array.from({ length: 20_000 }, (_, row) => `late${row}@python.org\n`).join('')}`,
    );
    await api(`/bulk/jobs/${id}/cancel`, { method: 'POST' });
    const resume = (): Promise<Answer> => api(`/bulk/jobs/${id}/resume`, { method: 'POST' });
    expect(await resume()).toMatchObject({ status: 200, json: { id } });
    expect(await finished(id)).toMatchObject({ processed: 20_000, credits_used: 20_000 });
    expect((await resume()).status).toBe(409);
  });

  test('a job that has ended is removed with its file, its addresses and its results', async () => {
    const id = await makeJob('email\nforget.me@python.org\n');
    await finished(id);
    const before = ['uploads', 'emails'].map((folder) => readdirSync(join(server.home, folder)).length);
    const removed = await api(`/bulk/jobs/${id}`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
    });
    expect(removed).toMatchObject({ status: 200, json: { id, status: 'completed' } });
    for (const path of [`/bulk/jobs/${id}`, `/bulk/jobs/${id}/results`]) expect((await api(path)).status).toBe(404);
    expect((await api(`/bulk/jobs/${id}`, { method: 'DELETE' })).status).toBe(404);
    const after = ['uploads', 'emails'].map((folder) => readdirSync(join(server.home, folder)).length);
    expect(after).toEqual(before.map((count) => count - 1));
  });

  test('a key with too many unconfirmed uploads must wait', async () => {
    const limitedServer = await startForTest({ limits: { unconfirmedUploads: 2 } });
    const send = sendWith(limitedServer, limitedServer.key);
    const upload = () => uploadList(send, 'email\nada@python.org\n');
    const [first] = [await upload(), await upload()];
    expect(await upload()).toMatchObject({ status: 429, headers: { 'retry-after': '3600' } });
    await confirmList(send, first?.json?.['upload_id']);
    expect((await upload()).status).toBe(200);
  });

  test.each([
    { name: 'no file', body: new FormData(), status: 422 },
    { name: 'the file in another field', body: formWith('email\nx\n', 'a.csv', 'upload'), status: 422 },
    { name: 'two files', body: twoFiles(), status: 422 },
    { name: 'an empty file', body: formWith(''), status: 422 },
    { name: 'a binary file', body: formWith(new Blob([new Uint8Array([0, 1, 2, 255, 254, 0, 7])])), status: 422 },
    { name: 'JSON instead of a form', body: { file: 'email\n' }, status: 415 },
  ])('an upload with $name is refused', async ({ body, status }) => {
    const answer = await api('/bulk/upload/preview', { body });
    expect(answer.status).toBe(status);
    expect(answer.json).toHaveProperty('error.message', expect.stringMatching(/\.$/));
  });

  test('a file name is a name and never a path', async () => {
    expect((await preview('email\nx\n', '../../etc/pass\twd.csv')).json).toHaveProperty('filename', 'passwd.csv');
  });

  test.each([
    ['an unknown upload', { upload_id: '00000000-0000-4000-8000-000000000000', email_column: 'email' }, 404],
    ['an invalid id', { upload_id: '../x', email_column: 'email' }, 404],
    ['no column', { upload_id: 'x' }, 422],
    ['no upload', { email_column: 'email' }, 422],
    ['a number for a column', { upload_id: 'x', email_column: 1 }, 422],
  ])('a confirmation with %s is refused', async (_name, body, status) => {
    expect((await api('/bulk/upload/confirm', { body })).status).toBe(status);
  });

  test('a column that the file does not have is refused, and the upload stays', async () => {
    const { json } = await preview('email\nada@python.org\n');
    expect((await confirm(json?.['upload_id'], 'phone')).status).toBe(422);
    expect((await confirm(json?.['upload_id'])).status).toBe(200);
  });

  test.each([['nope'], ['..%2F..%2Fx'], ['00000000-0000-4000-8000-00000000dead'], ['a'.repeat(3000)]])(
    'there is no job %.20s',
    async (id) => {
      for (const [path, method] of [
        ['', 'GET'],
        ['', 'DELETE'],
        ['/cancel', 'POST'],
        ['/resume', 'POST'],
        ['/results', 'GET'],
      ] as const) {
        const answer = await api(`/bulk/jobs/${id}${path}`, { method });
        expect(answer.status).toBe(404);
        expect(answer.json).toHaveProperty('error.code', 'not_found');
      }
    },
  );
});

describe('beyond the documented interface', () => {
  test('credits: null without a limit', async () => {
    expect((await api('/credits')).json).toEqual({
      ...{ credits: null, plan: 'pro', name: 'test' },
      ...{ max_rows: 1_000_000, max_file_bytes: 64 * 1024 * 1024 },
    });
  });

  test('health needs no key', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect(await ask(server.root + path)).toMatchObject({ status: 200 });
      expect(await ask(server.root + path, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    }
  });

  test('metrics count requests by route and verdicts by status', async () => {
    await api('/validation/single?email=nobody');
    const { text, headers } = await ask(`${server.root}/metrics`, { key: server.key });
    expect(headers['content-type']).toContain('text/plain; version=0.0.4');
    expect(text).toMatch(
      /^mailvet_http_requests_total\{method="GET",route="\/api\/v1\/validation\/single",status="200"\} \d+$/m,
    );
    expect(text).toMatch(/^mailvet_verdicts_total\{status="invalid"\} \d+$/m);
    for (const line of text.trim().split('\n')) expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? [\d.e+-]+)$/);
  });

  test('metrics count the jobs in each state', async () => {
    const emptyServer = await startForTest();
    const jobs = async (): Promise<Record<string, number>> => {
      const { text } = await ask(`${emptyServer.root}/metrics`, { key: emptyServer.key });
      const lines = [...text.matchAll(/^mailvet_jobs\{state="(\w+)"\} (\d+)$/gm)];
      return Object.fromEntries(lines.map(([, state, count]) => [state, Number(count)]));
    };
    const noJobs = { queued: 0, running: 0, completed: 0, failed: 0, canceled: 0 };
    expect(await jobs()).toEqual(noJobs);
    await startList(sendWith(emptyServer, emptyServer.key), 'email\nada@python.org\n');
    let seen = await jobs();
    while (seen['completed'] === 0) {
      expect(Number(seen['queued']) + Number(seen['running'])).toBe(1);
      seen = await jobs();
    }
    expect(seen).toEqual({ ...noJobs, completed: 1 });
  });

  test('openapi.json describes bodies and answers from the schemas that are enforced', async () => {
    const { json } = await ask(`${server.root}/openapi.json`, { key: server.key });
    expect(json).toMatchObject({ info: { license: { identifier: 'MIT' } }, servers: [{ url: '/' }] });
    const paths = (json?.['paths'] ?? {}) as Record<
      string,
      Record<string, { operationId?: string; responses: object }>
    >;
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { responses } of operations) expect(responses).toHaveProperty('4XX');
    const { schemas } = (json?.['components'] ?? {}) as { schemas: object };
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['ValidationResult', 'BulkSummary', 'UploadPreview', 'Job', 'JobPage', 'Problem']),
    );
    expect(JSON.stringify(paths['/api/v1/bulk/jobs/{job_id}'])).toContain('#/components/schemas/Job"');
    const body = 'requestBody.content.application/json.schema.properties.emails'.split('.');
    expect(paths['/api/v1/validation/bulk']?.['post']).toHaveProperty(
      body,
      expect.objectContaining({ maxItems: 1000 }),
    );
    const typesOf = (path: string): string[] => {
      const route = paths[path]?.['get'] as { responses: { 200: { content: object } } } | undefined;
      return Object.keys(route?.responses[200].content ?? {});
    };
    expect(typesOf('/api/v1/bulk/jobs/{job_id}/results')).toEqual([
      'text/csv',
      'application/json',
      'application/x-ndjson',
    ]);
    expect(typesOf('/metrics')).toEqual(['text/plain']);
    expect(typesOf('/openapi.json')).toEqual(['application/json']);
    expect(paths['/api/v1/bulk/upload/preview']?.['post']).toHaveProperty([
      'requestBody',
      'content',
      'multipart/form-data',
    ]);
  });
});

describe('the sandbox and test keys', () => {
  const single = (email: string, key: string) => api('/validation/single', { key, body: { email } });
  test('with timeout_ms, a form gets its answer in time, and accepts the address', async () => {
    const start = performance.now();
    const body = { email: 'slow-30s@sandbox.mailvet.test', timeout_ms: 100 };
    const { status, json } = await api('/validation/single', { body });
    expect(performance.now() - start).toBeLessThan(5_000);
    expect({ status, json }).toMatchObject({
      status: 200,
      json: { status: 'unknown', sub_status: 'timeout_exceeded', safe_to_send: false, is_valid: false },
    });
    expect(json?.['reasons']).toEqual(['timeout_exceeded', 'fail_open']);
    const inTime = await api('/validation/single', {
      body: { email: 'valid@sandbox.mailvet.test', timeout_ms: 5_000 },
    });
    expect(inTime.json).toMatchObject({ safe_to_send: true, canonical: 'valid@sandbox.mailvet.test' });
    for (const timeout_ms of [0, 1.5, '100', 60_001, null]) {
      expect(await api('/validation/single', { body: { ...body, timeout_ms } })).toMatchObject({ status: 422 });
    }
  });
  const balance = async (key: string) => (await api('/credits', { key })).json?.['credits'];

  test('an address of the sandbox has its verdict, and costs nothing, even with no credits left', async () => {
    const { key } = await server.makeKey({ credits: 1 });
    const emails = ['greylisted', 'catch-all', 'valid'].map((name) => `${name}@sandbox.mailvet.test`);
    expect((await single(emails[0] ?? '', key)).json).toMatchObject({ status: 'unknown', sub_status: 'greylisted' });
    const { json } = await api('/validation/bulk', { key, body: { emails: [...emails, 'ada@python.org'] } });
    expect(json).toMatchObject({ total: 4, valid_count: 2, risky_count: 1, unknown_count: 1, credits_used: 1 });
    expect(await balance(key)).toBe(0);
    expect((await single('valid@sandbox.mailvet.test', key)).json).toMatchObject({ safe_to_send: true });
    expect((await single('ada@python.org', key)).status).toBe(402);
  });

  test('a test key is accepted only for the sandbox: one address, many, or a list', async () => {
    const { key } = await server.makeKey({ isTest: true });
    expect(key).toMatch(/^mv_test_.{43}$/);
    expect((await single('mailbox-not-found@sandbox.mailvet.test', key)).json).toMatchObject({ status: 'invalid' });
    const message = expect.stringContaining('sandbox.mailvet.test');
    const refused = { status: 403, json: { error: { code: 'forbidden', message, hint: expect.any(String) } } };
    expect(await single('ada@python.org', key)).toMatchObject(refused);
    const many = ['valid@sandbox.mailvet.test', 'ada@python.org'];
    expect(await api('/validation/bulk', { key, body: { emails: many } })).toMatchObject(refused);
    const send = sendWith(server, key);
    for (const [row, want] of [
      ['greylisted@sandbox.mailvet.test', { status: 200 }] as const,
      ['ada@python.org', refused] as const,
    ]) {
      const { json } = await uploadList(send, `email\nvalid@sandbox.mailvet.test\n\n${row}\n`);
      expect(await confirmList(send, json?.['upload_id'])).toMatchObject(want);
    }
  });
});
