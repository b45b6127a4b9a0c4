import type { Socket } from 'node:net';

/** Share of the connections that one client address may hold; a reverse proxy is one address. */
const shareOfAddress = 0.75;

/** Limits connections in total and per client address. At the limit, the longest idle one is closed. */
export function createConnectionPool(maxConnections: number) {
  const maxPerAddress = Math.ceil(maxConnections * shareOfAddress);
  const open = new Map<string, Socket>();
  const countByAddress = new Map<string, number>();
  /** Without a request in progress, the longest idle first. */
  const idle = new Set<string>();

  const remove = (key: string): void => {
    const address = addressOf(key);
    const remaining = (countByAddress.get(address) ?? 1) - 1;
    if (!open.delete(key)) return;
    idle.delete(key);
    if (remaining > 0) countByAddress.set(address, remaining);
    else countByAddress.delete(address);
  };
  const closeIdle = (isCandidate: (key: string) => boolean): void => {
    for (const key of idle) {
      if (!isCandidate(key)) continue;
      const socket = open.get(key);
      remove(key);
      socket?.destroy();
      return;
    }
  };
  return {
    /** The new connection is idle, so it is closed itself where all others are busy. */
    add: (socket: Socket): void => {
      const key = keyOf(socket);
      // It was reset before it was accepted.
      if (socket.remoteAddress === undefined) return;
      // The last connection of the same address and port may not be closed yet.
      remove(key);
      const address = addressOf(key);
      const count = (countByAddress.get(address) ?? 0) + 1;
      open.set(key, socket);
      idle.add(key);
      countByAddress.set(address, count);
      socket.once('close', () => {
        if (open.get(key) === socket) remove(key);
      });
      if (count > maxPerAddress) closeIdle((other) => addressOf(other) === address);
      else if (open.size > maxConnections) closeIdle(() => true);
    },
    setIdle: (key: string, isIdle: boolean): void => {
      idle.delete(key);
      if (isIdle && open.has(key)) idle.add(key);
    },
  };
}

/** The address and port of a client: the same for a TLS socket and the socket below it. */
export function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function addressOf(key: string): string {
  return key.slice(0, key.indexOf(' '));
}
