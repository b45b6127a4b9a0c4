import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { joinChunks } from '../../../src/server/http/http-server.js';
import { startForTest } from '../use-server.js';

const open: (Server | Socket)[] = [];
afterEach(() => {
  for (const one of open.splice(0)) 'destroy' in one ? one.destroy() : one.close();
});

/** Sends a body with a chunk for each byte; returns the first data of the response. */
async function sendBytewise(port: number, head: string, body: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  open.push(socket);
  const chunks = [...body].map((sign) => `1\r\n${sign}\r\n`).join('');
  socket.write(`${head}host: x\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  return String(answer);
}

test('a body with a chunk for each byte is read completely, in a few pieces, and slowed down', async () => {
  const pieces: string[] = [];
  let slowed = 0;
  const server = createServer((request, response) => {
    joinChunks(response, () => slowed++);
    request.setEncoding('latin1').on('data', (piece) => pieces.push(piece));
    request.on('end', () => response.end('done'));
  }).listen(0, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  const body = 'ada@python.org '.repeat(500);
  expect(await sendBytewise((server.address() as AddressInfo).port, 'POST / HTTP/1.1\r\n', body)).toContain('done');
  expect(pieces.join('')).toBe(body);
  expect(pieces.length).toBeLessThan(20);
  expect(slowed).toBeGreaterThan(0);
});

test.each([
  { name: 'is answered', key: (good: string) => good, want: 'HTTP/1.1 200' },
  { name: 'is refused without a good key', key: () => 'wrong', want: 'HTTP/1.1 401' },
])('a request in tiny chunks $name', async ({ key, want }) => {
  const server = await startForTest();
  const emails = Array.from({ length: 200 }, (_, index) => `user${index}@python.org`);
  const head = `POST /api/v1/validation/bulk HTTP/1.1\r\ncontent-type: application/json\r\nx-api-key: ${key(server.key)}\r\n`;
  const answer = await sendBytewise(Number(new URL(server.root).port), head, JSON.stringify({ emails }));
  expect(answer.slice(0, want.length)).toBe(want);
  for (const socket of open.splice(0)) if ('destroy' in socket) socket.destroy();
});

test.each([
  ['a bulk request', '/validation/bulk', 'application/json', (good: string) => good, '413'],
  ['an upload', '/bulk/upload/preview', 'multipart/form-data; boundary=xxxx', (good: string) => good, '413'],
  ['a wrong key', '/validation/bulk', 'application/json', () => 'wrong', '401'],
])('an endless chunked body of %s is answered, and not read further', async (_name, path, type, key, want) => {
  const server = await startForTest({ limits: { fileBytes: 100_000 } });
  const socket = connect(Number(new URL(server.root).port), '127.0.0.1');
  open.push(socket);
  let answer = '';
  socket
    .on('error', () => {})
    .on('data', (bytes) => {
      answer += String(bytes);
    });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(`POST /api/v1${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key(server.key)}\r\ncontent-type: ${type}\r\n`);
  socket.write('transfer-encoding: chunked\r\n\r\n');
  const part = '--xxxx\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  socket.write(chunk(path.includes('upload') ? part : '['));
  const send = (): void => {
    while (!socket.destroyed && socket.write(chunk(' '.repeat(512 * 1024))));
  };
  socket.on('drain', send);
  send();
  await closed;
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${want} `));
  expect(socket.bytesWritten).toBeLessThan(40 * 1024 * 1024);
});
