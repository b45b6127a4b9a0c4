import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { CatchAllEvidence } from '../../../src/model/evidence.js';
import { type HostScript, type SmtpHost, startSmtpHost } from '../../fakes/smtp-host.js';
import { proberFor, request, routeTo, shortTimeouts, timeouts } from './smtp-probe.js';

const known = 'ann@example.com';
const impatient = { timeouts: shortTimeouts };
const unknownUser = '550 5.1.1 User unknown';

async function probeOne(script: HostScript, email = known, options = {}) {
  const host = await startSmtpHost(script);
  const prober = proberFor(host, options);
  try {
    return { answer: await prober.probe(request(email, routeTo(host), { keepDialogue: true })), host };
  } finally {
    await prober.close();
    await host.stop();
  }
}

const only =
  (...accepted: string[]) =>
  (rcpt: string) =>
    accepted.includes(rcpt) ? '250 ok' : unknownUser;

type Case = [
  name: string,
  script: HostScript,
  want: string,
  catchAll?: CatchAllEvidence['outcome'] | undefined,
  more?: { email?: string; options?: object },
];

const sendSlowly = (text: string, everyMs: number) => (socket: Socket) => {
  const bytes = [...text];
  const timer = setInterval(() => {
    const byte = bytes.shift();
    if (byte === undefined || socket.destroyed) clearInterval(timer);
    else socket.write(byte);
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
};

const flood = (socket: Socket) => {
  const block = Buffer.alloc(64 * 1024, 'x');
  let sent = 0;
  const sendNext = () => {
    while (sent < 100 * 1024 * 1024 && !socket.destroyed) {
      sent += block.length;
      if (!socket.write(block)) return;
    }
  };
  socket.on('drain', sendNext);
  sendNext();
};

const knownElse = (other: string): HostScript => ({ rcpt: (rcpt) => (rcpt === known ? '250 ok' : other) });

const mustStartTls: HostScript = {
  starttls: 'works',
  mail: (_command, secured) => (secured ? '250 ok' : '530 5.7.0 Must issue a STARTTLS command first'),
  rcpt: only(known),
};

test.each<Case>([
  ['accepted, and the random mailbox refused', { rcpt: only(known) }, 'passed', 'refused'],
  ['accepted like everything else', {}, 'passed', 'accepted'],
  ['refused', { rcpt: only() }, 'mailbox_not_found', 'not_run'],
  ['refused without text, like every mailbox', { rcpt: () => '550 no' }, 'antispam_system', 'refused'],
  [
    'refused without text, unlike the random mailbox',
    { rcpt: (rcpt) => (rcpt === known ? '550 no' : '250 ok') },
    'antispam_system',
    'accepted',
  ],
  ['the random mailbox is greylisted', knownElse('451 4.7.1 Greylisted'), 'passed', 'inconclusive'],
  [
    'the random mailbox is limited in the first session only',
    { rcpt: (rcpt, nth) => (nth > 1 ? '450 4.7.1 slow down' : only(known)(rcpt)) },
    'passed',
    'refused',
  ],
  ['the random mailbox is refused as relaying', knownElse('550 5.7.1 Unable to relay'), 'passed', 'refused'],
  ['the host cannot verify', { rcpt: () => '252 maybe' }, 'passed', 'accepted'],
  ['a provider that accepts all', {}, 'passed', 'accepted', { options: { traitsOf: () => ({ acceptsAll: true }) } }],
  ['greylisted', { rcpt: () => '450 4.2.0 Greylisted' }, 'greylisted', 'not_run'],
  ['full', { rcpt: () => '552 5.2.2 full' }, 'mailbox_quota_exceeded'],
  ['disabled', { rcpt: () => '550 5.2.1 disabled' }, 'mailbox_disabled'],
  ['blocked', { rcpt: () => '554 5.7.1 blocked using zen.spamhaus.org' }, 'antispam_system'],
  [
    'busy, which proves that it exists',
    { rcpt: (rcpt) => (rcpt === known ? '450 4.2.1 receiving mail at a rate' : unknownUser) },
    'passed',
    'refused',
  ],
  ['a sequence error after an early command', { rcpt: () => '550 5.5.1 Protocol error' }, 'antispam_system'],
  ['a banner in two halves', { banner: () => '220-wait\n220 mx', rcpt: only(known) }, 'passed', 'refused'],
  ['no PIPELINING', { extensions: [], rcpt: only(known) }, 'passed', 'refused'],
  ['HELO only', { ehlo: () => '502 what?', rcpt: only(known) }, 'passed', 'refused'],
  ['EHLO refused', { ehlo: () => '550 no' }, 'sender_rejected'],
  ['HELO refused', { ehlo: () => '500 no', helo: () => '550 no' }, 'sender_rejected'],
  ['a banner of 554', { banner: () => '554 no' }, 'antispam_system'],
  ['a banner of 421', { banner: () => '421 4.7.0 too many connections' }, 'rate_limited'],
  ['silence', { banner: () => null }, 'mail_server_did_not_respond', undefined, { options: impatient }],
  ['a disconnect instead of a banner', { banner: () => 'drop' }, 'mail_server_did_not_respond'],
  ['silence after EHLO', { ehlo: () => null }, 'timeout_exceeded', undefined, { options: impatient }],
  ['silence after RCPT', { rcpt: () => null }, 'timeout_exceeded', undefined, { options: impatient }],
  ['a disconnect at EHLO', { ehlo: () => 'drop' }, 'forcible_disconnect'],
  ['a disconnect at RCPT', { rcpt: () => 'drop' }, 'forcible_disconnect'],
  ['garbage', { banner: () => 'HTTP/1.1 400 Bad Request' }, 'exception_occurred'],
  ['garbage after RCPT', { rcpt: () => 'what?' }, 'exception_occurred'],
  ['a reply before the first command', { banner: () => '220 mx\n250 mx', rcpt: only(known) }, 'exception_occurred'],
  [
    'a second banner after the first command',
    { ehlo: () => '220 mx\n250 mx', rcpt: only(known) },
    'exception_occurred',
  ],
  [
    'two replies to MAIL, the second looking like one to RCPT',
    { extensions: [], mail: () => '250 ok\n550 5.1.1 User unknown', rcpt: only(known) },
    'forcible_disconnect',
  ],
  ['100 MB in one line', { raw: flood }, 'exception_occurred'],
  ['one byte at a time, in time', { raw: sendSlowly('554 no\r\n', 5) }, 'antispam_system'],
  [
    'one byte at a time, too slowly',
    { raw: sendSlowly('220 mx.example.com ESMTP\r\n', 100) },
    'timeout_exceeded',
    undefined,
    { options: impatient },
  ],
  ['421 at RCPT', { rcpt: () => '421 4.3.2 closing' }, 'mail_server_temporary_error'],
  ['too many recipients at once', { rcpt: () => '452 4.5.3 too many' }, 'rate_limited'],
  ...['550 5.7.1 Not in this session', '550 Denied', '550 No'].map(
    (second): Case => [
      `a host that takes all, but only one a session: ${second}`,
      { rcpt: (_rcpt: string, nth: number) => (nth > 1 ? second : '250 ok') },
      'passed',
      'accepted',
    ],
  ),
  ...['550 5.7.1 Not for you', '550 Denied', '550 No'].map(
    (refusal): Case => [
      `a host that has no better word for the unknown than ${refusal}`,
      knownElse(refusal),
      'passed',
      'refused',
    ],
  ),
  ['MAIL refused with every sender', { mail: () => '550 5.7.1 no' }, 'sender_rejected'],
  [
    'the null sender refused',
    { mail: (command) => (command.includes('<>') ? '550 no' : '250 ok'), rcpt: only(known) },
    'passed',
    'refused',
  ],
  [
    'the null sender refused at RCPT',
    { rcpt: (rcpt, _nth, _connection, sender) => (sender === '' ? '550 Sender verify failed' : only(known)(rcpt)) },
    'passed',
    'refused',
  ],
  [
    'a configured sender refused, the null sender not',
    {
      rcpt: (rcpt, _nth, _connection, sender) =>
        sender === '' ? only(known)(rcpt) : '450 4.1.8 Sender address rejected',
    },
    'passed',
    'refused',
    { options: { mailFrom: 'probe@example.net' } },
  ],
  [
    'a host that finds no mailbox of the sender',
    { rcpt: () => '550 5.1.1 <probe@example.net>: user unknown' },
    'antispam_system',
    undefined,
    { options: { mailFrom: 'probe@example.net' } },
  ],
  ['STARTTLS', { starttls: 'works', rcpt: only(known) }, 'passed', 'refused'],
  ['STARTTLS demanded', mustStartTls, 'passed', 'refused'],
  [
    'a refusal that echoes an address with the name of TLS',
    { starttls: 'breaks', rcpt: () => '550 5.1.1 <tls@python.org> User unknown' },
    'mailbox_not_found',
    undefined,
    { options: { tls: 'required' } },
  ],
  [
    'STARTTLS demanded though not offered',
    { ...mustStartTls, ehlo: () => '250-mx\n250 PIPELINING' },
    'passed',
    'refused',
  ],
  ['STARTTLS demanded, with tls required', mustStartTls, 'passed', 'refused', { options: { tls: 'required' } }],
  [
    'STARTTLS demanded in other words',
    {
      starttls: 'works',
      mail: (_command, secured) => (secured ? '250 ok' : '451 4.7.1 Encryption needed, please use TLS'),
      rcpt: only(known),
    },
    'passed',
    'refused',
    { options: { tls: 'required' } },
  ],
  ['STARTTLS that breaks', { starttls: 'breaks', rcpt: only(known) }, 'passed', 'refused'],
  [
    'STARTTLS that works, then a disconnect',
    { starttls: 'works', ehlo: (_name, secured) => (secured ? 'drop' : '250-mx\n250 STARTTLS'), rcpt: only(known) },
    'passed',
    'refused',
  ],
  [
    'SMTPUTF8 offered',
    { extensions: ['SMTPUTF8'], rcpt: only('jürgen@example.com') },
    'passed',
    'refused',
    { email: 'jürgen@example.com' },
  ],
  ['SMTPUTF8 not offered', {}, 'smtputf8_unsupported', undefined, { email: 'jürgen@example.com' }],
  ['a local part with a line break', {}, 'exception_occurred', undefined, { email: 'a\r\nDATA@example.com' }],
])('one mailbox, one host: %s', async (_name, script, want, catchAll, { email, options } = {}) => {
  const { answer } = await probeOne(script, email, options);
  const { outcome } = answer.mailbox;
  expect(outcome.state === 'passed' ? 'passed' : outcome.reason).toBe(want);
  if (catchAll !== undefined) expect(answer.catchAll.outcome).toBe(catchAll);
});

test.each([
  { random: '450 4.2.0 Greylisted', want: 'greylisted', comeBack: true },
  { random: '450 4.7.1 Error: too many recipients from 192.0.2.1', want: 'rate_limited', comeBack: true },
  { random: '451 4.3.0 User unknown, try again later', want: 'mail_server_temporary_error', comeBack: true },
  { random: '452 4.2.2 Mailbox full', want: 'mail_server_temporary_error', comeBack: false },
  { random: 'drop', want: 'forcible_disconnect', comeBack: false },
])('an accepted mailbox with an inconclusive random mailbox: $random → $want', async ({ random, want, comeBack }) => {
  const { answer } = await probeOne({ rcpt: (rcpt) => (rcpt === known ? '250 ok' : random) });
  expect(answer.mailbox.outcome.state).toBe('passed');
  expect(answer.catchAll).toMatchObject({ outcome: 'inconclusive', reason: want });
  expect(answer.mailbox.retryAt !== null).toBe(comeBack);
});

describe('the commands', () => {
  test('only EHLO, MAIL, RCPT and QUIT, real mailbox first', async () => {
    const { host, answer } = await probeOne({ rcpt: only(known) });
    expect(host.commands.map((line) => line.split(' ')[0]).slice(0, 4)).toEqual(['EHLO', 'MAIL', 'RCPT', 'RCPT']);
    expect(host.commands[0]).toBe('EHLO probe.example.net');
    expect(host.commands[1]).toBe('MAIL FROM:<>');
    expect(host.commands[2]).toBe('RCPT TO:<ann@example.com>');
    expect(host.commands[3]).toMatch(/^RCPT TO:<[a-z.]{16,}@example\.com>$/);
    expect(host.connections).toBe(1);
    expect(answer.mailbox).toMatchObject({ host: 'mx0.example.com', ip: '127.0.0.1', rule: 'basic:250' });
  });

  test('the dialogue with a second host contains its greeting, once', async () => {
    const first = await startSmtpHost({ rcpt: () => '421 4.7.0 too many connections' });
    const second = await startSmtpHost({ banner: () => '220 backup.example' }, { ip: '127.0.0.2', port: first.port });
    const prober = proberFor(first);
    const { mailbox } = await prober.probe(request('ann@example.com', routeTo(first, second), { keepDialogue: true }));
    const lines = mailbox.dialogue.map(({ text }) => text);
    expect(lines.filter((text) => text === '220 backup.example')).toHaveLength(1);
    expect(lines.indexOf('220 backup.example')).toBeGreaterThan(lines.indexOf('421 4.7.0 too many connections'));
    await prober.close();
    await first.stop();
    await second.stop();
  });

  test('the dialogue is recorded from the connect to the random mailbox', async () => {
    const { answer } = await probeOne({ rcpt: only(known) });
    const lines = answer.mailbox.dialogue.map(({ from, text }) => `${from}: ${text}`);
    expect(lines).toEqual([
      expect.stringMatching(/^note: connecting to mx0\.example\.com \[127\.0\.0\.1\]:\d+$/),
      'host: 220 mx.example.com ESMTP',
      'us: EHLO probe.example.net',
      'host: 250-mx.example.com',
      'host: 250 PIPELINING',
      'us: MAIL FROM:<>',
      'us: RCPT TO:<ann@example.com>',
      expect.stringMatching(/^us: RCPT TO:<[a-z.]{16,}@example\.com>$/),
      expect.stringMatching(/^us: RCPT TO:<[a-z]{12}@example\.com>$/),
      'host: 250 2.1.0 Ok',
      'host: 250 ok',
      'host: 550 5.1.1 User unknown',
      'host: 550 5.1.1 User unknown',
    ]);
    expect(answer.mailbox.dialogue.every(({ atMs }) => atMs >= 0)).toBe(true);
  });

  test.each([
    { tls: 'offered', says: true },
    { tls: 'required', says: false },
  ])('a host that offers STARTTLS, with TLS $tls, gets $says', async ({ tls, says }) => {
    const { host } = await probeOne({ starttls: 'works', rcpt: only(known) }, known, { tls });
    expect(host.commands.includes('STARTTLS')).toBe(says);
  });

  test('a host that requires TLS is tried without it only once', async () => {
    const host = await startSmtpHost({
      ...mustStartTls,
      // Three mailboxes were asked for without TLS and refused.
      rcpt: (rcpt, nth) => (nth > 5 ? '421 one at a time' : only(known)(rcpt)),
    });
    const prober = proberFor(host, { tls: 'required' });
    const { mailbox, catchAll } = await prober.probe(request(known, routeTo(host)));
    expect([mailbox.outcome.state, catchAll.outcome]).toEqual(['passed', 'refused']);
    const mails = host.commands.filter((line) => line.startsWith('MAIL'));
    const handshakes = host.commands.filter((line) => line === 'STARTTLS');
    expect([host.connections, handshakes.length, mails.length]).toEqual([2, 2, 3]);
    await prober.close();
    await host.stop();
  });

  test('SMTPUTF8 is sent only if it is needed', async () => {
    const script = { extensions: ['SMTPUTF8', 'PIPELINING'], rcpt: only('jürgen@example.com') };
    const { host } = await probeOne(script, 'jürgen@example.com');
    expect(host.commands.filter((line) => line.startsWith('MAIL'))).toEqual(['MAIL FROM:<> SMTPUTF8', 'MAIL FROM:<>']);
  });

  test('no command is sent before the whole banner has arrived', async () => {
    const early: string[] = [];
    const raw = (socket: Socket): void => {
      socket.on('data', (chunk) => early.push(chunk.toString()));
      socket.write('220-wait\r\n');
    };
    expect((await probeOne({ raw }, known, impatient)).host.connections).toBe(1);
    expect(early.join('')).not.toContain('EHLO');
  });
});

test.each([
  ['one after the other', false],
  ['at once', true],
])('several domains, one host: a sender that one domain rejects is used for the next: %s', async (_name, atOnce) => {
  const minds: Record<string, string> = { 'a.example': 'probe@example.net', 'b.example': '' };
  const host = await startSmtpHost({
    rcpt: (rcpt, _nth, _connection, sender) => {
      const [local, domain = ''] = rcpt.split('@');
      if (minds[domain] === sender) return '550 Sender rejected';
      return local === 'ann' ? '250 ok' : unknownUser;
    },
  });
  const prober = proberFor(host, { mailFrom: 'probe@example.net' });
  try {
    const ask = (email: string) => prober.probe(request(email, routeTo(host)));
    const emails = ['ann@a.example', 'ann@b.example', 'bob@a.example', 'bob@b.example'];
    const answers = [];
    if (atOnce) answers.push(...(await Promise.all(emails.map(ask))));
    else for (const email of emails) answers.push(await ask(email));
    expect(answers.map(({ mailbox }) => mailbox.outcome.state)).toEqual(['passed', 'passed', 'failed', 'failed']);
    expect(answers.map(({ catchAll }) => catchAll.outcome).slice(0, 2)).toEqual(['refused', 'refused']);
  } finally {
    await prober.close();
    await host.stop();
  }
});

describe('several hosts', () => {
  async function probeOver(scripts: (HostScript | 'dead')[], email = known) {
    const hosts: SmtpHost[] = [];
    for (const [index, script] of scripts.entries()) {
      const where = { ip: `127.0.${index}.7`, ...(hosts[0] === undefined ? {} : { port: hosts[0].port }) };
      const host = await startSmtpHost(script === 'dead' ? {} : script, where);
      if (script === 'dead') await host.stop();
      hosts.push(host);
    }
    const [first] = hosts;
    if (first === undefined) throw new Error('no hosts');
    const prober = proberFor(first, { timeouts: { ...timeouts, bannerMs: 1000 } });
    try {
      return { answer: await prober.probe(request(email, routeTo(...hosts))), hosts };
    } finally {
      await prober.close();
      for (const host of hosts) await host.stop();
    }
  }

  const good: HostScript = { rcpt: only(known, 'jürgen@example.com'), extensions: ['PIPELINING', 'SMTPUTF8'] };

  test.each<[name: string, want: string, hosts: (HostScript | 'dead')[], email?: string]>([
    ['a dead first host', 'passed', ['dead', good]],
    ['a silent first host', 'passed', [{ banner: () => null }, good]],
    ['a first host that refuses the client', 'passed', [{ banner: () => '554 no' }, good]],
    ['a busy first host', 'passed', [{ banner: () => '421 busy' }, good]],
    ['a first host that refuses the sender', 'passed', [{ mail: () => '550 no' }, good]],
    ['a first host that disconnects at RCPT', 'passed', [{ rcpt: () => 'drop' }, good]],
    ['a first host that sends 421 at RCPT', 'passed', [{ rcpt: () => '421 no' }, good]],
    ['all dead', 'failed_smtp_connection', ['dead', 'dead']],
    ['a refusal with text before a dead host', 'antispam_system', [{ banner: () => '554 no' }, 'dead']],
    ['SMTPUTF8 at the second host', 'passed', [{}, good], 'jürgen@example.com'],
    ['SMTPUTF8 nowhere', 'smtputf8_unsupported', [{}, {}], 'jürgen@example.com'],
    ['SMTPUTF8 only possible at a dead host', 'failed_smtp_connection', [{}, 'dead'], 'jürgen@example.com'],
    ['a refused mailbox is not probed elsewhere', 'mailbox_not_found', [{ rcpt: () => unknownUser }, good]],
  ])('%s → %s', async (_name, want, hosts, email) => {
    const { answer } = await probeOver(hosts, email);
    const { outcome } = answer.mailbox;
    expect(outcome.state === 'passed' ? 'passed' : outcome.reason).toBe(want);
  });

  test('a strict first host proves nothing about an address that a lax second one accepted', async () => {
    let full = false;
    const strict = await startSmtpHost(
      { rcpt: (rcpt) => (full ? '421 later' : only(known)(rcpt)) },
      { ip: '127.0.0.7' },
    );
    const lax = await startSmtpHost({}, { ip: '127.0.1.7', port: strict.port });
    const prober = proberFor(strict);
    const route = routeTo(strict, lax);
    expect((await prober.probe(request(known, route))).catchAll.outcome).toBe('refused');
    full = true;
    expect((await prober.probe(request('ghost@example.com', route))).catchAll.outcome).toBe('accepted');
    await prober.close();
    for (const host of [strict, lax]) await host.stop();
  });

  test('the random mailbox is probed only at the host that accepted the real one', async () => {
    const lax: HostScript = { rcpt: (rcpt) => (rcpt === known ? '250 ok' : 'drop') };
    const { answer } = await probeOver([{ rcpt: (rcpt) => (rcpt === known ? '421 later' : unknownUser) }, lax]);
    expect(answer.catchAll).toMatchObject({ outcome: 'inconclusive', reason: 'forcible_disconnect' });
  });

  test('a route without a host is a failed connection', async () => {
    const prober = proberFor({ port: 1 }, { timeouts });
    const answer = await prober.probe(request(known, { hosts: [], implicit: false }));
    expect(answer.mailbox.outcome).toEqual({ state: 'unknown', reason: 'failed_smtp_connection' });
    await prober.close();
  });

  test('a host name is never dialed', async () => {
    const prober = proberFor({ port: 1 });
    const answer = await prober.probe(request(known, routeTo({ ip: 'localhost' }, { ip: '' })));
    expect(answer.mailbox.outcome).toEqual({ state: 'unknown', reason: 'failed_smtp_connection' });
    await prober.close();
  });
});
