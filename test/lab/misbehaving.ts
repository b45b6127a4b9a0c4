import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type HostScript, type SmtpHost, startSmtpHost } from '../fakes/smtp-host.js';

const known = (address: string, unknown: string): string =>
  address.startsWith('jane@') || address.startsWith('info@') ? '250 2.1.5 Ok' : unknown;

/** How each server that violates the protocol handles a connection. */
const habits = {
  silent: { banner: () => null },
  dropsAtOnce: { raw: (socket) => socket.destroy() },
  dropsAtRcpt: { rcpt: () => 'drop' },
  garbage: { raw: (socket) => socket.write(Buffer.from([0, 255, 13, 7, 27, 91, 10, 200, 13, 10])) },
  endlessLine: { raw: (socket) => sendEndlessly(socket, Buffer.alloc(65_536, 'a')) },
  endlessBanner: { raw: (socket) => sendEndlessly(socket, Buffer.from('220-wait\r\n'.repeat(5_000))) },
  oneByteASecond: {
    raw: (socket) => {
      const timer = setInterval(() => socket.write('2'), 1_000);
      socket.on('close', () => clearInterval(timer));
    },
  },
  closesBusy: { raw: (socket) => socket.end('421 4.3.2 Too busy, try later\r\n') },
  refusesUs: { raw: (socket) => socket.end('554 5.7.1 No SMTP service for you here\r\n') },
  heloOnly: { ehlo: () => '502 5.5.2 Command not recognized' },
  bareRefusal: { rcpt: () => '550 No' },
  userUnknownInGerman: { rcpt: (address) => known(address, '550 Empfänger unbekannt') },
  policyForAll: { rcpt: () => '550 5.7.1 Message rejected due to local policy' },
  noSuchUserAs571: { rcpt: () => '550 5.7.1 No such user!' },
  cannotVerify: { rcpt: () => '252 Cannot VRFY user, but will accept message' },
  neverUtf8: {},
  mailboxFullLater: { rcpt: () => '452 4.2.2 Mailbox full, over quota' },
  tooManyRcpts: {
    rcpt: (address, nth) => (nth > 1 ? '452 4.5.3 Too many recipients' : known(address, '550 5.1.1 No such user')),
  },
  defersAll: { rcpt: () => '451 4.3.0 Try again later' },
  oneRecipient: { rcpt: (_address, nth) => (nth > 1 ? '550 5.7.1 Not in this session' : '250 Ok') },
  tarpit: { raw: delayAfterRefusal },
  refusesInOwnWords: { rcpt: () => '550 Confirm this mail server first' },
} satisfies Record<string, HostScript>;

export type Habit = keyof typeof habits;

/** The loopback address of each server. */
export const addressOfHabit = Object.fromEntries(
  Object.keys(habits).map((habit, index) => [habit, `127.0.11.${index + 1}`]),
) as Record<Habit, string>;

/** Starts a mail host on port 25 of each address. None offers PIPELINING. */
export async function startHosts(scripts: readonly (readonly [ip: string, script: HostScript])[]) {
  const hosts: SmtpHost[] = [];
  for (const [ip, script] of scripts) hosts.push(await startSmtpHost({ extensions: [], ...script }, { ip, port: 25 }));
  return { stop: () => Promise.all(hosts.map(({ stop }) => stop())) };
}

/** Starts them all. */
export const startMisbehaving = () =>
  startHosts(Object.entries(habits).map(([habit, script]) => [addressOfHabit[habit as Habit], script]));

/** Like Courier: the first refusal is late, and each later reply is delayed longer. */
function delayAfterRefusal(socket: Socket): void {
  let isStuck = false;
  socket.write('220 mx.odd.vetlab.com ESMTP\r\n');
  createInterface({ input: socket }).on('line', (line) => {
    const answer = line.startsWith('RCPT') ? known(line.slice('RCPT TO:<'.length), '') : '250 Ok';
    if (line === 'QUIT') socket.end('221 Bye\r\n');
    else if (answer === '' && !isStuck) setTimeout(() => socket.write('550 User <ghost> unknown\r\n'), 3_200);
    else if (!isStuck || !line.startsWith('RCPT')) socket.write(`${answer}\r\n`);
    isStuck ||= answer === '';
  });
}

function sendEndlessly(socket: Socket, data: Buffer): void {
  const sendMore = (): void => {
    while (!socket.destroyed && socket.write(data));
  };
  socket.on('drain', sendMore);
  sendMore();
}
