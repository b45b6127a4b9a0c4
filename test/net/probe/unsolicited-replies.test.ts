import { describe, expect, test } from 'vitest';
import type { ProbeAnswer } from '../../../src/net/probe/prober.js';
import { type HostScript, startSmtpHost } from '../../fakes/smtp-host.js';
import { proberFor, request, routeTo } from './smtp-probe.js';

async function probe(email: string, script: HostScript) {
  const host = await startSmtpHost(script);
  const prober = proberFor(host);
  try {
    const answer = await prober.probe(request(email, routeTo(host), { keepDialogue: true }));
    return { answer, received: host.commands };
  } finally {
    await prober.close();
    await host.stop();
  }
}

const isProof = ({ mailbox, catchAll }: ProbeAnswer): boolean =>
  mailbox.outcome.state === 'failed' || (mailbox.outcome.state === 'passed' && catchAll.outcome !== 'inconclusive');

const repeatReply = (reply: string, count: number) => Array.from({ length: count }, () => reply).join('\r\n');
const twice = (reply: string) => repeatReply(reply, 2);
const acceptOnlyAnn = (rcpt: string) => (rcpt.startsWith('ann@') ? '250 2.1.5 Ok' : '550 5.1.1 User unknown');

describe.each([
  { name: 'accepts', reply: '250 2.1.5 Ok' },
  { name: 'refuses', reply: '550 5.1.1 User unknown' },
  { name: 'is full', reply: '552 5.2.2 Mailbox full' },
])('a host that $name before the command proves nothing', ({ reply }) => {
  test.each([
    { when: 'after its banner', script: { banner: () => `220 mx\r\n${repeatReply(reply, 300)}` } },
    { when: 'after EHLO', script: { ehlo: () => `250-mx\r\n250 PIPELINING\r\n${repeatReply(reply, 300)}` } },
    { when: 'after its banner, a few', script: { banner: () => `220 mx\r\n${repeatReply(reply, 3)}` } },
    { when: 'after EHLO, a few', script: { ehlo: () => `250-mx\r\n250 PIPELINING\r\n${repeatReply(reply, 3)}` } },
    {
      when: 'after its banner, and hangs up',
      script: { raw: (socket) => socket.end(`220 mx\r\n250 mx\r\n250 Ok\r\n${reply}\r\n550 5.1.1 User unknown\r\n`) },
    },
  ] satisfies { when: string; script: HostScript }[])('$when', async ({ script }) => {
    const { answer, received } = await probe('ann@example.com', script);
    expect(isProof(answer)).toBe(false);
    expect(answer.mailbox.outcome.state).toBe('unknown');
    const commands = answer.mailbox.dialogue.filter(({ from }) => from === 'us').map(({ text }) => text);
    expect(commands.filter((command) => /^(?:MAIL|RCPT)/.test(command))).toEqual(
      received.filter((command) => /^(?:MAIL|RCPT)/.test(command)),
    );
  });
});

describe.each(['ann@example.com', 'ghost@example.com'])('replies out of step prove nothing about %s', (email) => {
  test.each([
    { name: 'MAIL is answered twice', script: { mail: () => twice('250 2.1.0 Ok'), rcpt: acceptOnlyAnn } },
    {
      name: 'MAIL is accepted and refused',
      script: { mail: () => '250 2.1.0 Ok\r\n550 5.1.1 User unknown', rcpt: acceptOnlyAnn },
    },
    { name: 'RCPT is answered twice', script: { rcpt: (rcpt) => twice(acceptOnlyAnn(rcpt)) } },
    {
      name: 'MAIL is answered twice, without pipelining',
      script: { ehlo: () => '250 mx', mail: () => twice('250 2.1.0 Ok'), rcpt: acceptOnlyAnn },
    },
    {
      name: 'RCPT is answered twice, without pipelining',
      script: { ehlo: () => '250 mx', rcpt: (rcpt) => twice(acceptOnlyAnn(rcpt)) },
    },
  ] satisfies { name: string; script: HostScript }[])('$name', async ({ script }) => {
    expect(isProof((await probe(email, script)).answer)).toBe(false);
  });
});

test('a host whose replies are out of step is not asked again for a day', async () => {
  const host = await startSmtpHost({ rcpt: (rcpt) => twice(acceptOnlyAnn(rcpt)) });
  const prober = proberFor(host);
  const ask = async (email: string) => (await prober.probe(request(email, routeTo(host)))).mailbox.outcome;
  const unclear = { state: 'unknown', reason: 'exception_occurred' };
  expect(await ask('ann@example.com')).toEqual(unclear);
  const { connections } = host;
  expect(await ask('bob@example.com')).toEqual(unclear);
  expect(host.connections).toBe(connections);
  await prober.close();
  await host.stop();
});
