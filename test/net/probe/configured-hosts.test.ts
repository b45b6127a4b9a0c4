import { afterEach, describe, expect, test } from 'vitest';
import { localCaller } from '../../../src/async/caller.js';
import type { ProbeAnswer } from '../../../src/net/probe/prober.js';
import type { SmtpProberOptions } from '../../../src/net/probe/smtp-prober.js';
import { type HostScript, type SmtpHost, startSmtpHost } from '../../fakes/smtp-host.js';
import { proberFor, request, routeTo, shortTimeouts } from './smtp-probe.js';

const hosts: SmtpHost[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.stop())));

const unknownUser = '550 5.1.1 User unknown';
const localPartOf = (rcpt: string) => rcpt.slice(0, rcpt.lastIndexOf('@'));
const accepts = (pattern: RegExp) => (rcpt: string) => (pattern.test(localPartOf(rcpt)) ? '250 ok' : unknownUser);

async function probeAll(emails: string[], script: HostScript, options: SmtpProberOptions = {}, provider?: string) {
  const host = await startSmtpHost(script);
  hosts.push(host);
  const prober = proberFor(host, options);
  const probe = (email: string) => prober.probe(request(email, routeTo(host), { provider: provider ?? null }));
  const answers = await Promise.all(emails.map(probe));
  await prober.close();
  return { answers, host, rcpts: host.commands.filter((line) => line.startsWith('RCPT')) };
}

const stateOf = ({ mailbox: { outcome } }: ProbeAnswer) => (outcome.state === 'passed' ? 'passed' : outcome.reason);

test('spellings that differ in the case of the local part (RFC 5321 §2.4) are each asked, in one session', async () => {
  const { answers, host } = await probeAll(['Frank@example.com', 'frank@example.com'], { rcpt: accepts(/^Frank$/) });
  expect(answers.map(stateOf)).toEqual(['passed', 'mailbox_not_found']);
  expect(answers.map(({ mailbox }) => mailbox.cached)).toEqual([undefined, undefined]);
  expect(host.connections).toBe(1);
});

describe('hosts that decide by the pattern of a name', () => {
  test.each([
    { name: 'any word of letters is accepted', email: 'jane@example.com', accepted: /^[a-z]+$/ },
    { name: 'any word with digits is accepted', email: 'jane77@example.com', accepted: /^[a-z]+\d+$/ },
    { name: 'names with a dot are refused', email: 'jane_doe@example.com', accepted: /^[^.]+$/ },
    { name: 'long names are refused', email: 'jane@example.com', accepted: /^.{1,15}$/ },
  ])('$name: a catch-all for addresses of that shape', async ({ email, accepted }) => {
    const { answers } = await probeAll([email], { rcpt: accepts(accepted) });
    expect(answers.map(stateOf)).toEqual(['passed']);
    expect(answers[0]?.catchAll).toMatchObject({ outcome: 'accepted', shaped: 'accepted', reply: { code: 250 } });
  });

  test.each(['jane@example.com', 'jane.doe@example.com', 'j-doe77@example.com', '4711@example.com'])(
    'a host that knows its mailboxes refuses both random ones: %s',
    async (email) => {
      const { answers } = await probeAll([email], { rcpt: (rcpt) => (rcpt === email ? '250 ok' : unknownUser) });
      expect(answers[0]?.catchAll).toMatchObject({ outcome: 'refused', reply: { code: 550 } });
      expect(answers[0]?.catchAll.shaped).toBe(email.startsWith('jane.') ? undefined : 'refused');
    },
  );

  test('a name of no known shape, and a shaped mailbox without an answer, are less certain', async () => {
    const quoted = '"a b"@example.com';
    const { answers } = await probeAll([quoted], { rcpt: (rcpt) => (rcpt === quoted ? '250 ok' : unknownUser) });
    expect(answers[0]?.catchAll).toMatchObject({ outcome: 'refused', shaped: 'unknown' });
    const limited = await probeAll(['jane@example.com'], {
      rcpt: (rcpt) =>
        rcpt.startsWith('jane@')
          ? '250 ok'
          : rcpt.includes('.c') && /\..*@/.test(rcpt)
            ? unknownUser
            : '451 4.3.0 busy',
    });
    expect(limited.answers[0]?.catchAll).toMatchObject({ outcome: 'refused', shaped: 'unknown' });
  });

  test('names of one shape share the question, and a known provider is not asked', async () => {
    const emails = ['ann@example.com', 'bob@example.com', 'eve@example.com'];
    expect((await probeAll(emails, { rcpt: accepts(/^(?:ann|bob|eve)$/) })).rcpts).toHaveLength(5);
    const known = await probeAll(emails, { rcpt: accepts(/^(?:ann|bob|eve)$/) }, { traitsOf: () => ({}) }, 'Big');
    expect(known.rcpts).toHaveLength(4);
    expect(known.answers[0]?.catchAll.shaped).toBeUndefined();
  });
});

describe('a random mailbox deferred in plain words of absence', () => {
  test.each([
    '450 4.1.1 <{}>: Recipient address rejected: User unknown in local recipient table',
    '450 4.1.1 <{}>: Recipient address rejected: unverified address: host 127.0.0.1[127.0.0.1] said: 550 5.1.1 <{}> User unknown (in reply to RCPT TO command)',
    '450 4.1.1 User unknown',
  ])('is refused, with less certainty: %s', async (reply) => {
    const { answers } = await probeAll(['ann@example.com', 'ghost@example.com'], {
      rcpt: (rcpt) => (rcpt.startsWith('ann@') ? '250 ok' : reply.replaceAll('{}', rcpt)),
    });
    expect(answers.map(stateOf)).toEqual(['passed', 'mail_server_temporary_error']);
    expect(answers[0]?.catchAll).toMatchObject({ outcome: 'refused', vague: true });
  });

  test.each([
    '450 4.1.1 <{}>: Recipient address rejected: unverified address: Address verification in progress',
    '451 4.3.0 User unknown: the user database is being rebuilt',
    '450 4.2.0 Greylisted',
  ])('is no answer if the words name another cause: %s', async (reply) => {
    const { answers, rcpts } = await probeAll(['ann.lee@example.com'], {
      rcpt: (rcpt) => (rcpt.startsWith('ann.lee@') ? '250 ok' : reply.replaceAll('{}', rcpt)),
    });
    expect(answers[0]?.catchAll.outcome).toBe('inconclusive');
    // The random one is asked in a transaction of its own, and in a fresh session.
    expect(rcpts).toHaveLength(4);
  });

  test('verification in progress is settled by the second question', async () => {
    let asked = 0;
    const { answers } = await probeAll(['ann.lee@example.com'], {
      rcpt: (rcpt) => {
        if (rcpt.startsWith('ann.lee@')) return '250 ok';
        return ++asked === 1 ? '450 4.1.1 unverified address: Address verification in progress' : unknownUser;
      },
    });
    expect(answers[0]?.catchAll).toMatchObject({ outcome: 'refused' });
  });
});

describe('a host that loses pipelined commands', () => {
  /** Answers only the first command of each packet. */
  const losesPipelined =
    (commands: string[]) =>
    (socket: import('node:net').Socket): void => {
      socket.write('220 mx.example.com ESMTP\r\n');
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        const [command = ''] = chunk.toString().split('\r\n');
        commands.push(command);
        if (command.startsWith('EHLO')) socket.write('250-mx.example.com\r\n250 PIPELINING\r\n');
        else if (command.startsWith('RCPT'))
          socket.write(command.includes('<ann@') ? '250 ok\r\n' : `${unknownUser}\r\n`);
        else socket.write('250 ok\r\n');
      });
    };

  test('is asked again without pipelining, at once from then on', async () => {
    const commands: string[] = [];
    const host = await startSmtpHost({ raw: losesPipelined(commands) });
    hosts.push(host);
    const prober = proberFor(host, { timeouts: shortTimeouts });
    const first = await prober.probe(request('ann@example.com', routeTo(host)));
    expect([stateOf(first), first.catchAll.outcome]).toEqual(['passed', 'refused']);
    const connections = host.connections;
    await expect.poll(() => host.open).toBe(0);
    expect(stateOf(await prober.probe(request('ghost@example.com', routeTo(host))))).toBe('mailbox_not_found');
    expect(host.connections).toBe(connections + 1);
    await prober.close();
  });
});

test.each([
  { name: 'one of a list is waited for', isOfList: true, want: 'passed' },
  { name: 'a single one is not', isOfList: false, want: 'timeout_exceeded' },
])('the reply to RCPT of a host that calls another one first: $name', async ({ isOfList, want }) => {
  const host = await startSmtpHost({
    extensions: [],
    raw: (socket) => {
      socket.write('220 mx.example.com ESMTP\r\n');
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        const isRcpt = chunk.toString().startsWith('RCPT');
        setTimeout(() => socket.write('250 ok\r\n'), isRcpt ? 600 : 0);
      });
    },
  });
  hosts.push(host);
  const prober = proberFor(host, { timeouts: { ...shortTimeouts, listRcptMs: 3000 } });
  const answer = await prober.probe(request('ann@example.com', routeTo(host), { isOfList }), localCaller);
  expect(stateOf(answer)).toBe(want);
  await prober.close();
});

test.each([
  '452 4.5.3 Too many recipients',
  '450 4.7.1 Error: too many invalid recipients',
  '421 4.7.0 Too many errors, slow down',
  '450 4.7.1 Rate limit exceeded',
])('after a limit: no further question is asked in that session, and the next one waits: %s', async (limit) => {
  const times: { connection: number; at: number }[] = [];
  const host = await startSmtpHost({
    extensions: [],
    rcpt: (rcpt, nth, connection) => {
      times.push({ connection, at: performance.now() });
      if (nth > 2) return limit;
      return rcpt.startsWith('good') ? '250 ok' : unknownUser;
    },
  });
  hosts.push(host);
  const prober = proberFor(host, { backoffMs: 300, traitsOf: () => ({ maxSessions: 1 }) });
  const emails = Array.from({ length: 4 }, (_, index) => `good${index}@example.com`);
  await Promise.all(emails.map((email) => prober.probe(request(email, routeTo(host), { provider: 'Big' }))));
  await prober.close();
  const [first = []] = [times.filter(({ connection }) => connection === 1)];
  expect(first).toHaveLength(3);
  const next = times.find(({ connection }) => connection === 2);
  if (next !== undefined) expect(next.at - (first.at(-1)?.at ?? 0)).toBeGreaterThanOrEqual(290);
});
