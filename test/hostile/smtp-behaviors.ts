import { setTimeout as sleep } from 'node:timers/promises';
import type { SmtpBehavior, SmtpStage } from './hostile-servers.js';

interface Line {
  name: string;
  behavior: SmtpBehavior;
  /** Stages at which the host would lie, and not break the protocol. */
  notAt?: readonly SmtpStage[];
  /** A stray reply after the next command cannot be distinguished from a false one: the run must only end. */
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
const halfThenReset: SmtpBehavior = (socket, reply) => {
  socket.write(reply.slice(0, 5));
  setTimeout(() => socket.resetAndDestroy(), 10).unref();
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
  { name: 'CR and LF in separate packets', behavior: pieces((reply) => [reply.slice(0, -1), '\n']) },
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
  { name: '250 with the code of absence', behavior: say((reply) => reply.replace(/^250 /, '250 5.1.1 ')) },
  { name: '550 with the code of success', behavior: say(() => '550 2.1.5 Recipient ok\r\n') },
  { name: '550 5.1.1 in words of success', behavior: say(() => '550 5.1.1 Recipient ok\r\n') },
  { name: 'a sender that is unknown', behavior: say(() => '550 5.1.0 Sender unknown\r\n') },
  { name: 'a bad sender', behavior: say(() => '553 5.1.8 Bad sender address\r\n') },
  { name: 'a sender domain without MX', behavior: say(() => '550 5.1.7 Sender domain must exist\r\n') },
  { name: 'no route', behavior: say(() => '550 5.4.4 Unable to route\r\n') },
  { name: 'a mail loop', behavior: say(() => '554 5.4.14 Hop count exceeded\r\n') },
  { name: 'TLS needed', behavior: say(() => '523 5.7.10 Encryption needed\r\n') },
  { name: 'a quota of the sender', behavior: say(() => '550 5.7.232 You have exceeded your sending limit\r\n') },
  { name: 'a system full', behavior: say(() => '552 5.3.1 Mail system full\r\n') },
  { name: 'a message too large', behavior: say(() => '552 5.3.4 Message size exceeds the limit\r\n') },
  { name: 'a bug of its own', behavior: say(() => '554 5.3.5 Internal error: null pointer\r\n') },
  { name: '421 in words of absence', behavior: say(() => '421 4.1.1 User unknown\r\n') },
  { name: 'the enhanced code first', behavior: say(() => '5.1.1 550 User unknown\r\n') },
  { name: 'a code with a sign', behavior: say((reply) => `+${reply}`) },
  { name: 'a code with a minus', behavior: say((reply) => `-${reply}`) },
  { name: 'a code with a dot', behavior: say((reply) => reply.replace(' ', '.')) },
  { name: 'a code with a colon', behavior: say((reply) => reply.replace(' ', ':')) },
  { name: 'a code with spaces', behavior: say(() => '2 5 0 Ok\r\n') },
  { name: 'a code in hexadecimal', behavior: say((reply) => `0x${reply}`) },
  { name: 'POP3', behavior: say(() => '+OK ready\r\n') },
  { name: 'IMAP', behavior: say(() => '* OK [CAPABILITY IMAP4rev1] ready\r\n') },
  { name: 'FTP', behavior: say(() => '230 User logged in\r\n'), notAt: rcpt },
  { name: 'JSON', behavior: say(() => '{"code":250,"text":"Ok"}\r\n') },
  { name: 'HTML', behavior: say(() => '<!doctype html><title>250 Ok</title>\r\n') },
  { name: 'gzip', behavior: say(() => '\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03') },
  { name: 'UTF-16', behavior: say((reply) => [...reply].map((char) => `${char}\0`).join('')) },
  { name: 'a bell, backspaces and deletes', behavior: say((reply) => reply.replace(/\r\n$/, '\x07\b\b\x7f\r\n')) },
  { name: 'Unicode line ends', behavior: say((reply) => reply.replace(/\r\n$/, '\xe2\x80\xa8550 No\x85\x0b\x0c\r\n')) },
  { name: 'text in the other direction', behavior: say((reply) => reply.replace(/\r\n$/, '\xe2\x80\xae\r\n')) },
  { name: 'LF CR', behavior: say((reply) => reply.replaceAll('\r\n', '\n\r')) },
  { name: 'CR CR LF', behavior: say((reply) => reply.replaceAll('\r\n', '\r\r\n')) },
  { name: 'a line that follows its end', behavior: say((reply) => `${reply}250-more\r\n`) },
  { name: 'the end in the middle', behavior: say((reply) => `${reply}250-more\r\n250 end\r\n`) },
  { name: 'a reply within a reply', behavior: say((reply) => reply.replace(/\r\n$/, ' 550 5.1.1 User unknown\r\n')) },
  { name: '500 enhanced codes', behavior: say((reply) => reply.replace(/\r\n$/, ` ${'5.1.1 '.repeat(500)}\r\n`)) },
  { name: '64 kB of NUL first', behavior: say((reply) => '\0'.repeat(65_536) + reply) },
  { name: 'a megabyte of spaces', behavior: say((reply) => reply.replace(/\r\n$/, `${' '.repeat(1e6)}\r\n`)) },
  { name: 'half the reply, then a reset', behavior: halfThenReset },
  { name: 'the banner, then the reply', behavior: say((reply) => `220 mx ESMTP\r\n${reply}`) },
  { name: 'the reply, then a farewell', behavior: say((reply) => `${reply}221 2.0.0 Bye\r\n`) },
];
