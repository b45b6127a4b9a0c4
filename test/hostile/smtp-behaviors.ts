import { setTimeout as sleep } from 'node:timers/promises';
import { factRows } from '../fixtures/fact-rows.js';
import type { SmtpBehavior, SmtpStage } from './hostile-servers.js';

interface Line {
  name: string;
  behavior: SmtpBehavior;
  /** Stages at which the behavior would be a lie, not a protocol violation. */
  notAt?: readonly SmtpStage[];
  /** A stray reply after the next command cannot be distinguished from a false one: the run must only end. */
  isLate?: boolean;
}

/** Sends another text instead of the reply. */
const sendText =
  (change: (reply: string) => string): SmtpBehavior =>
  (socket, reply) =>
    socket.write(change(reply), 'latin1');
const sendLater =
  (ms: number, next: SmtpBehavior): SmtpBehavior =>
  async (socket, reply) => {
    await sleep(ms, undefined, { ref: false });
    next(socket, reply);
  };
const sendReply: SmtpBehavior = (socket, reply) => socket.write(reply);
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
const halfThenReset: SmtpBehavior = (socket, reply) => {
  socket.write(reply.slice(0, 5));
  setTimeout(() => socket.resetAndDestroy(), 10).unref();
};
const never = new Promise(() => {});
const unknownUser = '550 5.1.1 User unknown\r\n';
const accepted = '250 2.1.5 Ok\r\n';
const rcpt = ['rcpt'] as const;

/** One behavior per line. Each runs at every stage, with and without PIPELINING. */
export const smtpBehaviors: readonly Line[] = [
  ...factRows('hostile-replies', 'in place of the right reply').map(
    ([name = '', reply, notAt]): Line => ({
      name,
      behavior: sendText(() => `${reply}\r\n`),
      ...(notAt && { notAt: rcpt }),
    }),
  ),
  { name: 'silence', behavior: () => never },
  { name: 'no reply, and the next command is answered', behavior: () => {} },
  { name: 'a hang-up', behavior: (socket) => socket.end() },
  { name: 'a reset', behavior: (socket) => socket.resetAndDestroy() },
  { name: 'the reply, then a disconnect', behavior: (socket, reply) => socket.end(reply) },
  { name: 'half the reply, then a disconnect', behavior: (socket, reply) => socket.end(reply.slice(0, 5)) },
  { name: 'half the reply, then silence', behavior: sendText((reply) => reply.slice(0, 5)) },
  { name: 'the code alone, without its line end', behavior: sendText(() => '250') },
  { name: 'a late reply', behavior: sendLater(300, sendReply) },
  { name: 'a reply after the deadline', behavior: sendLater(4_000, sendReply) },
  { name: 'one byte at a time', behavior: pieces((reply) => [...reply], 2) },
  { name: 'one byte at a time, too slowly', behavior: pieces((reply) => [...reply], 400) },
  { name: 'CR and LF in separate packets', behavior: pieces((reply) => [reply.slice(0, -1), '\n']) },
  { name: 'LF alone', behavior: sendText((reply) => reply.replaceAll('\r\n', '\n')) },
  { name: 'CR alone', behavior: sendText((reply) => reply.replaceAll('\r\n', '\r')) },
  { name: 'empty lines before it', behavior: sendText((reply) => `\r\n\r\n${reply}`) },
  { name: 'empty lines after it', behavior: sendText((reply) => `${reply}\r\n\r\n`) },
  { name: 'the reply twice', behavior: sendText((reply) => reply + reply) },
  { name: 'the reply twice, later', behavior: stray((reply) => reply), isLate: true },
  { name: 'the reply 300 times', behavior: sendText((reply) => reply.repeat(300)) },
  { name: 'an acceptance before it', behavior: sendText((reply) => accepted + reply) },
  { name: 'an acceptance after it', behavior: sendText((reply) => reply + accepted) },
  { name: 'a refusal after it', behavior: sendText((reply) => reply + unknownUser) },
  { name: 'a refusal after it, later', behavior: stray(() => unknownUser), isLate: true },
  { name: 'a refusal before it', behavior: sendText((reply) => unknownUser + reply) },
  { name: '300 refusals after it', behavior: sendText((reply) => reply + unknownUser.repeat(300)) },
  { name: '300 acceptances after it', behavior: sendText((reply) => reply + accepted.repeat(300)) },
  { name: '421 and a disconnect', behavior: (socket) => socket.end('421 4.3.2 Shutting down\r\n') },
  { name: 'full-width digits', behavior: sendText(() => '\xef\xbc\x92\xef\xbc\x95\xef\xbc\x90 Ok\r\n') },
  { name: 'a space before the code', behavior: sendText((reply) => ` ${reply}`) },
  { name: 'a tab after the code', behavior: sendText((reply) => reply.replace(' ', '\t')) },
  { name: 'NUL in the text', behavior: sendText((reply) => reply.replace(/\r\n$/, ' \0\0\r\n')) },
  { name: 'NUL before the code', behavior: sendText((reply) => `\0${reply}`) },
  { name: 'escapes in the text', behavior: sendText((reply) => reply.replace(/\r\n$/, ' \x1b[2J\x1b]0;x\x07\r\n')) },
  { name: 'bytes that are not UTF-8', behavior: sendText((reply) => reply.replace(/\r\n$/, ' \xff\xfe\xc0\r\n')) },
  { name: 'a byte order mark', behavior: sendText((reply) => `\xef\xbb\xbf${reply}`) },
  { name: 'a line of 2,000 bytes', behavior: sendText((reply) => reply.replace(/\r\n$/, ` ${'x'.repeat(2_000)}\r\n`)) },
  { name: 'a line of 100,000 bytes', behavior: sendText((reply) => reply.replace(/\r\n$/, ` ${'x'.repeat(1e5)}\r\n`)) },
  { name: 'an endless line', behavior: sendText(() => '250 '.padEnd(200_000, 'x')) },
  { name: '100 lines', behavior: sendText((reply) => `${reply.slice(0, 3)}-x\r\n`.repeat(100) + reply) },
  { name: '10,000 lines', behavior: sendText((reply) => `${reply.slice(0, 3)}-x\r\n`.repeat(1e4) + reply) },
  { name: 'lines that never end', behavior: sendText((reply) => `${reply.slice(0, 3)}-x\r\n`.repeat(3)) },
  { name: 'lines of other codes', behavior: sendText((reply) => `550-No\r\n451-Hm\r\n${reply}`) },
  {
    name: 'an acceptance that ends as a refusal',
    behavior: sendText((reply) => `${reply.slice(0, 3)}-Ok\r\n550 No\r\n`),
  },
  { name: 'a refusal that ends as an acceptance', behavior: sendText(() => '550-No\r\n250 Ok\r\n') },
  { name: 'HTTP', behavior: sendText(() => 'HTTP/1.1 400 Bad Request\r\n\r\n') },
  { name: 'a TLS alert', behavior: sendText(() => '\x15\x03\x01\x00\x02\x02\x28') },
  { name: 'the command, then the reply', behavior: sendText((reply) => `MAIL FROM:<>\r\n${reply}`) },
  { name: '200 kB of garbage', behavior: sendText(() => 'garbage\r\n'.repeat(22_000)) },
  { name: '250 with the code of absence', behavior: sendText((reply) => reply.replace(/^250 /, '250 5.1.1 ')) },
  { name: 'a code with a sign', behavior: sendText((reply) => `+${reply}`) },
  { name: 'a code with a minus', behavior: sendText((reply) => `-${reply}`) },
  { name: 'a code with a dot', behavior: sendText((reply) => reply.replace(' ', '.')) },
  { name: 'a code with a colon', behavior: sendText((reply) => reply.replace(' ', ':')) },
  { name: 'a code in hexadecimal', behavior: sendText((reply) => `0x${reply}`) },
  { name: 'gzip', behavior: sendText(() => '\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03') },
  { name: 'UTF-16', behavior: sendText((reply) => [...reply].map((char) => `${char}\0`).join('')) },
  { name: 'a bell, backspaces and deletes', behavior: sendText((reply) => reply.replace(/\r\n$/, '\x07\b\b\x7f\r\n')) },
  {
    name: 'Unicode line ends',
    behavior: sendText((reply) => reply.replace(/\r\n$/, '\xe2\x80\xa8550 No\x85\x0b\x0c\r\n')),
  },
  { name: 'right-to-left text', behavior: sendText((reply) => reply.replace(/\r\n$/, '\xe2\x80\xae\r\n')) },
  { name: 'LF CR', behavior: sendText((reply) => reply.replaceAll('\r\n', '\n\r')) },
  { name: 'CR CR LF', behavior: sendText((reply) => reply.replaceAll('\r\n', '\r\r\n')) },
  { name: 'a line that follows its end', behavior: sendText((reply) => `${reply}250-more\r\n`) },
  { name: 'the end in the middle', behavior: sendText((reply) => `${reply}250-more\r\n250 end\r\n`) },
  {
    name: 'a reply within a reply',
    behavior: sendText((reply) => reply.replace(/\r\n$/, ' 550 5.1.1 User unknown\r\n')),
  },
  { name: '500 enhanced codes', behavior: sendText((reply) => reply.replace(/\r\n$/, ` ${'5.1.1 '.repeat(500)}\r\n`)) },
  { name: '64 kB of NUL first', behavior: sendText((reply) => '\0'.repeat(65_536) + reply) },
  { name: 'a megabyte of spaces', behavior: sendText((reply) => reply.replace(/\r\n$/, `${' '.repeat(1e6)}\r\n`)) },
  { name: 'half the reply, then a reset', behavior: halfThenReset },
  { name: 'the banner, then the reply', behavior: sendText((reply) => `220 mx ESMTP\r\n${reply}`) },
  { name: 'the reply, then a farewell', behavior: sendText((reply) => `${reply}221 2.0.0 Bye\r\n`) },
];
