// @ts-nocheck: scripts/check-interface.mjs checks it, with the types that are generated from the description.
import createClient from 'openapi-fetch';
import { expect, test } from 'vitest';
import type { paths } from './generated-types.js';
import { useServer } from './use-server.js';

const server = useServer();

/** Operations that a test has called. */
const called = new Set<string>();
function clientFor(key: string) {
  const client = createClient<paths>({ baseUrl: server.root, headers: { 'x-api-key': key } });
  client.use({
    onRequest: ({ request, schemaPath }) => {
      called.add(`${request.method} ${schemaPath}`);
    },
  });
  return client;
}

/** The types that a generated client gets. */
function dataOf<Data>(answer: { data?: Data; error?: unknown; response: Response }): NonNullable<Data> {
  expect(answer.error).toBeUndefined();
  expect(answer.response.status).toBe(200);
  if (answer.data === undefined || answer.data === null) throw new Error('an answer without a body');
  return answer.data;
}

test('a client made from openapi.json validates one address, and many', async () => {
  const client = clientFor(server.key);
  const email = 'ada@python.org';
  const posted = dataOf(await client.POST('/api/v1/validation/single', { body: { email } }));
  const asked = dataOf(await client.GET('/api/v1/validation/single', { params: { query: { email } } }));
  expect([posted.status, posted.details.domain, asked.status]).toEqual(['valid', 'python.org', 'valid']);
  const bulk = dataOf(await client.POST('/api/v1/validation/bulk', { body: { emails: [email, 'no address'] } }));
  expect(bulk.results.map((result) => [result.email, result.status])).toEqual([
    [email, 'valid'],
    ['no address', 'invalid'],
  ]);
});

test('a client made from openapi.json uploads a file, reads its results, and deletes it', async () => {
  const client = clientFor(server.key);
  const preview = dataOf(
    await client.POST('/api/v1/bulk/upload/preview', {
      body: { file: 'email\nada@python.org\nno address\n' },
      bodySerializer: ({ file }) => {
        const form = new FormData();
        form.append('file', new Blob([file], { type: 'text/csv' }), 'list.csv');
        return form;
      },
    }),
  );
  const created = dataOf(
    await client.POST('/api/v1/bulk/upload/confirm', { body: { upload_id: preview.upload_id, email_column: 'email' } }),
  );
  const params = { path: { job_id: created.id } };
  const readJob = async () => dataOf(await client.GET('/api/v1/bulk/jobs/{job_id}', { params }));
  let job = await readJob();
  while (job.status !== 'completed') job = await readJob();
  expect(job.total).toBe(2);
  const { jobs } = dataOf(await client.GET('/api/v1/bulk/jobs', { params: { query: { skip: 0, limit: 5 } } }));
  expect(jobs.map(({ id }) => id)).toEqual([created.id]);
  const results = dataOf(await client.GET('/api/v1/bulk/jobs/{job_id}/results', { params, parseAs: 'text' }));
  expect(results).toContain('ada@python.org');
  dataOf(await client.POST('/api/v1/bulk/jobs/{job_id}/cancel', { params }));
  const resumed = await client.POST('/api/v1/bulk/jobs/{job_id}/resume', { params });
  expect([resumed.response.status, resumed.error?.error.code]).toEqual([409, 'conflict']);
  dataOf(await client.DELETE('/api/v1/bulk/jobs/{job_id}', { params }));
  const deleted = await client.GET('/api/v1/bulk/jobs/{job_id}', { params });
  expect([deleted.response.status, deleted.error?.error.code]).toEqual([404, 'not_found']);
});

test('a client made from openapi.json reads credits, the state of the server, and refusals', async () => {
  const client = clientFor(server.key);
  expect(dataOf(await client.GET('/api/v1/credits'))).toMatchObject({ plan: 'pro' });
  dataOf(await client.GET('/healthz'));
  dataOf(await client.GET('/readyz'));
  expect(dataOf(await client.GET('/metrics', { parseAs: 'text' }))).toContain('mailvet_http_requests_under_way');
  expect(dataOf(await client.GET('/openapi.json', { parseAs: 'text' }))).toContain('"validateOneByQuery"');
  const refused = await clientFor('mv_wrong').GET('/api/v1/credits');
  expect([refused.response.status, typeof refused.error?.error.message]).toEqual([401, 'string']);
});

test('the tests above call every operation of the description', async () => {
  const document = dataOf(await clientFor(server.key).GET('/openapi.json', { parseAs: 'text' }));
  const described: { paths: Record<string, object> } = JSON.parse(document);
  const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...called].sort()).toEqual(operations.sort());
});
