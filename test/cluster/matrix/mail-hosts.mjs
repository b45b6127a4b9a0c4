// Mail hosts and their DNS on loopback, in their own process. They record which address asked for which mailbox.
//
// Domain `dN.vetlab.com` has the mail host N modulo `hosts`. A host has the mailboxes `good…` and `grey…`; it accepts the latter only on a
// retry from the same address, `greyMs` after the first attempt. One host in `blockedEvery` refuses a worker: the first that asks one of
// them, so that a worker is refused however the slices are shared out. Each reply is delayed by `latencyMs`. A session is open until both
// sides have closed it.
//
// Messages: the reply to `report` is the record. `{ frozen: ip }`: the process at that address was suspended, so its open sessions do not
// count. `{ thawed: ip }`: sessions that it opens from now on count.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';

const { hosts, latencyMs, greyMs, blockedEvery = 0 } = JSON.parse(process.argv[2]);
const hostRecords = Array.from({ length: hosts }, () => ({ sessions: new Set(), most: 0, mostOpen: 0, worst: '' }));
const frozen = new Set();
/** By mailbox: how often it was asked for, how often it got a final answer, and from which address. */
const mailboxes = new Map();
const sources = new Map();
/** Nodes have no address of their own. */
const nodeAddress = '127.0.0.1';
let refused = null;
/** Probes from a second address within this time repeat those of a lost worker; later ones are retries of a greylisted mailbox. */
const takeoverMs = 45_000;
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
    for (const { sessions } of hostRecords)
      for (const session of sessions) if (session.source === message.frozen) session.frozen = true;
  }
});
process.send({ smtpPort, dnsPort });

function ipOf(index) {
  return `127.10.${Math.floor(index / 250)}.${(index % 250) + 1}`;
}

/** Listens with all hosts on one port: that of the first host. Starts over if the port is taken at another host. */
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
  const record = hostRecords[host];
  connections++;
  record.sessions.add(session);
  record.mostOpen = Math.max(record.mostOpen, record.sessions.size);
  // Node reports new connections before it reports earlier closes, so count after the next turn.
  setImmediate(() => setImmediate(() => countSessions(record)));
  let partialLine = '';
  let lastReply = Promise.resolve();
  const reply = (text, ends = false) => {
    const due = new Promise((resolve) => setTimeout(resolve, latencyMs));
    lastReply = Promise.all([lastReply, due]).then(() => (ends ? socket.end(text) : socket.write(text)));
  };
  socket.on('error', () => {});
  socket.on('close', () => record.sessions.delete(session));
  reply('220 mx ESMTP\r\n');
  socket.on('data', (chunk) => {
    const lines = (partialLine + chunk).split('\r\n');
    partialLine = lines.pop() ?? '';
    if (lines.length > 0)
      reply(lines.map((line) => replyTo(line, session.source, host)).join(''), lines.includes('QUIT'));
  });
}

/** Records the maximum number of open sessions of a host, and their addresses. */
function countSessions(record) {
  const live = [...record.sessions].filter((session) => !session.frozen);
  if (live.length <= record.most) return;
  record.most = live.length;
  record.worst = live
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
  const isPicky = blockedEvery > 0 && host % blockedEvery === 1;
  if (isPicky && source !== nodeAddress) refused ??= source;
  if (isPicky && source === refused) {
    refusals++;
    return `554 5.7.1 Service unavailable; Client host [${source}] blocked using zen.spamhaus.org`;
  }
  const kind = mailbox.slice(0, 4);
  if (kind !== 'good' && kind !== 'grey' && kind !== 'lost') return '550 5.1.1 User unknown';
  const record = mailboxes.get(mailbox) ?? { asked: 0, answered: 0, firstAt: new Map(), answeredFrom: null, asks: [] };
  mailboxes.set(mailbox, record);
  record.asked++;
  const firstAt = record.firstAt.get(source) ?? Date.now();
  record.firstAt.set(source, firstAt);
  if (kind === 'grey') record.asks.push(`${new Date().toISOString().slice(11, 19)} ${source}`);
  if (kind === 'grey' && Date.now() - firstAt < greyMs) return '450 4.2.0 Greylisted, come back later';
  record.answered++;
  record.answeredFrom ??= source;
  return kind === 'lost' ? '550 5.1.1 User unknown' : '250 2.1.5 Ok';
}

function report() {
  const all = [...mailboxes];
  const grey = all.filter(([mailbox]) => mailbox.startsWith('grey')).map(([, record]) => record);
  const intervals = grey.map(({ firstAt }) => Math.max(...firstAt.values()) - Math.min(...firstAt.values()));
  return {
    connections,
    mostSessions: Math.max(...hostRecords.map(({ most }) => most)),
    mostOpen: Math.max(...hostRecords.map(({ mostOpen }) => mostOpen)),
    worst: hostRecords.reduce((worst, record) => (record.most > worst.most ? record : worst)).worst,
    mailboxes: all.length,
    answeredAgain: all.reduce((sum, [, { answered }]) => sum + Math.max(0, answered - 1), 0),
    mostAnswers: all.reduce((most, [, { answered }]) => Math.max(most, answered), 0),
    grey: {
      mailboxes: grey.length,
      answered: grey.filter(({ answered }) => answered > 0).length,
      fromElsewhere: intervals.filter((ms) => ms > takeoverMs).length,
      asksOfThose: grey.filter((_, index) => intervals[index] > takeoverMs).map(({ asks }) => asks),
      longestApartMs: intervals.sort((a, b) => b - a).slice(0, 30),
    },
    refusals,
    sources: Object.fromEntries(sources),
  };
}
