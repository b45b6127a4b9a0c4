import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/server/access/limits.js';
import { openConnections } from '../../../src/server/http/connections.js';
import { createHttpServer } from '../../../src/server/http/http-server.js';

const limits = { ...defaultLimits, stallMs: 60, connections: 40 };
const maxPerAddress = 30;
const bodyBytes = 4 * 1024 * 1024;
let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function listen(handler: RequestListener): Promise<number> {
  server = createHttpServer(limits, null, openConnections(limits), handler);
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

/** How much of a body arrives if the handler reads nothing for several times the stall limit. */
async function readLate(request: IncomingMessage): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 6 * limits.stallMs));
  let bytes = 0;
  for await (const piece of request) bytes += piece.length;
  return bytes;
}

test('a caller whose file is not read for a while is not disconnected', async () => {
  const port = await listen((request, response) => {
    void readLate(request).then((bytes) => response.end(String(bytes)));
  });
  expect(await answerTo(port, Buffer.alloc(bodyBytes, 'x'))).toContain(String(bodyBytes));
});

test('a caller that stops sending is disconnected', async () => {
  const port = await listen((request) => {
    request.on('error', () => {}).resume();
  });
  expect(await answerTo(port, Buffer.alloc(1_000, 'x'))).toBe('');
});

/** Connections that send nothing, from one address. */
async function openIdle(port: number, count: number, localAddress: string): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1', localAddress }));
  for (const socket of sockets) socket.on('error', () => {});
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

async function get(port: number, localAddress: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  let answer = '';
  for await (const piece of socket) answer += piece;
  return answer;
}

test('idle connections, from one address or many, do not block new ones', async () => {
  const port = await listen((_request, response) => response.end('served'));
  const idle = await openIdle(port, 100, '127.0.0.2');
  expect(await get(port, '127.0.0.3')).toContain('served');
  await expect.poll(() => idle.filter(({ closed }) => !closed).length).toBe(maxPerAddress);
  for (let host = 4; host < 20; host++) idle.push(...(await openIdle(port, 5, `127.0.0.${host}`)));
  await expect.poll(() => idle.filter(({ closed }) => !closed).length).toBe(limits.connections);
  expect(await get(port, '127.0.0.2')).toContain('served');
  for (const socket of idle) socket.destroy();
});

test('a request in progress is not cut off for a new connection', async () => {
  const responses: ServerResponse[] = [];
  const port = await listen((_request, response) => responses.push(response));
  const busy = Array.from({ length: maxPerAddress }, () => get(port, '127.0.0.2'));
  await expect.poll(() => responses.length).toBe(busy.length);
  const idle = await openIdle(port, 5, '127.0.0.2');
  await expect.poll(() => idle.every(({ closed }) => closed)).toBe(true);
  for (const response of responses) response.end('served');
  for (const answer of await Promise.all(busy)) expect(answer).toContain('served');
});
