import { describe, expect, test } from 'vitest';
import { localCallerWith } from '../../../src/async/caller.js';
import { type Clock, systemClock } from '../../../src/async/clock.js';
import type { CatchAllEvidence, MailboxEvidence, SmtpReply } from '../../../src/model/evidence.js';
import { withGreylistRetry } from '../../../src/net/probe/greylist-retry.js';
import type { ProbeAnswer, Prober } from '../../../src/net/probe/prober.js';
import { fakeClock } from '../../fakes/clock.js';
import { startSmtpHost } from '../../fakes/smtp-host.js';
import { proberFor, request, routeTo } from './smtp-probe.js';

const reply = (code: number): SmtpReply => ({ stage: 'rcpt', code, enhanced: null, text: '' });
const catchAll = (outcome: CatchAllEvidence['outcome'], code: number): CatchAllEvidence => ({
  outcome,
  source: 'probe',
  reply: reply(code),
});

function answer(
  outcome: MailboxEvidence['outcome'],
  retryAt: number | null,
  all = catchAll('refused', 550),
): ProbeAnswer {
  const fields = { host: null, ip: null, reply: null, rule: null, certainty: 1, dialogue: [] };
  return { mailbox: { ...fields, outcome, retryAt }, catchAll: all };
}

const passed = answer({ state: 'passed', detail: null }, null);
const greylisted = answer({ state: 'unknown', reason: 'greylisted' }, 0);
const halfKnown = answer({ state: 'passed', detail: null }, null, catchAll('inconclusive', 451));
const hopeless = answer({ state: 'unknown', reason: 'antispam_system' }, null);
const minute = 60_000;

async function probeWithRetries(answers: ProbeAnswer[], waitMs: number) {
  const clock = fakeClock(0);
  const askedAt: number[] = [];
  const inner: Prober = {
    async probe() {
      askedAt.push(clock.now() / minute);
      return answers[Math.min(askedAt.length, answers.length) - 1] ?? passed;
    },
    async close() {},
  };
  const deferrals: number[] = [];
  const prober = withGreylistRetry(inner, { waitMs, clock, random: () => 0 });
  const asking = prober.probe({ ...request('ann@example.com', routeTo()), onDeferred: (at) => deferrals.push(at) });
  await clock.advance(60 * minute);
  return { got: await asking, askedAt, deferrals, pending: clock.pending };
}

describe('waiting for a greylist', () => {
  test.each([
    ['a clear answer is not retried', [passed], 60 * minute, [0]],
    ['retries after a minute', [greylisted, passed], 60 * minute, [0, 1]],
    ['retries 5 and 15 minutes after the first refusal', [greylisted], 60 * minute, [0, 1, 5, 15]],
    ['does not retry after the maximum wait', [greylisted], 10 * minute, [0, 1, 5]],
    ['does not retry if the maximum wait is 0', [greylisted], 0, [0]],
    ['retries for a greylisted random mailbox, too', [halfKnown, passed], 60 * minute, [0, 1]],
    ['does not retry a lasting failure', [hopeless], 60 * minute, [0]],
    [
      'does not retry before the time that the host gives',
      [answer({ state: 'unknown', reason: 'greylisted' }, 240), passed],
      60 * minute,
      [0, 4],
    ],
  ])('%s', async (_name, answers, waitMs, askedAt) => {
    const run = await probeWithRetries(answers, waitMs);
    expect(run.askedAt).toEqual(askedAt);
    expect(run.got).toBe(answers[Math.min(askedAt.length, answers.length) - 1]);
    expect(run.deferrals).toHaveLength(askedAt.length - 1);
    expect(run.pending).toBe(0);
  });

  test('an abort ends the wait', async () => {
    const clock = fakeClock();
    const inner: Prober = { probe: async () => greylisted, close: async () => {} };
    const controller = new AbortController();
    const asking = withGreylistRetry(inner, { waitMs: 60 * minute, clock }).probe(
      request('ann@example.com', routeTo()),
      localCallerWith(controller.signal),
    );
    const ended = expect(asking).rejects.toThrow('stop');
    await clock.advance(1);
    controller.abort(new Error('stop'));
    await ended;
    expect(clock.pending).toBe(0);
  });
});

test('a greylist that knows the triple accepts the real and the same random mailboxes the second time', async () => {
  const seen = new Map<string, number>();
  const now = () => Date.now() + shift;
  // Only the wait for the greylist is shortened; deadlines keep their length, for slow machines.
  const after: Clock['after'] = (ms, run) => (ms < minute / 2 ? systemClock.after(ms, run) : runSoon(run));
  const clock = { now, elapsed: now, after };
  let shift = 0;
  const runSoon = (run: () => void) => {
    const timer = setTimeout(() => {
      shift += 10 * minute;
      run();
    }, 150);
    return () => clearTimeout(timer);
  };
  const host = await startSmtpHost({
    rcpt: (rcpt, _nth, _connection, sender) => {
      const key = `${sender} ${rcpt}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      if (seen.get(key) === 1) return '450 4.2.0 Greylisted';
      return rcpt.startsWith('ann@') ? '250 ok' : '550 5.1.1 no';
    },
  });
  const prober = proberFor(host, { clock, greylistWaitMs: 60 * minute });
  const got = await prober.probe(request('ann@example.com', routeTo(host)));
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
    const prober = proberFor(host, { greylistWaitMs: 0, mailboxSecret });
    const { mailbox, catchAll } = await prober.probe(request('ann@example.com', routeTo(host)));
    await prober.close();
    return [mailbox.outcome.state, catchAll.outcome];
  };
  expect(await run()).toEqual(['unknown', 'not_run']);
  expect(await run()).toEqual(['passed', 'refused']);
  await host.stop();
});
