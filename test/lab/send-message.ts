import { connect } from 'node:net';
import { createInterface } from 'node:readline';

interface Message {
  sender: string;
  recipients: readonly string[];
  id: string;
}

/** Sends one message through the server at `ip`. */
export async function sendMessage(ip: string, { sender, recipients, id }: Message): Promise<void> {
  const socket = connect({ host: ip, port: 25, localAddress: '127.0.0.1' });
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const expectReply = async (code: number): Promise<void> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done || !value.startsWith(String(code))) throw new Error(`${ip}: ${value}`);
      if (value[3] === ' ') return;
    }
  };
  const sendCommand = async (line: string, code: number): Promise<void> => {
    socket.write(`${line}\r\n`);
    await expectReply(code);
  };
  await expectReply(220);
  await sendCommand('EHLO client.vetlab.com', 250);
  await sendCommand(`MAIL FROM:<${sender}>`, 250);
  for (const recipient of recipients) await sendCommand(`RCPT TO:<${recipient}>`, 250);
  await sendCommand('DATA', 354);
  const header = `From: News <${sender}>\r\nTo: everyone:;\r\nSubject: Hello\r\nMessage-ID: <${id}>`;
  await sendCommand(`${header}\r\nDate: Tue, 17 Nov 2026 10:00:00 +0000\r\n\r\nHello.\r\n.`, 250);
  await sendCommand('QUIT', 221);
  socket.destroy();
}
