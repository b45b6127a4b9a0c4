import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from './free-port.js';
import { makeKey, type Node, startNode } from './node.js';
import { findProgram } from './packages.js';
import { redis, server } from './servers.js';

/** HAProxy as in its manual: it checks /readyz, reuses connections to servers, and sends no request twice. */
async function startHaproxy(ports: readonly number[]): Promise<string> {
  const port = await freePort();
  const config = join(mkdtempSync(join(tmpdir(), 'mailvet-haproxy-')), 'haproxy.cfg');
  writeFileSync(
    config,
    `defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  http-reuse safe
frontend all
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  option httpchk GET /readyz
  default-server check inter 300ms fall 1 rise 1
${ports.map((each, index) => `  server n${index} 127.0.0.1:${each}`).join('\n')}
`,
  );
  const child = spawn(findProgram('haproxy'), ['-f', config], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return `http://127.0.0.1:${port}`;
}

/** Sends a list slowly and confirms it. Returns the id of its job and the HTTP status; after a failure, `id` is the response. */
async function upload(url: string, key: string, rows: number, ms: number): Promise<{ id: string; status: number }> {
  const boundary = 'part-of-a-list';
  const steps = 20;
  async function* body() {
    yield `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="list.csv"\r\n\r\nemail\n`;
    for (let step = 0; step < steps; step++) {
      await sleep(ms / steps);
      const lines = Array.from({ length: rows / steps }, (_, row) => `p${step}x${row}@example.org\n`);
      yield lines.join('');
    }
    yield `\r\n--${boundary}--\r\n`;
  }
  const headers = { 'x-api-key': key, 'content-type': `multipart/form-data; boundary=${boundary}` };
  const stream = Readable.toWeb(Readable.from(body()).map((text: string) => Buffer.from(text)));
  const request = { method: 'POST', headers, body: stream, duplex: 'half' } as unknown as RequestInit;
  const preview = await fetch(`${url}/bulk/upload/preview`, request);
  if (preview.status !== 200 && preview.status !== 201) return { id: await preview.text(), status: preview.status };
  const { upload_id } = (await preview.json()) as { upload_id: string };
  const confirmed = await fetch(`${url}/bulk/upload/confirm`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ upload_id, email_column: 'email' }),
  });
  const text = await confirmed.text();
  return { id: confirmed.ok ? JSON.parse(text).id : text, status: confirmed.status };
}

test('nodes are replaced one by one under load, and no request fails', async () => {
  const store = await server.makeStore();
  const ports = await Promise.all([1, 2, 3].map(() => freePort()));
  const start = (port: number): Promise<Node> =>
    startNode(store, '--set', 'serve.drain=2s', '--set', `queue=${redis.address}`, '--port', String(port));
  const nodes = await Promise.all(ports.map(start));
  const root = await startHaproxy(ports);
  const url = `${root}/api/v1`;
  const { key } = await makeKey(nodes[0] as Node);
  await vi.waitUntil(async () => (await fetch(`${root}/readyz`).catch(() => null))?.status === 200, {
    timeout: 10_000,
    interval: 100,
  });
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const failed: string[] = [];
  let answered = 0;
  let isDone = false;
  const asking = Array.from({ length: 8 }, async (_, caller) => {
    while (!isDone) {
      const body = JSON.stringify({ email: `caller${caller}.${answered}@example.org` });
      const answer = await fetch(`${url}/validation/single`, { method: 'POST', headers, body }).catch(String);
      if (typeof answer === 'string') failed.push(answer);
      else if (answer.status !== 200) failed.push(`${answer.status} ${await answer.text()}`);
      else await answer.arrayBuffer();
      answered++;
      await sleep(5);
    }
  });
  const uploads = Array.from({ length: 30 }, (_, index) => upload(url, key, 2_000, 2_000 + 200 * index));
  await sleep(1_000);
  for (const [index, port] of ports.entries()) {
    const old = nodes[index];
    const stopping = old?.stop();
    const unready = async () => (await fetch(`${old?.root}/readyz`).catch(() => null))?.status !== 200;
    await vi.waitUntil(unready, { timeout: 1_500, interval: 50 });
    expect(await stopping).toBe(0);
    nodes[index] = await start(port);
    await vi.waitUntil(async () => (await fetch(`${nodes[index]?.root}/readyz`)).status === 200);
    // Wait until the load balancer notices that the node is back.
    await sleep(1_000);
  }
  const confirmed = await Promise.all(uploads);
  isDone = true;
  await Promise.all(asking);
  expect(failed.slice(0, 5)).toEqual([]);
  expect(answered).toBeGreaterThan(500);
  expect(confirmed.filter(({ status }) => status >= 300)).toEqual([]);
  const open = () => server.run('store', `SELECT FROM mailvet.jobs WHERE state <> 'completed' OR processed <> 2000`);
  await vi.waitUntil(async () => (await open()).length === 0, { timeout: 30_000, interval: 500 });
  expect(await server.run('store', 'SELECT count(*)::int AS jobs FROM mailvet.jobs')).toEqual([{ jobs: 30 }]);
  expect(await Promise.all(nodes.map((node) => node.stop()))).toEqual([0, 0, 0]);
}, 150_000);
