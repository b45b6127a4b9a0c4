import fc from 'fast-check';
import { openServer, sendBytes, type TestServer } from '../server/run-server.js';
import { bytes, jsonTexts, text } from './fuzz-inputs.js';
import type { FuzzTarget } from './fuzz-targets.js';
import { createRandomSource, mutated } from './mutate.js';

const methods = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'get', 'BREW');
const paths = fc.oneof(
  fc.constantFrom(
    ...['/api/v1/validation/single', '/api/v1/validation/bulk', '/api/v1/bulk/upload/preview', '/api/v1/bulk/jobs'],
    ...['/api/v1/bulk/upload/confirm', '/api/v1/bulk/jobs/x', '/api/v1/bulk/jobs/x/results', '/api/v1/credits'],
    ...['/healthz', '/readyz', '/metrics', '/openapi.json', '/api/v1/bulk/jobs/%2e%2e%2f', '//', '*', '/%', '/%ff'],
  ),
  text.map((path) => `/${encodeURI(path.replace(/\p{Surrogate}/gu, ''))}`),
);
const queries = fc.oneof(
  fc.constantFrom(
    ...['', '?email=a@b.co', '?email=a%', '?skip=-1', '?limit=1e9', '?skip=1&skip=2', '?__proto__=1', '?email[]=x'],
  ),
  fc
    .array(fc.constantFrom('email', 'skip', 'limit', '=', '&', '%', '%00', '%ff', '[', '1', '+'), { maxLength: 8 })
    .map((parts) => `?${parts.join('')}`),
);
const types = fc.constantFrom(
  ...['application/json', 'application/json; charset=utf-16', 'text/plain', 'multipart/form-data', '', 'x'],
  ...['multipart/form-data; boundary=x', 'multipart/form-data; boundary=', 'multipart/form-data; boundary="x"'],
);
const extraHeaders = fc.constantFrom(
  ...['', 'x-request-id: \x01\r\n', 'content-encoding: gzip\r\n', 'transfer-encoding: chunked\r\n'],
  ...['expect: 100-continue\r\n'],
  ...['accept: nonsense\r\n', 'x-api-key: second\r\n', 'content-length: 1\r\n', 'a b: c\r\n'],
  ...['origin: http://evil.example\r\n'],
);
const bodies = fc.oneof(
  jsonTexts.map((body) => Buffer.from(body)),
  bytes,
);
const forms = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.constantFrom('--x', '--x--', '--y', ''),
        fc.constantFrom(
          'name="file"; filename="../../etc/passwd"',
          'name="file"; filename=""',
          'name="file"',
          'name="__proto__"',
          'name="file"; filename="a\r\nb"',
          "filename*=UTF-8''%ff",
        ),
        fc.constantFrom('\r\n\r\n', '\r\n', '\n\n', ''),
        fc.oneof(fc.constant('email\na@b.co\n'), text),
      ),
      { maxLength: 4 },
    ),
    fc.boolean(),
  )
  .map(([parts, whole]) =>
    Buffer.from(
      `${parts.map(([boundary, head, gap, body]) => `${boundary}\r\nContent-Disposition: form-data; ${head}${gap}${body}\r\n`).join('')}${whole ? '--x--\r\n' : ''}`,
    ),
  );

interface RawRequest {
  method: string;
  target: string;
  type: string;
  extra: string;
  body: Buffer;
}

function encodeRequest({ method, target, type, extra, body }: RawRequest, key: string): Buffer {
  const head = `${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: ${key}\r\ncontent-type: ${type}\r\n${extra}`;
  const length = extra.startsWith('transfer') ? '' : `content-length: ${body.length}\r\n`;
  return Buffer.concat([Buffer.from(`${head}${length}\r\n`, 'latin1'), body]);
}

function serverTarget(name: string, requests: fc.Arbitrary<RawRequest>): FuzzTarget {
  let opening: Promise<TestServer> | null = null;
  const limits = { headersMs: 300, requestMs: 300, stallMs: 300, requestsPerSecond: 1e9 };
  const holds = async (request: RawRequest): Promise<void> => {
    opening ??= openServer({ limits, keepLog: false });
    const server = await opening;
    const answer = await sendBytes(server, encodeRequest(request, server.key));
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ''))?.[1];
    // No answer: the connection was closed on a request that never ended.
    if (answer === '') return;
    if (status === undefined || status === '500' || answer.includes('"internal"'))
      throw new Error(answer.slice(0, 300));
  };
  return {
    name,
    run: (numRuns, seed, mutants = 0) =>
      fc.assert(
        fc.asyncProperty(requests, fc.integer(), async (request, mutation) => {
          const roll = createRandomSource(mutation);
          const mutations = Array.from({ length: mutants }, () => ({ ...request, body: mutated(request.body, roll) }));
          await Promise.all([request, ...mutations].map(holds));
        }),
        { numRuns, seed },
      ),
    close: async () => {
      await (await opening)?.stop();
      opening = null;
    },
  };
}

/** The HTTP input of the server: requests, and forms with files. */
export const serverFuzzTargets: FuzzTarget[] = [
  serverTarget(
    'HTTP requests',
    fc.record({
      method: methods,
      target: fc.tuple(paths, queries).map((parts) => parts.join('')),
      type: types,
      extra: extraHeaders,
      body: bodies,
    }),
  ),
  serverTarget(
    'multipart requests',
    fc.record({
      method: fc.constant('POST'),
      target: fc.constant('/api/v1/bulk/upload/preview'),
      type: fc.constantFrom(
        'multipart/form-data; boundary=x',
        'multipart/form-data; boundary="x"',
        `multipart/form-data; boundary=${'x'.repeat(300)}`,
      ),
      extra: fc.constant(''),
      body: forms,
    }),
  ),
];
