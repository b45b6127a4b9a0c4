import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What a network does to the bytes that a server sends. `after` counts bytes of one connection, or of one datagram. */
export type Fault =
  | { kind: 'none' }
  | { kind: 'latency'; ms: number; jitterMs?: number }
  /** The connection or the datagram ends after this many bytes. */
  | { kind: 'cut'; after: number }
  | { kind: 'reset'; after: number }
  /** Drops everything in both directions without an error. */
  | { kind: 'half_open'; after: number }
  | { kind: 'drip' }
  /** This many bytes of noise are inserted. */
  | { kind: 'garbage'; after: number; noise: Buffer }
  /** Packets of a short time are delivered in reverse order, over all connections. */
  | { kind: 'reorder' };

/** The fault of the nth connection, or the nth datagram that goes back, from 1. */
export type FaultPlan = (nth: number) => Fault;

export interface FaultProxy {
  ip: string;
  port: number;
  connections: number;
  /** Bytes that servers have sent so far, over all connections. */
  bytes: number;
  stop(): Promise<void>;
}

const reorderMs = 5;

interface Shuffle {
  /** Packets of one sender keep their order. */
  add(owner: object, deliver: () => void): void;
  stop(): void;
}

/** Delivers packets of a short time in reverse order, sender by sender. */
function shuffle(): Shuffle {
  const held = new Map<object, (() => void)[]>();
  let timer: NodeJS.Timeout | null = null;
  const flush = () => {
    timer = null;
    const turned = [...held.values()].reverse();
    held.clear();
    for (const deliver of turned.flat()) deliver();
  };
  return {
    add(owner, deliver) {
      held.set(owner, [...(held.get(owner) ?? []), deliver]);
      timer ??= setTimeout(flush, reorderMs);
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      held.clear();
    },
  };
}

/** A TCP proxy on loopback. Data of the client passes unchanged while the connection is open. */
export async function startTcpFaultProxy(
  target: { ip: string; port: number },
  plan: FaultPlan,
  where: { ip?: string; port?: number } = {},
): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const mixed = shuffle();
  const ip = where.ip ?? '127.0.0.1';
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    proxy.connections++;
    const upstream = connect({ host: target.ip, port: target.port, noDelay: true, allowHalfOpen: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    join(client, upstream, plan(proxy.connections), mixed, (count) => {
      proxy.bytes += count;
    });
  });
  server.listen(where.port ?? 0, ip);
  await once(server, 'listening');
  const address = server.address();
  const proxy: FaultProxy = {
    ip,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: 0,
    bytes: 0,
    async stop() {
      mixed.stop();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

function join(client: Socket, upstream: Socket, fault: Fault, mixed: Shuffle, count: (bytes: number) => void): void {
  let sent = 0;
  let dead = false;
  let line: Promise<void> = Promise.resolve();
  /** Steps run one after the other. */
  const runLater = (ms: number, step: () => void) => {
    line = line.then(() => new Promise((resolve) => setTimeout(() => resolve(step()), ms)));
  };
  const end = (how: () => void) => {
    dead = true;
    how();
    upstream.destroy();
  };
  const give = (bytes: Buffer) => {
    if (!client.destroyed) client.write(bytes);
  };
  /** The bytes before the fault go through; then the fault happens. */
  const forwardUpTo = (after: number, bytes: Buffer, then: () => void) => {
    const room = Math.max(0, after - sent);
    sent += bytes.length;
    if (room > 0) give(bytes.subarray(0, room));
    if (bytes.length >= room) then();
  };
  const forward = (bytes: Buffer): void => {
    switch (fault.kind) {
      case 'none':
        give(bytes);
        return;
      case 'latency':
        runLater(fault.ms + Math.random() * (fault.jitterMs ?? 0), () => give(bytes));
        return;
      case 'cut':
        forwardUpTo(fault.after, bytes, () => end(() => client.end()));
        return;
      case 'reset':
        forwardUpTo(fault.after, bytes, () => end(() => client.resetAndDestroy()));
        return;
      case 'half_open':
        forwardUpTo(fault.after, bytes, () => {
          dead = true;
        });
        return;
      case 'drip':
        for (const byte of bytes) runLater(0, () => give(Buffer.from([byte])));
        return;
      case 'garbage': {
        const room = fault.after - sent;
        sent += bytes.length;
        const here = room >= 0 && room <= bytes.length;
        give(here ? Buffer.concat([bytes.subarray(0, room), fault.noise, bytes.subarray(room)]) : bytes);
        return;
      }
      case 'reorder':
        mixed.add(client, () => give(bytes));
        return;
    }
  };
  const delayed = fault.kind === 'latency' || fault.kind === 'drip';
  upstream.on('data', (bytes: Buffer) => {
    count(bytes.length);
    if (!dead) forward(bytes);
  });
  upstream.on('end', () => {
    if (dead) return;
    if (delayed) runLater(0, () => client.end());
    else if (fault.kind === 'reorder') mixed.add(client, () => client.end());
    else client.end();
  });
  client.on('data', (bytes: Buffer) => {
    if (!dead) upstream.write(bytes);
  });
  client.on('end', () => {
    if (!dead) upstream.end();
  });
  client.on('close', () => upstream.destroy());
  if ((fault.kind === 'cut' || fault.kind === 'reset' || fault.kind === 'half_open') && fault.after === 0) {
    forward(Buffer.alloc(0));
  }
}

/** A proxy for datagrams on loopback. If the server also answers over TCP, both use one port here, too. */
export async function startDnsFaultProxy(
  target: string,
  plans: FaultPlan | { udp: FaultPlan; tcp: FaultPlan },
): Promise<FaultProxy & { address: string }> {
  const plan = typeof plans === 'function' ? plans : plans.udp;
  const [ip = '', portText = ''] = target.split(':');
  const upstreamPort = Number(portText);
  let answers = 0;
  const mixed = shuffle();
  const timers = new Set<NodeJS.Timeout>();
  const askers = new Set<Datagrams>();
  const { udp, tcp } = await bindPair(ip, upstreamPort, typeof plans === 'function' ? plans : plans.tcp);

  const deliver = (bytes: Buffer, send: (bytes: Buffer) => void): void => {
    const fault = plan(++answers);
    const after = (ms: number, step: () => void) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        step();
      }, ms);
      timers.add(timer);
    };
    switch (fault.kind) {
      case 'none':
        send(bytes);
        return;
      case 'latency':
        after(fault.ms + Math.random() * (fault.jitterMs ?? 0), () => send(bytes));
        return;
      // A datagram arrives whole or not at all. A cut one lacks its end, and the pieces of a split one are invalid.
      case 'cut':
        send(bytes.subarray(0, fault.after));
        return;
      case 'drip':
        for (const byte of bytes) send(Buffer.from([byte]));
        return;
      case 'reset':
      case 'half_open':
        return;
      case 'garbage':
        send(Buffer.concat([bytes.subarray(0, fault.after), fault.noise, bytes.subarray(fault.after)]));
        return;
      case 'reorder':
        mixed.add({}, () => send(bytes));
        return;
    }
  };
  udp.on('message', (query, from) => {
    const asker = createSocket('udp4');
    askers.add(asker);
    asker.on('message', (bytes) => {
      asker.close();
      askers.delete(asker);
      proxy.bytes += bytes.length;
      deliver(bytes, (piece) => stopped || udp.send(piece, from.port, from.address));
    });
    asker.send(query, upstreamPort, ip);
  });
  let stopped = false;
  const proxy = {
    ...tcp,
    bytes: 0,
    address: `${tcp.ip}:${tcp.port}`,
    async stop() {
      stopped = true;
      mixed.stop();
      for (const timer of timers) clearTimeout(timer);
      for (const asker of askers) asker.close();
      udp.close();
      await tcp.stop();
    },
  };
  return proxy;
}

async function bindPair(ip: string, port: number, plan: FaultPlan): Promise<{ udp: Datagrams; tcp: FaultProxy }> {
  for (;;) {
    const udp = createSocket('udp4');
    udp.bind(0, '127.0.0.1');
    await once(udp, 'listening');
    try {
      const tcp = await startTcpFaultProxy({ ip, port }, plan, { port: udp.address().port });
      return { udp, tcp };
    } catch {
      // Another process has the port for TCP.
      udp.close();
    }
  }
}
