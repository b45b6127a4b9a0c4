import { createServer, type Server, type Socket } from 'node:net';

/** How each server that violates the protocol handles a connection. */
const habits = {
  silent: () => {},
  dropsAtOnce: (socket: Socket) => socket.destroy(),
  dropsAtRcpt: (socket: Socket) => dialogue(socket, { RCPT: () => socket.destroy() }),
  garbage: (socket: Socket) => socket.write(Buffer.from([0, 255, 13, 7, 27, 91, 10, 200, 13, 10])),
  endlessLine: (socket: Socket) => sendEndlessly(socket, Buffer.alloc(65_536, 'a')),
  endlessBanner: (socket: Socket) => sendEndlessly(socket, Buffer.from('220-wait\r\n'.repeat(5_000))),
  oneByteASecond: (socket: Socket) => {
    const timer = setInterval(() => socket.write('2'), 1_000);
    socket.on('close', () => clearInterval(timer));
  },
  closesBusy: (socket: Socket) => socket.end('421 4.3.2 Too busy, try later\r\n'),
  refusesUs: (socket: Socket) => socket.end('554 5.7.1 No SMTP service for you here\r\n'),
  heloOnly: (socket: Socket) => dialogue(socket, { EHLO: () => '502 5.5.2 Command not recognized' }),
  bareRefusal: (socket: Socket) => dialogue(socket, { RCPT: () => '550 No' }),
  userUnknownInGerman: (socket: Socket) =>
    dialogue(socket, { RCPT: (line) => (line.includes('<jane@') ? '250 Ok' : '550 Empfänger unbekannt') }),
  policyForAll: (socket: Socket) => dialogue(socket, { RCPT: () => '550 5.7.1 Message rejected due to local policy' }),
  noSuchUserAs571: (socket: Socket) => dialogue(socket, { RCPT: () => '550 5.7.1 No such user!' }),
  cannotVerify: (socket: Socket) => dialogue(socket, { RCPT: () => '252 Cannot VRFY user, but will accept message' }),
  neverUtf8: (socket: Socket) => dialogue(socket, {}),
  mailboxFullLater: (socket: Socket) => dialogue(socket, { RCPT: () => '452 4.2.2 Mailbox full, over quota' }),
  tooManyRcpts: (socket: Socket) => limitedDialogue(socket, 1),
  defersAll: (socket: Socket) => dialogue(socket, { RCPT: () => '451 4.3.0 Try again later' }),
  oneRecipient: (socket: Socket) => {
    let count = 0;
    dialogue(socket, { RCPT: () => (++count > 1 ? '550 5.7.1 Not in this session' : '250 Ok') });
  },
  /** Like Courier: the first refusal is late, and each later reply is delayed longer. */
  tarpit: (socket: Socket) => {
    let stuck = false;
    dialogue(socket, {
      RCPT: (line) => {
        if (stuck) return false;
        if (line.includes('<jane@') || line.includes('<info@')) return '250 Ok.';
        stuck = true;
        setTimeout(() => socket.write('550 User <ghost> unknown\r\n'), 3_200);
        return false;
      },
    });
  },
  refusesInOwnWords: (socket: Socket) => dialogue(socket, { RCPT: () => '550 Confirm this mail server first' }),
} satisfies Record<string, (socket: Socket) => void>;

export type Habit = keyof typeof habits;

/** The loopback address of each server. */
export const addressOfHabit = Object.fromEntries(
  Object.keys(habits).map((habit, index) => [habit, `127.0.11.${index + 1}`]),
) as Record<Habit, string>;

/** Starts them all on port 25 of their addresses. */
export async function startMisbehaving() {
  const sockets = new Set<Socket>();
  const servers = await Promise.all(Object.keys(habits).map((habit) => start(habit as Habit, sockets)));
  return {
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function start(habit: Habit, sockets: Set<Socket>): Promise<Server> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    habits[habit](socket);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(25, addressOfHabit[habit], () => resolve(server));
  });
}

type Answers = Partial<Record<'EHLO' | 'MAIL' | 'RCPT', (line: string) => string | unknown>>;

/** Answers each command by the script, otherwise with `250 Ok`; a reply that is not text is not sent. */
export function dialogue(socket: Socket, answers: Answers): void {
  socket.write('220 mx.odd.vetlab.com ESMTP\r\n');
  let pending = '';
  socket.on('data', (data) => {
    pending += data.toString('utf8');
    for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 2);
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'QUIT') return void socket.end('221 Bye\r\n');
      const answer = answers[verb as keyof Answers]?.(line) ?? '250 Ok';
      if (socket.destroyed) return;
      if (typeof answer === 'string') socket.write(`${answer}\r\n`);
    }
  });
}

function limitedDialogue(socket: Socket, most: number): void {
  let count = 0;
  dialogue(socket, {
    RCPT: (line) => {
      if (++count > most) return '452 4.5.3 Too many recipients';
      return line.includes('<jane@') ? '250 2.1.5 Ok' : '550 5.1.1 No such user';
    },
  });
}

function sendEndlessly(socket: Socket, data: Buffer): void {
  const sendMore = (): void => {
    while (!socket.destroyed && socket.write(data));
  };
  socket.on('drain', sendMore);
  sendMore();
}
