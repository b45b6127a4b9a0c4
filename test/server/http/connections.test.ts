import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/server/access/limits.js';
import { openConnections } from '../../../src/server/http/connections.js';
import { makeHttpServer } from '../../../src/server/http/http-server.js';

const limits = { ...defaultLimits, stallMs: 60 };
const bodyBytes = 4 * 1024 * 1024;
let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function listen(handler: RequestListener): Promise<number> {
  server = makeHttpServer(limits, null, openConnections(limits), handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function answerTo(port: number, body: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${bodyBytes}\r\n\r\n`);
  socket.write(body);
  let answer = '';
  for await (const piece of socket) answer += piece;
  return answer;
}

/** How much of a body comes, where nobody takes any of it for several times as long as silence may last. */
async function readLate(request: IncomingMessage): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 6 * limits.stallMs));
  let bytes = 0;
  for await (const piece of request) bytes += piece.length;
  return bytes;
}

test('a caller whose file we do not take for a while is not cut off', async () => {
  const port = await listen((request, response) => {
    void readLate(request).then((bytes) => response.end(String(bytes)));
  });
  expect(await answerTo(port, Buffer.alloc(bodyBytes, 'x'))).toContain(String(bodyBytes));
});

test('a caller who stops sending is', async () => {
  const port = await listen((request) => {
    request.on('error', () => {}).resume();
  });
  expect(await answerTo(port, Buffer.alloc(1_000, 'x'))).toBe('');
});
