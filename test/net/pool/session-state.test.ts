import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/async/clock.js';
import { startSmtpHost } from '../../fakes/smtp-host.js';
import { proberFor, request, routeTo } from '../probe/smtp-probe.js';

const emails = ['bad1', 'bad2', 'bad3', 'good1', 'bad4', 'bad5', 'good2', 'bad6'].map((name) => `${name}@example.com`);

/** A host that refuses unknown mailboxes by name. After `refusalLimit` of them in a session, it refuses everyone with `blockReply`. */
async function askHost(blockReply: string, refusalLimit = 2, asked = emails) {
  const unknown = new Map<number, number>();
  const host = await startSmtpHost({
    rcpt: (rcpt, _nth, connection) => {
      const refused = unknown.get(connection) ?? 0;
      if (refused >= refusalLimit) return blockReply;
      if (rcpt.startsWith('good')) return '250 ok';
      unknown.set(connection, refused + 1);
      return '550 Unrouteable address';
    },
  });
  const prober = proberFor(host);
  try {
    const answers = await Promise.all(asked.map((email) => prober.probe(request(email, routeTo(host)))));
    const outcomes = answers.map(({ mailbox: { outcome } }) =>
      outcome.state === 'passed' ? 'passed' : outcome.reason,
    );
    return { outcomes, catchAlls: answers.map(({ catchAll }) => catchAll.outcome), connections: host.connections };
  } finally {
    await prober.close();
    await host.stop();
  }
}

const expected = emails.map((email) => (email.startsWith('good') ? 'passed' : 'mailbox_not_found'));

describe('a host that cuts off a session', () => {
  test.each([
    ['an Exim ACL', '550 Too many failed recipients - count = 3'],
    ['a policy', '554 5.7.1 Rejected: too many errors'],
    ['a blocklist', '550 5.7.1 Service unavailable; client blocked'],
    ['no words at all', '550 Nope'],
    ['the words of RFC 5321', '550 Requested action not taken: mailbox unavailable'],
  ])('with %s causes no false verdict', async (_name, blockReply) => {
    const { outcomes, catchAlls } = await askHost(blockReply);
    expect(outcomes).toEqual(expected);
    expect(catchAlls.filter((outcome) => outcome !== 'not_run')).toEqual(['refused', 'refused']);
  });

  test.each([1, 2, 3])('with a disconnect after %i refusals causes no false verdict', async (refusalLimit) => {
    const many = Array.from({ length: 40 }, (_, index) => `bad${index}@example.com`);
    const { outcomes } = await askHost('drop', refusalLimit, many);
    expect(new Set(outcomes)).toEqual(new Set(['mailbox_not_found']));
  });

  test('is probed in shorter sessions, once its limit is known', async () => {
    const many = Array.from({ length: 40 }, (_, index) => `bad${index}@example.com`);
    const { outcomes, connections } = await askHost('550 Too many unknown users', 4, many);
    expect(new Set(outcomes)).toEqual(new Set(['mailbox_not_found']));
    // Ten sessions of four recipients, those that revealed the limit, and those with a single recipient.
    expect(connections).toBeLessThan(40);
  });

  test('that refuses every session is believed', async () => {
    const { outcomes } = await askHost('550 5.7.1 Blocked for policy reasons', 0);
    expect(new Set(outcomes)).toEqual(new Set(['antispam_system']));
  });
});

test('a session that is delayed after a refusal is left, and its queued mailboxes are probed elsewhere', async () => {
  let now = 0;
  const tarpit = new Set<number>();
  const host = await startSmtpHost({
    rcpt: (rcpt, _nth, connection) => {
      if (tarpit.has(connection)) return null;
      if (rcpt.startsWith('good')) return '250 ok';
      tarpit.add(connection);
      now += 8000;
      return '550 User <ghost> unknown';
    },
  });
  const clock = { ...systemClock, elapsed: () => now };
  const prober = proberFor(host, {
    clock,
    mailFrom: 'probe@example.net',
    timeouts: { stepMs: 2000, totalMs: 3_600_000 },
  });
  try {
    const answers = await Promise.all(emails.map((email) => prober.probe(request(email, routeTo(host)))));
    const outcomes = answers.map(({ mailbox: { outcome } }) =>
      outcome.state === 'passed' ? 'passed' : outcome.reason,
    );
    expect(outcomes).toEqual(expected);
  } finally {
    await prober.close();
    await host.stop();
  }
});

test('a mailbox that waits for the only session of its host loses none of its time', async () => {
  let now = 0;
  const curt = await startSmtpHost({ rcpt: (_rcpt, nth) => (nth === 1 ? '550 5.1.1 unknown' : 'drop') });
  const slowly = (rcpt: string) => {
    now += 1_000;
    return rcpt.startsWith('good') ? '250 ok' : '550 5.1.1 unknown';
  };
  const slow = await Promise.all(
    ['127.0.0.2', '127.0.0.3'].map((ip) => startSmtpHost({ rcpt: slowly }, { ip, port: curt.port })),
  );
  const hosts = [curt, ...slow];
  // Pauses between sessions are short; timeouts of a busy machine are not.
  const after = (ms: number, run: () => void) => systemClock.after(ms < 5_000 ? Math.min(ms, 2) : ms, run);
  const prober = proberFor(curt, {
    clock: { ...systemClock, elapsed: () => now, after },
    concurrency: 1,
    timeouts: { totalMs: 10_000 },
  });
  try {
    const outcomes = await Promise.all(
      hosts.flatMap((host, at) =>
        Array.from({ length: 6 }, async (_, index) => {
          const email = host === curt ? `bad${index}@curt.example` : `good${index}@slow${at}.example`;
          const { mailbox } = await prober.probe(request(email, routeTo(host)));
          return mailbox.outcome.state === 'passed' ? 'passed' : mailbox.outcome.reason;
        }),
      ),
    );
    expect(outcomes).toEqual([...Array(6).fill('mailbox_not_found'), ...Array(12).fill('passed')]);
  } finally {
    await prober.close();
    for (const host of hosts) await host.stop();
  }
});
