// Mail hosts and their DNS on loopback, in a process of their own, that keep books of who asked them for what.
//
// Domain `dN.vetlab.com` has the mail host N modulo `hosts`. A host knows the mailboxes `good…` and `grey…`, the latter only for who
// comes back from the same address `greyMs` after the first time; one host in `blockedEvery` refuses the address `blocked`. Each reply is
// `latencyMs` late. A session is open until it is closed on both sides. Messages: `report` is answered with the books; `{ frozen: ip }`
// says that the process behind that address was stopped: the sessions that it has then stay open, whoever takes over its work, and are
// nobody's fault. `{ thawed: ip }`: those that it opens from now on count.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';

const { hosts, latencyMs, greyMs, blocked, blockedEvery = 10 } = JSON.parse(process.argv[2]);
const books = Array.from({ length: hosts }, () => ({ sessions: new Set(), most: 0, mostOpen: 0, worst: '' }));
const frozen = new Set();
/** By mailbox: how often it was asked for, how often that was answered for good, and from where. */
const mailboxes = new Map();
const sources = new Map();
/** A question that was lost with its worker is put by another as soon as that is known; what waits for a greylist, after a minute. */
const soonMs = 45_000;
let connections = 0;
let refusals = 0;

const smtpPort = await listenAll();
const addresses = Array.from({ length: hosts }, (_, index) => ipOf(index));
const [dnsPort] = await once(
  new Worker(new URL('./dns.mjs', import.meta.url), { workerData: { addresses } }),
  'message',
);
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message === 'report') process.send(report());
  else if (message.thawed !== undefined) frozen.delete(message.thawed);
  else {
    frozen.add(message.frozen);
    for (const { sessions } of books)
      for (const session of sessions) if (session.source === message.frozen) session.frozen = true;
  }
});
process.send({ smtpPort, dnsPort });

function ipOf(index) {
  return `127.10.${Math.floor(index / 250)}.${(index % 250) + 1}`;
}

/** One port for all: the first host takes any that is free, and where it is taken at another, all begin again. */
async function listenAll() {
  for (;;) {
    const servers = [];
    let port = 0;
    try {
      for (let index = 0; index < hosts; index++) {
        const server = createServer({ noDelay: true }, (socket) => serve(socket, index));
        servers.push(server);
        await new Promise((resolve, reject) => {
          server.once('error', reject);
          server.listen({ host: ipOf(index), port, backlog: 512 }, resolve);
        });
        port = server.address().port;
      }
      return port;
    } catch (error) {
      for (const server of servers) server.close();
      if (error.code !== 'EADDRINUSE') throw error;
    }
  }
}

function serve(socket, host) {
  const session = { source: socket.remoteAddress, frozen: frozen.has(socket.remoteAddress) };
  const book = books[host];
  connections++;
  book.sessions.add(session);
  book.mostOpen = Math.max(book.mostOpen, book.sessions.size);
  // Node tells of new connections before it tells of those that were closed before them: what came in this turn is known after the next.
  setImmediate(() => setImmediate(() => count(book)));
  let rest = '';
  let ready = Promise.resolve();
  const later = (text, ends = false) => {
    const due = new Promise((resolve) => setTimeout(resolve, latencyMs));
    ready = Promise.all([ready, due]).then(() => (ends ? socket.end(text) : socket.write(text)));
  };
  socket.on('error', () => {});
  socket.on('close', () => book.sessions.delete(session));
  later('220 mx ESMTP\r\n');
  socket.on('data', (chunk) => {
    const lines = (rest + chunk).split('\r\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0)
      later(lines.map((line) => replyTo(line, session.source, host)).join(''), lines.includes('QUIT'));
  });
}

/** Notes how many sessions a host has open, and whose they are where there were never more. */
function count(book) {
  const live = [...book.sessions].filter((session) => !session.frozen);
  if (live.length <= book.most) return;
  book.most = live.length;
  book.worst = live
    .map(({ source }) => source)
    .sort()
    .join(' ');
}

function replyTo(line, source, host) {
  if (line.startsWith('RCPT'))
    return `${replyToRcpt(line.slice(line.indexOf('<') + 1, line.indexOf('>')), source, host)}\r\n`;
  if (line.startsWith('EHLO')) return '250-mx\r\n250-PIPELINING\r\n250 ENHANCEDSTATUSCODES\r\n';
  return line === 'QUIT' ? '221 2.0.0 Bye\r\n' : '250 2.0.0 Ok\r\n';
}

function replyToRcpt(mailbox, source, host) {
  sources.set(source, (sources.get(source) ?? 0) + 1);
  if (source === blocked && host % blockedEvery === 1) {
    refusals++;
    return `554 5.7.1 Service unavailable; Client host [${source}] blocked using zen.spamhaus.org`;
  }
  const kind = mailbox.slice(0, 4);
  if (kind !== 'good' && kind !== 'grey' && kind !== 'lost') return '550 5.1.1 User unknown';
  const book = mailboxes.get(mailbox) ?? { asked: 0, answered: 0, firstAt: new Map(), answeredFrom: null, asks: [] };
  mailboxes.set(mailbox, book);
  book.asked++;
  const firstAt = book.firstAt.get(source) ?? Date.now();
  book.firstAt.set(source, firstAt);
  if (kind === 'grey') book.asks.push(`${new Date().toISOString().slice(11, 19)} ${source}`);
  if (kind === 'grey' && Date.now() - firstAt < greyMs) return '450 4.2.0 Greylisted, come back later';
  book.answered++;
  book.answeredFrom ??= source;
  return kind === 'lost' ? '550 5.1.1 User unknown' : '250 2.1.5 Ok';
}

function report() {
  const all = [...mailboxes];
  const grey = all.filter(([mailbox]) => mailbox.startsWith('grey')).map(([, book]) => book);
  const apart = grey.map(({ firstAt }) => Math.max(...firstAt.values()) - Math.min(...firstAt.values()));
  return {
    connections,
    mostSessions: Math.max(...books.map(({ most }) => most)),
    mostOpen: Math.max(...books.map(({ mostOpen }) => mostOpen)),
    worst: books.reduce((one, other) => (other.most > one.most ? other : one)).worst,
    mailboxes: all.length,
    answeredAgain: all.reduce((sum, [, { answered }]) => sum + Math.max(0, answered - 1), 0),
    mostAnswers: all.reduce((most, [, { answered }]) => Math.max(most, answered), 0),
    grey: {
      mailboxes: grey.length,
      answered: grey.filter(({ answered }) => answered > 0).length,
      fromElsewhere: apart.filter((ms) => ms > soonMs).length,
      asksOfThose: grey.filter((_, index) => apart[index] > soonMs).map(({ asks }) => asks),
      longestApartMs: apart.sort((a, b) => b - a).slice(0, 30),
    },
    refusals,
    sources: Object.fromEntries(sources),
  };
}
