import { setTimeout as sleep } from 'node:timers/promises';
import type { SmtpBehavior, SmtpStage } from './hostile-servers.js';

interface Line {
  name: string;
  behavior: SmtpBehavior;
  /** Stages at which the host would lie, and not break the protocol. */
  notAt?: readonly SmtpStage[];
  /** A stray reply comes after the next command was sent, so it cannot be told from a lie: the run must only end. */
  isLate?: boolean;
}

/** Sends another text instead of the reply. */
const say =
  (change: (reply: string) => string): SmtpBehavior =>
  (socket, reply) =>
    socket.write(change(reply), 'latin1');
const later =
  (ms: number, next: SmtpBehavior): SmtpBehavior =>
  async (socket, reply) => {
    await sleep(ms, undefined, { ref: false });
    next(socket, reply);
  };
const right: SmtpBehavior = (socket, reply) => socket.write(reply);
/** Sends pieces with a pause between them. */
const pieces =
  (split: (reply: string) => string[], ms = 10): SmtpBehavior =>
  async (socket, reply) => {
    for (const piece of split(reply)) {
      if (socket.writable) socket.write(piece, 'latin1');
      await sleep(ms, undefined, { ref: false });
    }
  };
/** Sends something after the next command was answered. */
const stray =
  (change: (reply: string) => string): SmtpBehavior =>
  (socket, reply) => {
    socket.write(reply);
    setTimeout(() => socket.writable && socket.write(change(reply)), 10).unref();
  };
const never = new Promise(() => {});
const unknownUser = '550 5.1.1 User unknown\r\n';
const accepted = '250 2.1.5 Ok\r\n';
const rcpt = ['rcpt'] as const;

/** One behavior a line; each runs at every stage, with and without PIPELINING. */
export const smtpBehaviors: readonly Line[] = [
  { name: 'silence', behavior: () => never },
  { name: 'no reply, and the next command is answered', behavior: () => {} },
  { name: 'a hang-up', behavior: (socket) => socket.end() },
  { name: 'a reset', behavior: (socket) => socket.resetAndDestroy() },
  { name: 'the reply, then a hang-up', behavior: (socket, reply) => socket.end(reply) },
  { name: 'half the reply, then a hang-up', behavior: (socket, reply) => socket.end(reply.slice(0, 5)) },
  { name: 'half the reply, then silence', behavior: say((reply) => reply.slice(0, 5)) },
  { name: 'the code alone, without its line end', behavior: say(() => '250') },
  { name: 'a late reply', behavior: later(300, right) },
  { name: 'a reply after the deadline', behavior: later(4_000, right) },
  { name: 'one byte at a time', behavior: pieces((reply) => [...reply], 2) },
  { name: 'one byte at a time, too slowly', behavior: pieces((reply) => [...reply], 400) },
  { name: 'CR and LF apart', behavior: pieces((reply) => [reply.slice(0, -1), '\n']) },
  { name: 'LF alone', behavior: say((reply) => reply.replaceAll('\r\n', '\n')) },
  { name: 'CR alone', behavior: say((reply) => reply.replaceAll('\r\n', '\r')) },
  { name: 'empty lines before it', behavior: say((reply) => `\r\n\r\n${reply}`) },
  { name: 'empty lines after it', behavior: say((reply) => `${reply}\r\n\r\n`) },
  { name: 'the reply twice', behavior: say((reply) => reply + reply) },
  { name: 'the reply twice, later', behavior: stray((reply) => reply), isLate: true },
  { name: 'the reply 300 times', behavior: say((reply) => reply.repeat(300)) },
  { name: 'an acceptance before it', behavior: say((reply) => accepted + reply) },
  { name: 'an acceptance after it', behavior: say((reply) => reply + accepted) },
  { name: 'a refusal after it', behavior: say((reply) => reply + unknownUser) },
  { name: 'a refusal after it, later', behavior: stray(() => unknownUser), isLate: true },
  { name: 'a refusal before it', behavior: say((reply) => unknownUser + reply) },
  { name: '300 refusals after it', behavior: say((reply) => reply + unknownUser.repeat(300)) },
  { name: '300 acceptances after it', behavior: say((reply) => reply + accepted.repeat(300)) },
  { name: 'a refusal of a mailbox', behavior: say(() => unknownUser), notAt: rcpt },
  { name: 'a disabled mailbox', behavior: say(() => '550 5.2.1 Mailbox disabled\r\n'), notAt: rcpt },
  { name: 'a full mailbox', behavior: say(() => '552 5.2.2 Mailbox full\r\n'), notAt: rcpt },
  { name: 'no mail accepted', behavior: say(() => '556 5.1.10 Does not accept mail\r\n'), notAt: rcpt },
  { name: 'a vague refusal', behavior: say(() => '550 No\r\n') },
  { name: 'a refusal without words', behavior: say(() => '550\r\n') },
  { name: 'a policy', behavior: say(() => '554 5.7.1 Access denied\r\n') },
  { name: 'a blocklist', behavior: say(() => '550 5.7.1 Your IP is listed at zen.example.org\r\n') },
  { name: 'an answer about reverse DNS', behavior: say(() => '550 5.7.25 No reverse DNS record\r\n') },
  { name: '421', behavior: say(() => '421 4.7.0 Try again later\r\n') },
  { name: '421 and a hang-up', behavior: (socket) => socket.end('421 4.3.2 Shutting down\r\n') },
  { name: '450', behavior: say(() => '450 4.2.0 Greylisted\r\n') },
  { name: '451 in words of absence', behavior: say(() => '451 4.1.1 User unknown\r\n') },
  { name: '452', behavior: say(() => '452 4.5.3 Too many recipients\r\n') },
  { name: '500', behavior: say(() => '500 5.5.1 Command unrecognized\r\n') },
  { name: '503', behavior: say(() => '503 5.5.1 Bad sequence of commands\r\n') },
  { name: '530', behavior: say(() => '530 5.7.0 Must issue a STARTTLS command first\r\n') },
  { name: '535', behavior: say(() => '535 5.7.8 Authentication failed\r\n') },
  { name: '354', behavior: say(() => '354 Go ahead\r\n') },
  { name: '334', behavior: say(() => '334 VXNlcm5hbWU6\r\n') },
  { name: '221', behavior: say(() => '221 2.0.0 Bye\r\n') },
  { name: '220 again', behavior: say(() => '220 mx ESMTP\r\n') },
  { name: '199', behavior: say(() => '199 Hm\r\n') },
  { name: '000', behavior: say(() => '000 Hm\r\n') },
  { name: '600', behavior: say(() => '600 Hm\r\n') },
  { name: '999', behavior: say(() => '999 Hm\r\n') },
  { name: 'two digits', behavior: say(() => '25 Ok\r\n') },
  { name: 'four digits', behavior: say(() => '2500 Ok\r\n') },
  { name: 'letters for the code', behavior: say(() => 'OK\r\n') },
  { name: 'full-width digits', behavior: say(() => '\xef\xbc\x92\xef\xbc\x95\xef\xbc\x90 Ok\r\n') },
  { name: 'a space before the code', behavior: say((reply) => ` ${reply}`) },
  { name: 'a tab after the code', behavior: say((reply) => reply.replace(' ', '\t')) },
  { name: 'NUL in the text', behavior: say((reply) => reply.replace(/\r\n$/, ' \0\0\r\n')) },
  { name: 'NUL before the code', behavior: say((reply) => `\0${reply}`) },
  { name: 'escapes in the text', behavior: say((reply) => reply.replace(/\r\n$/, ' \x1b[2J\x1b]0;x\x07\r\n')) },
  { name: 'bytes that are no UTF-8', behavior: say((reply) => reply.replace(/\r\n$/, ' \xff\xfe\xc0\r\n')) },
  { name: 'a byte order mark', behavior: say((reply) => `\xef\xbb\xbf${reply}`) },
  { name: 'a line of 2,000 bytes', behavior: say((reply) => reply.replace(/\r\n$/, ` ${'x'.repeat(2_000)}\r\n`)) },
  { name: 'a line of 100,000 bytes', behavior: say((reply) => reply.replace(/\r\n$/, ` ${'x'.repeat(1e5)}\r\n`)) },
  { name: 'an endless line', behavior: say(() => '250 '.padEnd(200_000, 'x')) },
  { name: '100 lines', behavior: say((reply) => `${reply.slice(0, 3)}-x\r\n`.repeat(100) + reply) },
  { name: '10,000 lines', behavior: say((reply) => `${reply.slice(0, 3)}-x\r\n`.repeat(1e4) + reply) },
  { name: 'lines that never end', behavior: say((reply) => `${reply.slice(0, 3)}-x\r\n`.repeat(3)) },
  { name: 'lines of other codes', behavior: say((reply) => `550-No\r\n451-Hm\r\n${reply}`) },
  { name: 'an acceptance that ends as a refusal', behavior: say((reply) => `${reply.slice(0, 3)}-Ok\r\n550 No\r\n`) },
  { name: 'a refusal that ends as an acceptance', behavior: say(() => '550-No\r\n250 Ok\r\n') },
  { name: 'HTTP', behavior: say(() => 'HTTP/1.1 400 Bad Request\r\n\r\n') },
  { name: 'SSH', behavior: say(() => 'SSH-2.0-OpenSSH_9.6\r\n') },
  { name: 'a TLS alert', behavior: say(() => '\x15\x03\x01\x00\x02\x02\x28') },
  { name: 'the command, as an echo', behavior: say(() => 'RCPT TO:<jane@example.com>\r\n') },
  { name: 'the command, then the reply', behavior: say((reply) => `MAIL FROM:<>\r\n${reply}`) },
  { name: '200 kB of garbage', behavior: say(() => 'garbage\r\n'.repeat(22_000)) },
  { name: '251', behavior: say(() => '251 2.1.5 User not local; will forward\r\n'), notAt: rcpt },
  { name: '252', behavior: say(() => '252 2.1.5 Cannot verify\r\n'), notAt: rcpt },
];
