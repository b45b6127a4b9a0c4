import { describe, expect, test } from 'vitest';
import { smtpProber } from '../../../src/net/probe/smtp-prober.js';
import { type HostBehavior, scriptedDial } from '../../fakes/scripted-hosts.js';
import { simulatedClock } from '../../fakes/simulated-clock.js';
import { request, routeTo } from '../probe/smtp-probe.js';

const good: HostBehavior = {
  connect: null,
  banner: '220 mx',
  rcpt: (address) => ({ reply: address.startsWith('jane@') ? '250 2.1.5 Ok' : '550 5.1.1 User unknown' }),
};
const caller = { owner: 'list', priority: 'bulk' as const, taskId: '' };

/** Probes one mailbox at each silent host, then at 500 good ones. Returns when the good ones, and when all, were answered. */
async function askAll(silentHosts: number, silent: HostBehavior) {
  const clock = simulatedClock();
  const isSilent = (ip: string) => ip.startsWith('192.0.');
  const prober = smtpProber({
    ...{ clock, ehloName: 'probe.example.net', portFinding: null },
    dial: scriptedDial(clock, ({ ip }) => (isSilent(ip) ? silent : good)),
  });
  const ipOf = (index: number) =>
    index < silentHosts ? `192.0.${index >> 8}.${index & 255}` : `198.51.${index >> 8}.${index & 255}`;
  const asked = Array.from({ length: silentHosts + 500 }, (_, index) =>
    prober
      .probe(request(`jane@d${index}.example`, routeTo({ ip: ipOf(index) })), caller)
      .then(({ mailbox }) => mailbox.outcome.state),
  );
  const goodStates = await clock.runUntil(Promise.all(asked.slice(silentHosts)));
  expect(new Set(goodStates)).toEqual(new Set(['passed']));
  const goodMs = clock.elapsed();
  const states = await clock.runUntil(Promise.all(asked));
  await prober.close();
  return { goodMs, allMs: clock.elapsed(), silentStates: new Set(states.slice(0, silentHosts)) };
}

describe('250 silent hosts before 500 good ones', () => {
  test.each<{ name: string; silent: HostBehavior }>([
    { name: 'do not accept the connection', silent: { ...good, connect: 'timeout' } },
    { name: 'do not greet', silent: { ...good, bannerDelayMs: 90_000 } },
    { name: 'do not answer RCPT', silent: { ...good, rcpt: () => ({ reply: '250 2.1.5 Ok', delayMs: 90_000 }) } },
  ])('that $name delay them by seconds only, and are all probed', async ({ silent }) => {
    const alone = await askAll(0, silent);
    const times = await askAll(250, silent);
    expect(times.goodMs).toBeLessThan(alone.goodMs + 6_000);
    expect(times.silentStates).toEqual(new Set(['unknown']));
    expect(times.allMs).toBeLessThan(4 * 60_000);
  });

  test('a slow host that yielded its session is probed again, and answers', async () => {
    const { silentStates, goodMs } = await askAll(250, { ...good, bannerDelayMs: 5_000 });
    expect(silentStates).toEqual(new Set(['passed']));
    expect(goodMs).toBeLessThan(10_000);
  });
});

test('the wait for earlier mailboxes of a batch does not count against a mailbox', async () => {
  const clock = simulatedClock();
  const slow: HostBehavior = { ...good, rcpt: () => ({ reply: '550 5.1.1 User unknown', delayMs: 1_000 }) };
  const prober = smtpProber({
    ...{ clock, ehloName: 'probe.example.net', portFinding: null, timeouts: { totalMs: 4_000 } },
    dial: scriptedDial(clock, () => slow),
  });
  const asked = Array.from({ length: 8 }, (_, index) =>
    prober.probe(request(`ghost${index}@slow.example`, routeTo({ ip: '192.0.2.1' })), caller),
  );
  const answers = await clock.runUntil(Promise.all(asked));
  expect(answers.map(({ mailbox }) => mailbox.outcome)).toEqual(
    answers.map(() => ({ state: 'failed', reason: 'mailbox_not_found' })),
  );
  await prober.close();
});
