import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { Transform } from 'node:stream';

type Direction = 'to server' | 'to client';

/** A proxy in front of a server, on loopback, that simulates network faults. */
export interface TcpProxy {
  port: number;
  /** Where new connections go. */
  target: NetConnectOpts;
  /** Holds back the bytes of the given directions. Connections stay open, and new ones get no answer. */
  pause(...directions: Direction[]): void;
  resume(): void;
  /** Delays all bytes by this time. */
  delay(ms: number): void;
  /** Resets all connections, and refuses new ones until `resume`. */
  cut(): void;
  close(): void;
}

export async function startTcpProxy(target: NetConnectOpts): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  const held = new Map<Direction, Set<() => void>>();
  let delayMs = 0;
  let isCut = false;
  const createTransform = (direction: Direction): Transform =>
    new Transform({
      transform: (bytes, _, done) => {
        const forward = (): void => void setTimeout(() => done(null, bytes), delayMs);
        const waiting = held.get(direction);
        if (waiting === undefined) forward();
        else waiting.add(forward);
      },
    });
  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client);
    clients.add(client);
    client.on('error', () => {});
    if (isCut) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ ...proxy.target });
    sockets.add(upstream);
    client.pipe(createTransform('to server')).pipe(upstream);
    upstream.pipe(createTransform('to client')).pipe(client);
    upstream.on('error', () => client.resetAndDestroy());
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('close', () => {
        sockets.delete(one);
        clients.delete(one);
        other.destroy();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const proxy: TcpProxy = {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    target,
    pause: (...directions) => {
      for (const direction of directions) held.set(direction, held.get(direction) ?? new Set());
    },
    resume: () => {
      isCut = false;
      const waiting = [...held.values()].flatMap((each) => [...each]);
      held.clear();
      for (const forward of waiting) forward();
    },
    delay: (ms) => {
      delayMs = ms;
    },
    cut: () => {
      isCut = true;
      for (const client of clients) client.resetAndDestroy();
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return proxy;
}
