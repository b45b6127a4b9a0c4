// Mail hosts behind a SOCKS proxy on loopback for bench/fairness, as a child process that sends its port. Nothing leaves the machine.
// 9.x.x.x sends no banner, 11.x.x.x defers every recipient. The others delay each reply and accept mailboxes that start with "ada".
import { createServer } from 'node:net';

const commandMs = Number(process.argv[2] ?? 20);

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.once('data', () => {
    // RFC 1928: no authentication, then CONNECT, whose bytes 4 to 7 are the IPv4 address.
    socket.write(Buffer.from([5, 0]));
    socket.once('data', (request) => {
      socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      if (request[4] !== 9) serveSmtp(socket, request[4] === 11 ? '451 4.7.1 Greylisted, try again later\r\n' : null);
    });
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());

function serveSmtp(socket, deferral) {
  let partialLine = '';
  let lastReply = delayed(() => socket.write('220 mx ESMTP\r\n'));
  socket.on('data', (chunk) => {
    const lines = (partialLine + chunk).split('\r\n');
    partialLine = lines.pop() ?? '';
    for (const line of lines) {
      lastReply = lastReply.then(() =>
        delayed(() => (line === 'QUIT' ? socket.end('221 2.0.0 Bye\r\n') : socket.write(replyTo(line, deferral)))),
      );
    }
  });
}

function delayed(run) {
  return new Promise((resolve) => {
    setTimeout(() => resolve(run()), commandMs);
  });
}

function replyTo(line, deferral) {
  if (line.startsWith('RCPT'))
    return deferral ?? (/<ada/.test(line) ? '250 2.1.5 Ok\r\n' : '550 5.1.1 User unknown\r\n');
  if (line.startsWith('EHLO')) return '250-mx\r\n250 ENHANCEDSTATUSCODES\r\n';
  return '250 2.0.0 Ok\r\n';
}
