import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

interface Mailbox {
  replyTo(recipient: string): string;
  /** The reply to the end of a message; by default it is accepted. */
  replyToMessage?(recipients: readonly string[]): string;
  onMessage(recipients: readonly string[], text: string): void;
}

/** A mail server that answers RCPT by `replyTo` and forwards the messages that it accepts. */
export async function startNextHop(ip: string, mailbox: Mailbox): Promise<{ stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket, mailbox).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(25, ip, resolve));
  return {
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(socket: Socket, { replyTo, replyToMessage, onMessage }: Mailbox): Promise<void> {
  let recipients: string[] = [];
  let body: string[] | null = null;
  const send = (line: string): boolean => socket.write(`${line}\r\n`);
  send('220 mx.target.vetlab.com ESMTP');
  for await (const line of createInterface({ input: socket })) {
    if (body !== null) {
      if (line !== '.') body.push(line.replace(/^\./, ''));
      else {
        const reply = replyToMessage?.(recipients) ?? '250 2.0.0 Ok';
        if (reply.startsWith('2')) onMessage(recipients, `${body.join('\n')}\n`);
        body = null;
        send(reply);
      }
      continue;
    }
    const recipient = /^RCPT TO:\s*<([^>]*)>/i.exec(line)?.[1];
    if (recipient !== undefined) {
      const reply = replyTo(recipient.toLowerCase());
      if (reply.startsWith('2')) recipients.push(recipient.toLowerCase());
      send(reply);
    } else if (/^DATA/i.test(line)) {
      const canTake = recipients.length > 0;
      if (canTake) body = [];
      send(canTake ? '354 Go ahead' : '554 5.5.1 No valid recipients');
    } else if (/^QUIT/i.test(line)) {
      send('221 2.0.0 Bye');
      socket.end();
    } else {
      if (/^(?:MAIL|RSET|EHLO|HELO)/i.test(line)) recipients = [];
      send('250 mx.target.vetlab.com');
    }
  }
}
