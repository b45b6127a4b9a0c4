import { gzipSync } from 'node:zlib';
import { Agent, type FormData, request } from 'undici';
import { expect, test } from 'vitest';
import { ask, formWith } from './run-server.js';
import { useServer } from './use-server.js';

const server = useServer({ keepLog: false });

type Body = string | FormData;
const agent = new Agent({ connections: 64 });

async function send(path: string, body: Body, signal: AbortSignal): Promise<unknown> {
  const headers = { 'x-api-key': server.key, ...(typeof body === 'string' && { 'content-type': 'application/json' }) };
  const init = { method: 'POST', headers, body, signal, dispatcher: agent } as const;
  const answer = await request(`${server.url}${path}`, init);
  return answer.body.json();
}

const list = (email: (row: number) => string): string =>
  `email,name\n${Array.from({ length: 30_000 }, (_, row) => `${email(row)},x\n`).join('')}`;

async function runJob(text: string, signal: AbortSignal): Promise<unknown> {
  const { upload_id } = (await send('/bulk/upload/preview', formWith(text), signal)) as { upload_id: string };
  return send('/bulk/upload/confirm', JSON.stringify({ upload_id, email_column: 'email' }), signal);
}

const bulkOf = (email: (row: number) => string): string =>
  JSON.stringify({ emails: Array.from({ length: 1_000 }, (_, row) => email(row)) });

/** What another key does meanwhile, several times at once. The sizes are bounded; bench/fairness has the large ones. */
const abuses: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
  'bulk requests of a thousand': (signal) =>
    send(
      '/validation/bulk',
      bulkOf((row) => `u${row}@site-${row}.org`),
      signal,
    ),
  'bulk requests of one address': (signal) =>
    send(
      '/validation/bulk',
      bulkOf(() => 'ada@python.org'),
      signal,
    ),
  'bodies of empty lists': (signal) => send('/validation/bulk', `{"emails":[${'[],'.repeat(300_000)}[]]}`, signal),
  'jobs of many addresses': (signal) =>
    runJob(
      list((row) => `u${row}@python.org`),
      signal,
    ),
  'jobs of one address': (signal) =>
    runJob(
      list(() => 'ada@python.org'),
      signal,
    ),
  'jobs of empty cells': (signal) =>
    runJob(
      list((row) => (row === 0 ? 'ada@python.org' : '')),
      signal,
    ),
  'packed empty lines': (signal) =>
    send('/bulk/upload/preview', formWith(new Blob([gzipSync(`email\n${'\n'.repeat(20_000_000)}`)])), signal),
};

test.each(Object.entries(abuses))('a single request during %s of another key is answered at once', async (_, abuse) => {
  const { key } = await server.makeKey();
  const url = `${server.url}/validation/single?email=ada@python.org`;
  const leaving = new AbortController();
  let done = 0;
  const loop = async (): Promise<void> => {
    while (!leaving.signal.aborted) {
      await abuse(leaving.signal).catch(() => null);
      done++;
    }
  };
  const waits: number[] = [];
  const abusing = [loop(), loop(), loop()];
  const from = performance.now();
  while (performance.now() - from < 250 || waits.length < 20) {
    const asked = performance.now();
    expect((await ask(url, { key })).status).toBe(200);
    waits.push(performance.now() - asked);
  }
  const lastedMs = performance.now() - from;
  leaving.abort();
  await Promise.all(abusing);
  waits.sort((a, b) => a - b);
  expect(waits.at(-1)).toBeLessThan(1_000);
  // No request waits until most of the earlier ones are done.
  expect(waits[Math.floor(waits.length / 2)]).toBeLessThan(lastedMs / 5);
  expect(done).toBeGreaterThan(0);
});
