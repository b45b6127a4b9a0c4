import { expect, test } from 'vitest';
import { systemClock } from '../../../src/async/clock.js';
import { expiry, HostKnowledge } from '../../../src/net/host-knowledge.js';
import { smtpProber } from '../../../src/net/probe/smtp-prober.js';
import { SmtpFault } from '../../../src/net/smtp/fault.js';
import { fakeClock } from '../../fakes/clock.js';
import { startSmtpHost } from '../../fakes/smtp-host.js';
import { proberFor, request, routeTo } from '../probe/smtp-probe.js';

const dayMs = 24 * 60 * 60_000;

test('hosts that were down once take no memory', async () => {
  const knowledge = new HostKnowledge(fakeClock());
  const prober = smtpProber({
    knowledge,
    dial: async () => {
      throw new SmtpFault('refused', 'connect', 'connection refused');
    },
  });
  for (let hundred = 0; hundred < 300; hundred++) {
    const asking = Array.from({ length: 100 }, (_, index) =>
      prober.probe(request(`ann@d${hundred}-${index}.example`, routeTo({ ip: `10.0.${hundred}.${index}` }))),
    );
    for (const { mailbox } of await Promise.all(asking)) {
      expect(mailbox.outcome).toEqual({ state: 'unknown', reason: 'failed_smtp_connection' });
    }
  }
  expect(prober.stats().queues).toBeLessThanOrEqual(2_000);
  expect(knowledge.sizes().get('host_down')).toBeLessThanOrEqual(expiry.host_down.maxEntries);
  await prober.close();
}, 60_000);

test('a host that is down is not dialed for a minute, and then again', async () => {
  const clock = fakeClock();
  let dials = 0;
  const prober = smtpProber({
    clock,
    dial: async () => {
      dials++;
      throw new SmtpFault('refused', 'connect', 'connection refused');
    },
  });
  for (const [name, ms] of [['ann', 0] as const, ['bob', 59_999] as const, ['cid', 1] as const]) {
    await clock.advance(ms);
    await prober.probe(request(`${name}@example.com`, routeTo({ ip: '192.0.2.1' })));
  }
  expect(dials).toBe(2);
  expect(prober.stats?.()).toMatchObject({ hosts: { connected: 0, waiting: 0, down: 1 }, exceptions: 0, asked: 3 });
  await clock.advance(60_000);
  expect(prober.stats?.().hosts.down).toBe(0);
  await prober.close();
});

test('the limits of a host are learned again after a day', async () => {
  const clock = fakeClock();
  let isStrict = true;
  const host = await startSmtpHost({
    rcpt: (rcpt, nth) => {
      if (isStrict && nth > 1) return '421 4.7.0 too many recipients';
      return rcpt.startsWith('good') ? '250 ok' : '550 5.1.1 no such user';
    },
  });
  const prober = proberFor(host, {
    clock: { ...systemClock, elapsed: () => clock.elapsed() + performance.now() },
    traitsOf: () => ({ maxSessions: 1 }),
  });
  const sessionsFor = async (name: string) => {
    const before = host.connections;
    const emails = Array.from({ length: 8 }, (_, index) => `good-${name}-${index}@example.com`);
    await Promise.all(emails.map((email) => prober.probe(request(email, routeTo(host)))));
    return host.connections - before;
  };
  try {
    expect(await sessionsFor('first')).toBeGreaterThanOrEqual(8);
    isStrict = false;
    expect(await sessionsFor('same-day')).toBeGreaterThanOrEqual(8);
    await clock.advance(dayMs);
    expect(await sessionsFor('next-day')).toBeLessThanOrEqual(2);
  } finally {
    await prober.close();
    await host.stop();
  }
});
