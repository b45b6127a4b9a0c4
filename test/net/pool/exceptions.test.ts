import { afterEach, describe, expect, test } from 'vitest';
import type { ProbeAnswer } from '../../../src/net/probe/prober.js';
import type { SmtpProberOptions } from '../../../src/net/probe/smtp-prober.js';
import type { UserRule } from '../../../src/net/replies/reading.js';
import { chooseDial } from '../../../src/net/smtp/dial.js';
import { type HostScript, type SmtpHost, startSmtpHost } from '../../fakes/smtp-host.js';
import { proberFor, request, routeTo } from '../probe/smtp-probe.js';

const bug = new TypeError('a bug of our own');
const hosts: SmtpHost[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.stop())));

/** Throws the first `times` times. */
function throwing(times = Number.POSITIVE_INFINITY): () => void {
  let remaining = times;
  return () => {
    if (remaining-- > 0) throw bug;
  };
}

/** User rules that throw when a refusal is matched against them. */
function brokenRules(fail: () => void): UserRule[] {
  const rule = {
    group: 'no_such_user' as const,
    get phrase() {
      fail();
      return 'never said';
    },
  };
  return [rule];
}

async function probeAll(emails: string[], options: SmtpProberOptions, script: HostScript = {}) {
  const host = await startSmtpHost(script);
  hosts.push(host);
  const errors: unknown[] = [];
  const prober = proberFor(host, { onException: (error) => errors.push(error), ...options });
  const started = performance.now();
  const answers = await Promise.all(emails.map((email) => prober.probe(request(email, routeTo(host)))));
  await prober.close();
  return { answers, errors, host, tookMs: performance.now() - started };
}

const reasonOf = ({ mailbox: { outcome } }: ProbeAnswer) => (outcome.state === 'passed' ? 'passed' : outcome.reason);
const refusesBad = (rcpt: string) => (rcpt.startsWith('bad') ? '550 5.1.1 User unknown' : '250 ok');

const places: { name: string; options: (times?: number) => SmtpProberOptions }[] = [
  { name: 'while a reply is read', options: (times) => ({ extraRules: brokenRules(throwing(times)) }) },
  {
    name: 'while a session is opened',
    options: (times) => {
      const fail = throwing(times);
      const dial = chooseDial({});
      return {
        dial: (...args) => {
          fail();
          return dial(...args);
        },
      };
    },
  },
  {
    name: 'while the task is prepared',
    options: (times) => {
      const fail = throwing(times);
      return {
        traitsOf: () => {
          fail();
          return null;
        },
      };
    },
  },
];

describe.each(places)('an internal exception $name', ({ options }) => {
  test('ends at once as exception_occurred, and is reported with its stack', async () => {
    const { answers, errors, tookMs } = await probeAll(['bad@example.com'], options(), { rcpt: refusesBad });
    expect(answers.map(reasonOf)).toEqual(['exception_occurred']);
    expect(answers[0]?.mailbox).toMatchObject({ rule: 'exception', retryAt: null });
    expect(errors).toContain(bug);
    expect(tookMs).toBeLessThan(2000);
  });

  test('is not an answer the first time: the mailbox is probed again', async () => {
    const { answers, errors } = await probeAll(['bad@example.com'], options(1), { rcpt: refusesBad });
    expect(answers.map(reasonOf)).toEqual(['mailbox_not_found']);
    expect(errors).toEqual([bug]);
  });
});

test('does not affect other mailboxes of the same session', async () => {
  const emails = ['good1@example.com', 'bad@example.com', 'good2@example.com', 'good3@example.com'];
  const { answers, host } = await probeAll(
    emails,
    { extraRules: brokenRules(throwing()), traitsOf: () => ({ acceptsAll: true }) },
    { rcpt: refusesBad },
  );
  expect(answers.map(reasonOf)).toEqual(['passed', 'exception_occurred', 'passed', 'passed']);
  // The first session, and one for the retry.
  expect(host.connections).toBe(2);
});

test('an exception in onBatch loses no task of the batch', async () => {
  const secret = throwing(1);
  const { answers, errors } = await probeAll(
    ['good1@example.com', 'good2@example.com'],
    {
      mailboxSecret: () => {
        secret();
        return new Uint8Array(32);
      },
    },
    { rcpt: (rcpt) => (rcpt.startsWith('good') ? '250 ok' : '550 5.1.1 User unknown') },
  );
  expect(answers.map(reasonOf)).toEqual(['passed', 'passed']);
  expect(answers.map(({ catchAll }) => catchAll.outcome)).toEqual(['refused', 'refused']);
  expect(errors).toEqual([bug]);
});

test('an exception does not mark the host as down', async () => {
  const fail = throwing(2);
  const dial = chooseDial({});
  const host = await startSmtpHost({});
  hosts.push(host);
  const prober = proberFor(host, {
    onException: () => {},
    dial: (...args) => {
      fail();
      return dial(...args);
    },
  });
  expect(reasonOf(await prober.probe(request('ann@example.com', routeTo(host))))).toBe('exception_occurred');
  expect(reasonOf(await prober.probe(request('bob@example.com', routeTo(host))))).toBe('passed');
  await prober.close();
});
