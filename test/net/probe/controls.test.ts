import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/async/clock.js';
import type { ProbeAnswer } from '../../../src/net/probe/prober.js';
import { fakeClock } from '../../fakes/clock.js';
import { type HostScript, startSmtpHost } from '../../fakes/smtp-host.js';
import { unclearRefusals, vagueRefusals } from '../../fixtures/vague-refusals.js';
import { proberFor, request, routeTo } from './smtp-probe.js';

async function probeInTurn(emails: string[], script: HostScript) {
  const host = await startSmtpHost(script);
  const prober = proberFor(host);
  const answers: ProbeAnswer[] = [];
  try {
    for (const email of emails) answers.push(await prober.probe(request(email, routeTo(host), { keepDialogue: true })));
    return { answers, rcpts: host.commands.filter((line) => line.startsWith('RCPT')) };
  } finally {
    await prober.close();
    await host.stop();
  }
}

const reasonOf = ({ mailbox: { outcome } }: ProbeAnswer) => (outcome.state === 'passed' ? 'passed' : outcome.reason);
const knows =
  (...names: string[]) =>
  (refusal: string): HostScript => ({
    rcpt: (rcpt) => (names.includes(rcpt.split('@')[0] ?? '') ? '250 ok' : refusal.replace('{}', rcpt)),
  });
const ghost = 'ghost@example.com';

describe.each(vagueRefusals)('%s', (refusal) => {
  test('of every mailbox proves nothing about one', async () => {
    const { answers, rcpts } = await probeInTurn([ghost, 'spook@example.com'], knows()(refusal));
    expect(answers.map(reasonOf)).toEqual(['antispam_system', 'antispam_system']);
    expect(answers[0]?.mailbox.controls).toMatchObject({
      random: { code: Number(refusal.slice(0, 3)) },
      known: { mailbox: 'postmaster' },
      decides: 'refuses_everybody',
    });
    // The two mailboxes, the random one in two sessions, the one of their shape, and postmaster once.
    expect(rcpts).toHaveLength(6);
  });

  test('with postmaster accepted, proves an absence only if every word is a bare refusal', async () => {
    const { answers } = await probeInTurn([ghost, 'spook@example.com'], knows('postmaster')(refusal));
    const reason = unclearRefusals.includes(refusal) ? 'antispam_system' : 'mailbox_not_found';
    expect(answers.map(reasonOf)).toEqual([reason, reason]);
    expect(answers[0]?.mailbox.controls).toMatchObject({
      known: { mailbox: 'postmaster', reply: { code: 250 } },
      decides: unclearRefusals.includes(refusal) ? 'nothing' : 'tells_mailboxes_apart',
    });
  });

  test('is about the mailbox if another one was accepted, and is accepted again after the refusal', async () => {
    const { answers, rcpts } = await probeInTurn(['ann@example.com', ghost], knows('ann')(refusal));
    expect(answers.map(reasonOf)).toEqual(['passed', 'mailbox_not_found']);
    expect(answers[1]?.mailbox.controls?.known?.mailbox).toBe('accepted_before');
    expect(rcpts.some((line) => line.includes('postmaster'))).toBe(false);
  });

  test.each([[['ann@example.com', ghost]], [[ghost, 'ann@example.com']]])(
    'means the same if postmaster is refused, in any order of the list: %s',
    async (emails) => {
      const host = await startSmtpHost(knows('ann')(refusal));
      const prober = proberFor(host);
      const answers = await Promise.all(emails.map((email) => prober.probe(request(email, routeTo(host)))));
      expect(
        Object.fromEntries(emails.map((email, index) => [email, answers[index] && reasonOf(answers[index])])),
      ).toEqual({ 'ann@example.com': 'passed', [ghost]: 'mailbox_not_found' });
      await prober.close();
      await host.stop();
    },
  );

  test('of the random mailbox next to an accepted one proves the accepted one', async () => {
    const { answers } = await probeInTurn(['ann@example.com'], knows('ann')(refusal));
    expect(answers[0]?.catchAll).toMatchObject({ outcome: 'refused', vague: true });
    expect(answers[0]?.mailbox.controls?.decides).toBe('tells_mailboxes_apart');
  });
});

describe('control mailboxes', () => {
  test.each([
    { name: 'the random mailbox is accepted', random: '250 ok', decides: 'minds_something_else' },
    { name: 'the random mailbox is refused in another way', random: '550 5.1.1 User unknown', decides: 'nothing' },
    { name: 'the random mailbox is deferred', random: '451 4.3.0 try later', decides: 'nothing' },
    { name: 'the random mailbox gets no answer', random: 'drop', decides: 'nothing' },
  ])('$name: unknown', async ({ random, decides }) => {
    const { answers, rcpts } = await probeInTurn([ghost], {
      rcpt: (rcpt) => (rcpt === ghost ? '550 no' : rcpt.startsWith('postmaster') ? '250 ok' : random),
    });
    expect(answers.map(reasonOf)).toEqual(['antispam_system']);
    expect(answers[0]?.mailbox.controls?.decides).toBe(decides);
    expect(rcpts.some((line) => line.includes('postmaster'))).toBe(false);
  });

  test.each(['550 5.7.1 Access denied', '554 5.7.1 Recipient address rejected', '550 rejected for policy reasons'])(
    'a host that exempts postmaster from its policy proves nothing about other mailboxes: %s',
    async (policy) => {
      const { answers } = await probeInTurn([ghost, 'ann@example.com'], knows('postmaster')(policy));
      expect(answers.map(reasonOf)).toEqual(['antispam_system', 'antispam_system']);
    },
  );

  test('postmaster is not a control for itself', async () => {
    const { answers } = await probeInTurn(['postmaster@example.com'], knows()('550 no'));
    expect(answers.map(reasonOf)).toEqual(['antispam_system']);
  });

  test('an acceptance by one domain proves nothing about another', async () => {
    const { answers } = await probeInTurn(['ann@example.com', 'ghost@example.org'], {
      rcpt: (rcpt) => (rcpt === 'ann@example.com' ? '250 ok' : '550 no'),
    });
    expect(answers.map(reasonOf)).toEqual(['passed', 'antispam_system']);
  });

  test.each(['554 5.7.1 blocked using zen.spamhaus.org', '550 5.7.25 no reverse name', '550 relay not permitted'])(
    'a host that accepts one mailbox and refuses another in any words distinguishes them: %s',
    async (refusal) => {
      const { answers } = await probeInTurn(['ann@example.com'], knows('ann')(refusal));
      expect(answers[0]?.catchAll).toMatchObject({ outcome: 'refused', vague: true });
    },
  );

  test('a host that then refuses the real mailbox, too, is blocking the client', async () => {
    const { answers } = await probeInTurn(['ann@example.com'], {
      rcpt: (_rcpt, nth, connection) => (connection === 1 && nth === 1 ? '250 ok' : '550 5.7.1 blocked'),
    });
    expect(answers[0]?.mailbox.outcome.state).toBe('passed');
    expect(answers[0]?.catchAll).toMatchObject({ outcome: 'inconclusive', reason: 'antispam_system' });
  });

  test('no session gets more than nine refusals, control mailboxes included', async () => {
    const refusals = new Map<number, number>();
    const host = await startSmtpHost({
      rcpt: (rcpt, _nth, connection) => {
        if (rcpt.startsWith('postmaster')) return '250 ok';
        refusals.set(connection, (refusals.get(connection) ?? 0) + 1);
        return '550 mailbox unavailable';
      },
    });
    const prober = proberFor(host);
    const emails = Array.from({ length: 60 }, (_, index) => `ghost${index}@example.com`);
    const answers = await Promise.all(emails.map((email) => prober.probe(request(email, routeTo(host)))));
    expect(new Set(answers.map(reasonOf))).toEqual(new Set(['mailbox_not_found']));
    expect(Math.max(...refusals.values())).toBeLessThanOrEqual(9);
    await prober.close();
    await host.stop();
  });
});

test.each([
  { name: 'for good', isBlocked: (asked: number) => asked > 4 },
  { name: 'for the rest of a session', isBlocked: (_asked: number, nth: number) => nth > 4 },
])(
  'a host that starts to refuse every mailbox: $name: no mailbox that may exist is called absent',
  async ({ isBlocked }) => {
    let asked = 0;
    const host = await startSmtpHost({
      rcpt: (rcpt, nth) => {
        if (isBlocked(++asked, nth)) return '550 Access denied';
        return rcpt.startsWith('good') ? '250 ok' : '550 5.1.1 User unknown';
      },
    });
    const prober = proberFor(host);
    const emails = Array.from({ length: 12 }, (_, index) => `good${index}@example.com`);
    const answers: ProbeAnswer[] = [];
    for (const email of emails.slice(0, 6)) answers.push(await prober.probe(request(email, routeTo(host))));
    answers.push(...(await Promise.all(emails.slice(6).map((email) => prober.probe(request(email, routeTo(host)))))));
    expect(answers.filter(({ mailbox }) => mailbox.outcome.state === 'failed').map(reasonOf)).toEqual([]);
    await prober.close();
    await host.stop();
  },
);

test('the mailbox of one owner is not a control for another, whose dialogue would show it', async () => {
  const host = await startSmtpHost(knows('ann')('550 no'));
  const prober = proberFor(host);
  const callerOf = (owner: string) => ({ priority: 'single' as const, owner, taskId: '' });
  const probe = (email: string, owner: string) =>
    prober.probe(request(email, routeTo(host), { keepDialogue: true }), callerOf(owner));
  await probe('ann@example.com', 'first');
  expect(JSON.stringify(await probe(ghost, 'second'))).not.toContain('ann');
  expect(reasonOf(await probe('spook@example.com', 'first'))).toBe('mailbox_not_found');
  await prober.close();
  await host.stop();
});

describe('what a service learned', () => {
  test('that another mailbox was accepted no longer proves anything after an hour', async () => {
    const clock = fakeClock();
    const accepted = new Set(['ann']);
    const host = await startSmtpHost({
      rcpt: (rcpt) => (accepted.has(rcpt.split('@')[0] ?? '') ? '250 ok' : '550 no'),
    });
    const prober = proberFor(host, { clock: { ...systemClock, elapsed: clock.elapsed } });
    try {
      expect(reasonOf(await prober.probe(request('ann@example.com', routeTo(host))))).toBe('passed');
      expect(reasonOf(await prober.probe(request(ghost, routeTo(host))))).toBe('mailbox_not_found');
      accepted.clear();
      await clock.advance(2 * 60 * 60_000);
      expect(reasonOf(await prober.probe(request('bob@example.com', routeTo(host))))).toBe('antispam_system');
    } finally {
      await prober.close();
      await host.stop();
    }
  });

  test('about the random mailbox is valid for an hour from its first probe', async () => {
    const clock = fakeClock();
    const script = { catchAll: false };
    const host = await startSmtpHost({
      rcpt: (rcpt) => (script.catchAll || /^(ann|bob|eve)@/.test(rcpt) ? '250 ok' : '550 5.1.1 no such user'),
    });
    const prober = proberFor(host, { clock: { ...systemClock, elapsed: clock.elapsed } });
    try {
      const outcomes: string[] = [];
      // A refused mailbox asks for the random one in its batch; an accepted one uses the answer.
      for (const [minutes, name] of [
        [0, 'ghost'],
        [50, 'ann'],
        [20, 'bob'],
      ] as const) {
        await clock.advance(minutes * 60_000);
        script.catchAll = minutes === 20;
        outcomes.push((await prober.probe(request(`${name}@example.com`, routeTo(host)))).catchAll.outcome);
      }
      expect(outcomes).toEqual(['not_run', 'refused', 'accepted']);
    } finally {
      await prober.close();
      await host.stop();
    }
  });

  test('about one mailbox is reused for ten minutes, and then probed again', async () => {
    const clock = fakeClock();
    const host = await startSmtpHost(knows('ann')('550 5.1.1 no such user'));
    const prober = proberFor(host, { clock: { ...systemClock, elapsed: clock.elapsed } });
    const asked = () => host.commands.filter((line) => line === 'RCPT TO:<ann@example.com>').length;
    try {
      const cached: (true | undefined)[] = [];
      for (const minutes of [0, 9, 2]) {
        await clock.advance(minutes * 60_000);
        cached.push((await prober.probe(request('ann@example.com', routeTo(host)))).mailbox.cached);
      }
      expect(asked()).toBe(2);
      expect(cached).toEqual([undefined, true, undefined]);
    } finally {
      await prober.close();
      await host.stop();
    }
  });
});
