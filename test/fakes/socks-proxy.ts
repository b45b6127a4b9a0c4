import { connect, createServer, type Socket } from 'node:net';

/** A SOCKS5 proxy with one user. It connects as requested, or refuses. */
export async function startProxy(verdict: 'carries' | 'refuses') {
  const asked: string[] = [];
  const server = createServer((client) => {
    client.on('error', () => {});
    client.once('data', () => {
      client.write(Buffer.from([5, 2]));
      client.once('data', (login) => {
        const user = login.toString('utf8', 2, 2 + (login[1] ?? 0));
        client.write(Buffer.from([1, user === 'ann' ? 0 : 1]));
        client.once('data', (command) => connectClient(client, command, asked, verdict));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, asked, stop: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

async function connectClient(client: Socket, command: Buffer, asked: string[], verdict: string): Promise<void> {
  const ip = [...command.subarray(4, 8)].join('.');
  const port = command.readUInt16BE(8);
  asked.push(`${ip}:${port}`);
  const answer = (code: number) => client.write(Buffer.from([5, code, 0, 1, 127, 0, 0, 1, 0, 0]));
  if (verdict === 'refuses') {
    answer(5);
    return;
  }
  const onward = connect(port, ip, () => {
    answer(0);
    client.pipe(onward).pipe(client);
  });
  onward.on('error', () => client.destroy());
}
