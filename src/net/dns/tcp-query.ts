import { connect, type Socket } from 'node:net';
import { isOutOfDescriptors } from '../../model/failure.js';
import type { DnsTask } from './cancellation.js';
import { answersQuery } from './message.js';
import type { ResolverAddress } from './resolver-address.js';
import { descriptorRetryMs, type QueryFailure } from './udp-socket.js';

/** Asks over a new TCP connection, for replies that do not fit in one packet (RFC 7766); at most 64 kB. */
export function queryOverTcp(
  { ip, port }: ResolverAddress,
  query: Buffer,
  { timeoutMs, task }: { timeoutMs: number; task: DnsTask },
  onReceived: (received: Buffer | QueryFailure) => void,
): void {
  let socket: Socket | null = null;
  const timer = setTimeout(() => settle('timeout'), timeoutMs);
  let isSettled = false;
  const settle = (received: Buffer | QueryFailure) => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    task.step = null;
    socket?.destroy();
    onReceived(received);
  };
  task.step = { cancel: () => settle('timeout') };
  const length = Buffer.alloc(2);
  length.writeUInt16BE(query.length);
  const open = () => {
    if (isSettled) return;
    socket = connect({ host: ip, port });
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2) return;
      const length = received.readUInt16BE(0);
      if (received.length < 2 + length) return;
      const message = received.subarray(2, 2 + length);
      settle(answersQuery(message, query) ? message : 'malformed');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (isOutOfDescriptors(error)) setTimeout(open, descriptorRetryMs);
      else settle(error.code === 'ECONNREFUSED' ? 'refused' : 'timeout');
    });
    // A connection closed early is not an answer.
    socket.on('close', (hasFailed) => {
      if (!hasFailed) settle('timeout');
    });
    socket.write(Buffer.concat([length, query]));
  };
  open();
}
