import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

/** The replies of a scripted mail server, without CR LF. After null it sends nothing more; `drop` disconnects. */
export type Line = string | null;

export interface HostScript {
  /** Raw bytes to send instead of a banner and everything after it. */
  raw?: (socket: Socket) => void;
  /** By the number of the connection, from 1. */
  banner?: (connection: number) => Line;
  ehlo?: (name: string, secured: boolean) => Line;
  helo?: (name: string) => Line;
  mail?: (command: string, secured: boolean, nth: number) => Line;
  /** `nth`: how many RCPTs this connection has seen, from 1. */
  rcpt?: (address: string, nth: number, connection: number, sender: string) => Line;
  extensions?: string[];
  starttls?: 'works' | 'breaks';
  /** How long it takes to answer each RCPT, one after the other. */
  rcptMs?: number;
}

export interface SmtpHost {
  ip: string;
  port: number;
  /** All commands that it received, in order. */
  commands: string[];
  connections: number;
  open: number;
  stop(): Promise<void>;
}

const context = () =>
  createSecureContext({
    key: readFileSync(new URL('../fixtures/tls/mail-host.key', import.meta.url)),
    cert: readFileSync(new URL('../fixtures/tls/mail-host.crt', import.meta.url)),
  });

/** A mail server on loopback that follows its script. By default it accepts everything and offers PIPELINING. */
export async function startSmtpHost(
  script: HostScript = {},
  where: { ip?: string; port?: number } = {},
): Promise<SmtpHost> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    host.connections++;
    host.open++;
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      host.open--;
    });
    if (script.raw !== undefined) script.raw(socket);
    else converse(socket, script, host, host.connections);
  });
  const ip = where.ip ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(where.port ?? 0, ip, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const host: SmtpHost = {
    ip,
    port,
    commands: [],
    connections: 0,
    open: 0,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  return host;
}

function converse(plain: Socket, script: HostScript, host: SmtpHost, connection: number): void {
  let socket = plain;
  let buffered = '';
  let rcpts = 0;
  let mails = 0;
  let sender = '';
  let secured = false;
  let silent = false;

  const sendLine = (line: Line | undefined): void => {
    if (line === null) silent = true;
    if (silent || line === null || line === undefined) return;
    if (line === 'drop') socket.destroy();
    else socket.write(`${line.replaceAll('\n', '\r\n')}\r\n`);
  };

  const ehlo = (name: string): Line => {
    if (script.ehlo !== undefined) return script.ehlo(name, secured);
    const offered = [...(script.extensions ?? ['PIPELINING']), ...(script.starttls && !secured ? ['STARTTLS'] : [])];
    return ['mx.example.com', ...offered]
      .map((text, index, all) => `250${index < all.length - 1 ? '-' : ' '}${text}`)
      .join('\n');
  };

  const startTls = (): void => {
    sendLine('220 go ahead');
    plain.off('data', onData);
    if (script.starttls === 'breaks') {
      plain.write('this is not TLS\r\n');
      return;
    }
    secured = true;
    socket = new TLSSocket(plain, { isServer: true, secureContext: context() });
    socket.on('error', () => {});
    socket.on('data', onData);
  };

  const answerTo = (command: string): Line => {
    const [verb = ''] = command.toUpperCase().split(/[ :]/);
    const argument = /<(.*)>/.exec(command)?.[1] ?? '';
    switch (verb) {
      case 'EHLO':
        return ehlo(command.slice(5));
      case 'HELO':
        return script.helo?.(command.slice(5)) ?? '250 mx.example.com';
      case 'MAIL':
        sender = argument;
        mails++;
        return script.mail === undefined ? '250 2.1.0 Ok' : script.mail(command, secured, mails);
      case 'RCPT':
        rcpts++;
        return script.rcpt === undefined ? '250 2.1.5 Ok' : script.rcpt(argument, rcpts, connection, sender);
      case 'RSET':
        return '250 2.0.0 Ok';
      default:
        return '502 5.5.2 unknown command';
    }
  };

  const onCommand = (command: string): void => {
    host.commands.push(command);
    if (command === 'QUIT') socket.end('221 Bye\r\n');
    else if (command === 'STARTTLS' && script.starttls !== undefined) startTls();
    else sendLine(answerTo(command));
  };

  let working: Promise<void> = Promise.resolve();
  const work = (command: string): void => {
    const { rcptMs } = script;
    if (rcptMs === undefined) {
      onCommand(command);
      return;
    }
    working = working.then(async () => {
      if (command.startsWith('RCPT')) await new Promise((resolve) => setTimeout(resolve, rcptMs));
      if (!plain.destroyed) onCommand(command);
    });
  };

  const onData = (chunk: Buffer): void => {
    buffered += chunk.toString('utf8');
    for (let end = buffered.indexOf('\n'); end !== -1; end = buffered.indexOf('\n')) {
      const command = buffered.slice(0, end).replace(/\r$/, '');
      buffered = buffered.slice(end + 1);
      work(command);
    }
  };

  socket.on('data', onData);
  sendLine(script.banner === undefined ? '220 mx.example.com ESMTP' : script.banner(connection));
}
