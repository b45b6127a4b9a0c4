import { createServer } from 'node:net';

/** A free port of loopback. */
export async function freePort(): Promise<number> {
  const listening = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => listening.once('listening', resolve));
  const address = listening.address();
  await new Promise((resolve) => listening.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
