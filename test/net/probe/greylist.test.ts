import { expect, test } from 'vitest';
import { systemClock } from '../../../src/async/clock.js';
import { startSmtpHost } from '../../fakes/smtp-host.js';
import { proberFor, request, routeTo } from './smtp-probe.js';

test('a greylist that knows the triple accepts the real and the same random mailboxes the second time', async () => {
  const seen = new Map<string, number>();
  let shift = 0;
  const now = () => Date.now() + shift;
  const host = await startSmtpHost({
    rcpt: (rcpt, _nth, _connection, sender) => {
      const key = `${sender} ${rcpt}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      if (seen.get(key) === 1) return '450 4.2.0 Greylisted';
      return rcpt.startsWith('ann@') ? '250 ok' : '550 5.1.1 no';
    },
  });
  const prober = proberFor(host, { clock: { now, elapsed: now, after: systemClock.after } });
  const probe = () => prober.probe(request('ann@example.com', routeTo(host)));
  expect((await probe()).mailbox.outcome).toEqual({ state: 'unknown', reason: 'greylisted' });
  shift = 10 * 60_000;
  const got = await probe();
  expect(got.mailbox.outcome.state).toBe('passed');
  expect(got.catchAll.outcome).toBe('refused');
  expect(seen.size).toBe(3);
  await prober.close();
  await host.stop();
});

test('a second run after the wait gets its answer if it has the secret of the first', async () => {
  const seen = new Set<string>();
  const host = await startSmtpHost({
    rcpt: (rcpt) => {
      if (!seen.has(rcpt)) return seen.add(rcpt) && '450 4.2.0 Greylisted';
      return rcpt.startsWith('ann@') ? '250 ok' : '550 5.1.1 no';
    },
  });
  const mailboxSecret = () => Buffer.alloc(32, 7);
  const run = async () => {
    const prober = proberFor(host, { mailboxSecret });
    const { mailbox, catchAll } = await prober.probe(request('ann@example.com', routeTo(host)));
    await prober.close();
    return [mailbox.outcome.state, catchAll.outcome];
  };
  expect(await run()).toEqual(['unknown', 'not_run']);
  expect(await run()).toEqual(['passed', 'refused']);
  await host.stop();
});
