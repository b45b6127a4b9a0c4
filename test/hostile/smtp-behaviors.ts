import { setTimeout as sleep } from 'node:timers/promises';
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
  { name: 'a refusal of a mailbox', behavior: sendText(() => unknownUser), notAt: rcpt },
  { name: 'a disabled mailbox', behavior: sendText(() => '550 5.2.1 Mailbox disabled\r\n'), notAt: rcpt },
  { name: 'a full mailbox', behavior: sendText(() => '552 5.2.2 Mailbox full\r\n'), notAt: rcpt },
  { name: 'no mail accepted', behavior: sendText(() => '556 5.1.10 Does not accept mail\r\n'), notAt: rcpt },
  { name: 'a vague refusal', behavior: sendText(() => '550 No\r\n') },
  { name: 'a refusal without words', behavior: sendText(() => '550\r\n') },
  { name: 'a policy', behavior: sendText(() => '554 5.7.1 Access denied\r\n') },
  { name: 'a blocklist', behavior: sendText(() => '550 5.7.1 Your IP is listed at zen.example.org\r\n') },
  { name: 'an answer about reverse DNS', behavior: sendText(() => '550 5.7.25 No reverse DNS record\r\n') },
  { name: '421', behavior: sendText(() => '421 4.7.0 Try again later\r\n') },
  { name: '421 and a disconnect', behavior: (socket) => socket.end('421 4.3.2 Shutting down\r\n') },
  { name: '450', behavior: sendText(() => '450 4.2.0 Greylisted\r\n') },
  { name: '451 with words of absence', behavior: sendText(() => '451 4.1.1 User unknown\r\n') },
  { name: '452', behavior: sendText(() => '452 4.5.3 Too many recipients\r\n') },
  { name: '500', behavior: sendText(() => '500 5.5.1 Command unrecognized\r\n') },
  { name: '503', behavior: sendText(() => '503 5.5.1 Bad sequence of commands\r\n') },
  { name: '530', behavior: sendText(() => '530 5.7.0 Must issue a STARTTLS command first\r\n') },
  { name: '535', behavior: sendText(() => '535 5.7.8 Authentication failed\r\n') },
  { name: '354', behavior: sendText(() => '354 Go ahead\r\n') },
  { name: '334', behavior: sendText(() => '334 VXNlcm5hbWU6\r\n') },
  { name: '221', behavior: sendText(() => '221 2.0.0 Bye\r\n') },
  { name: '220 again', behavior: sendText(() => '220 mx ESMTP\r\n') },
  { name: '199', behavior: sendText(() => '199 Hm\r\n') },
  { name: '000', behavior: sendText(() => '000 Hm\r\n') },
  { name: '600', behavior: sendText(() => '600 Hm\r\n') },
  { name: '999', behavior: sendText(() => '999 Hm\r\n') },
  { name: 'two digits', behavior: sendText(() => '25 Ok\r\n') },
  { name: 'four digits', behavior: sendText(() => '2500 Ok\r\n') },
  { name: 'letters for the code', behavior: sendText(() => 'OK\r\n') },
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
  { name: 'SSH', behavior: sendText(() => 'SSH-2.0-OpenSSH_9.6\r\n') },
  { name: 'a TLS alert', behavior: sendText(() => '\x15\x03\x01\x00\x02\x02\x28') },
  { name: 'the command, as an echo', behavior: sendText(() => 'RCPT TO:<jane@example.com>\r\n') },
  { name: 'the command, then the reply', behavior: sendText((reply) => `MAIL FROM:<>\r\n${reply}`) },
  { name: '200 kB of garbage', behavior: sendText(() => 'garbage\r\n'.repeat(22_000)) },
  { name: '251', behavior: sendText(() => '251 2.1.5 User not local; will forward\r\n'), notAt: rcpt },
  { name: '252', behavior: sendText(() => '252 2.1.5 Cannot verify\r\n'), notAt: rcpt },
  { name: '250 with the code of absence', behavior: sendText((reply) => reply.replace(/^250 /, '250 5.1.1 ')) },
  { name: '550 with the code of success', behavior: sendText(() => '550 2.1.5 Recipient ok\r\n') },
  { name: '550 5.1.1 with words of success', behavior: sendText(() => '550 5.1.1 Recipient ok\r\n') },
  { name: 'a sender that is unknown', behavior: sendText(() => '550 5.1.0 Sender unknown\r\n') },
  { name: 'a bad sender', behavior: sendText(() => '553 5.1.8 Bad sender address\r\n') },
  { name: 'a sender domain without MX', behavior: sendText(() => '550 5.1.7 Sender domain must exist\r\n') },
  { name: 'no route', behavior: sendText(() => '550 5.4.4 Unable to route\r\n') },
  { name: 'a mail loop', behavior: sendText(() => '554 5.4.14 Hop count exceeded\r\n') },
  { name: 'TLS needed', behavior: sendText(() => '523 5.7.10 Encryption needed\r\n') },
  { name: 'a quota of the sender', behavior: sendText(() => '550 5.7.232 You have exceeded your sending limit\r\n') },
  { name: 'a system full', behavior: sendText(() => '552 5.3.1 Mail system full\r\n') },
  { name: 'a message too large', behavior: sendText(() => '552 5.3.4 Message size exceeds the limit\r\n') },
  { name: 'an internal error', behavior: sendText(() => '554 5.3.5 Internal error: null pointer\r\n') },
  { name: '421 with words of absence', behavior: sendText(() => '421 4.1.1 User unknown\r\n') },
  { name: 'the enhanced code first', behavior: sendText(() => '5.1.1 550 User unknown\r\n') },
  { name: 'a code with a sign', behavior: sendText((reply) => `+${reply}`) },
  { name: 'a code with a minus', behavior: sendText((reply) => `-${reply}`) },
  { name: 'a code with a dot', behavior: sendText((reply) => reply.replace(' ', '.')) },
  { name: 'a code with a colon', behavior: sendText((reply) => reply.replace(' ', ':')) },
  { name: 'a code with spaces', behavior: sendText(() => '2 5 0 Ok\r\n') },
  { name: 'a code in hexadecimal', behavior: sendText((reply) => `0x${reply}`) },
  { name: 'POP3', behavior: sendText(() => '+OK ready\r\n') },
  { name: 'IMAP', behavior: sendText(() => '* OK [CAPABILITY IMAP4rev1] ready\r\n') },
  { name: 'FTP', behavior: sendText(() => '230 User logged in\r\n'), notAt: rcpt },
  { name: 'JSON', behavior: sendText(() => '{"code":250,"text":"Ok"}\r\n') },
  { name: 'HTML', behavior: sendText(() => '<!doctype html><title>250 Ok</title>\r\n') },
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
