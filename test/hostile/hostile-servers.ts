import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface HostileServer {
  port: number;
  close(): void;
}

/** What a DNS server sends for a query, over UDP, or over TCP without the length prefix. */
export type DnsBehavior = (query: Buffer, send: (bytes: Buffer) => void) => void;

/** A DNS server whose behavior depends on each query; over TCP, `tcp` may send anything. */
export async function startHostileDns(
  udp: DnsBehavior,
  tcp: (query: Buffer, socket: Socket) => void,
): Promise<HostileServer> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('data', (bytes) => tcp(bytes.subarray(2), socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const datagrams = createSocket('udp4');
  datagrams.on('message', (query, from) => udp(query, (bytes) => datagrams.send(bytes, from.port, from.address)));
  datagrams.bind(port, '127.0.0.1');
  await once(datagrams, 'listening');
  return {
    port,
    close: () => {
      datagrams.close();
      server.close();
    },
  };
}

export type SmtpStage = 'banner' | 'ehlo' | 'mail' | 'rcpt';

/** What a mail host does instead of sending the correct reply, which ends in CR LF. The host continues when the promise resolves. */
export type SmtpBehavior = (socket: Socket, reply: string) => unknown;

export interface HostileHost {
  stage: SmtpStage;
  behavior: SmtpBehavior;
  isPipelining: boolean;
}

/** Mail hosts on one port of all loopback addresses: `hostAt` says how the one at an address behaves. Each accepts only jane@. */
export async function startHostileHosts(
  hostAt: (ip: string) => HostileHost | null,
  commands: Set<string>,
): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const host = hostAt(socket.localAddress ?? '');
    let answered: Promise<unknown> = Promise.resolve();
    const answer = (stage: SmtpStage | null, reply: string): void => {
      answered = answered.then(() => {
        if (!socket.writable) return;
        return host !== null && host.stage === stage
          ? host.behavior(socket, `${reply}\r\n`)
          : void socket.write(`${reply}\r\n`);
      });
    };
    let text = '';
    socket.on('data', (bytes) => {
      const lines = (text + bytes.toString('latin1')).split('\r\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        commands.add(line);
        if (line.startsWith('EHLO'))
          answer('ehlo', host?.isPipelining === false ? '250 mx' : '250-mx\r\n250 PIPELINING');
        else if (line.startsWith('HELO')) answer('ehlo', '250 mx');
        else if (line.startsWith('MAIL')) answer('mail', '250 2.1.0 Ok');
        else if (line.startsWith('RCPT'))
          answer('rcpt', line.includes('<jane@') ? '250 2.1.5 Ok' : '550 5.1.1 User unknown');
        else answer(null, '250 2.0.0 Ok');
      }
    });
    answer('banner', '220 mx ESMTP');
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
