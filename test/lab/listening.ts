import { connect } from 'node:net';

/** Waits until a server accepts connections there; throws an error that names the server if none does. */
export async function untilListening(host: string, port: number, server: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect({ host, port });
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${server} did not come up: nothing listens on ${host}:${port}.`);
}
