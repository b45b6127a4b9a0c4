import { describe, expect, test } from 'vitest';
import { localCallerWith } from '../../../src/async/caller.js';
import type { Clock } from '../../../src/async/clock.js';
import { yieldToIo } from '../../../src/async/yield-to-io.js';
import type { ProbeAnswer } from '../../../src/net/probe/prober.js';
import type { SmtpProberOptions } from '../../../src/net/probe/smtp-prober.js';
import { fakeClock } from '../../fakes/clock.js';
import { type HostScript, type SmtpHost, startSmtpHost } from '../../fakes/smtp-host.js';
import { proberFor, request, routeTo, shortTimeouts, timeouts } from '../probe/smtp-probe.js';

const unknownUser = '550 5.1.1 User unknown';
const good = (rcpt: string) => (rcpt.startsWith('good') ? '250 ok' : unknownUser);

interface Run {
  answers: ProbeAnswer[];
  host: SmtpHost;
}

async function probeAll(
  emails: string[],
  script: HostScript,
  options: SmtpProberOptions = {},
  provider: string | null = null,
): Promise<Run> {
  const host = await startSmtpHost(script);
  const prober = proberFor(host, options);
  try {
    const answers = await Promise.all(emails.map((email) => prober.probe(request(email, routeTo(host), { provider }))));
    return { answers, host };
  } finally {
    await prober.close();
    await host.stop();
  }
}

const emails = (count: number, prefix = 'good', domain = 'example.com') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}@${domain}`);
const outcomes = ({ answers }: Run) =>
  answers.map(({ mailbox: { outcome } }) => (outcome.state === 'passed' ? 'passed' : outcome.reason));
const rcpts = ({ host }: Run) => host.commands.filter((line) => line.startsWith('RCPT'));

describe('sharing sessions', () => {
  test('many mailboxes of a host need few sessions, and a random mailbox of each shape', async () => {
    const run = await probeAll(emails(40), { rcpt: good });
    expect(new Set(outcomes(run))).toEqual(new Set(['passed']));
    expect(run.answers.every(({ catchAll }) => catchAll.outcome === 'refused')).toBe(true);
    expect(rcpts(run)).toHaveLength(42);
    expect(run.host.connections).toBeLessThanOrEqual(6);
  });

  test('a session does not wait until the results of other rows are computed', async () => {
    const waitingRows = 2000;
    let isDone = false;
    let computed = 0;
    const rows = Array.from({ length: waitingRows }, async () => {
      while (!isDone) {
        await yieldToIo();
        computed++;
      }
    });
    let computedAtReply = 0;
    await probeAll(emails(1), {
      rcpt: (rcpt) => {
        computedAtReply = computed;
        return good(rcpt);
      },
    });
    expect(computed - computedAtReply).toBeLessThan(waitingRows);
    isDone = true;
    await Promise.all(rows);
  });

  test('domains of one host share its sessions, each with its random mailboxes', async () => {
    const run = await probeAll([...emails(3), ...emails(3, 'good', 'example.org')], { rcpt: good });
    expect(rcpts(run)).toHaveLength(10);
    expect(run.host.connections).toBe(1);
  });

  test('a session is left after nine refusals', async () => {
    const perConnection = new Map<number, number>();
    const run = await probeAll(emails(60, 'bad'), {
      rcpt: (_rcpt, nth, connection) => {
        perConnection.set(connection, nth);
        return unknownUser;
      },
    });
    expect(new Set(outcomes(run))).toEqual(new Set(['mailbox_not_found']));
    expect(Math.max(...perConnection.values())).toBeLessThanOrEqual(9);
    // Plus the random mailboxes.
    expect(rcpts(run)).toHaveLength(62);
  });

  test('while another process asks mail hosts, a host gets one session at a time', async () => {
    let maxOpen = 0;
    const script: HostScript = {
      rcpt: (rcpt) => {
        maxOpen = Math.max(maxOpen, host.open);
        return good(rcpt);
      },
    };
    const host = await startSmtpHost(script);
    const prober = proberFor(host, { isAlone: () => false });
    const answers = await Promise.all(emails(60).map((email) => prober.probe(request(email, routeTo(host)))));
    await prober.close();
    await host.stop();
    expect(answers.map(({ mailbox }) => mailbox.outcome.state)).toEqual(answers.map(() => 'passed'));
    expect(maxOpen).toBe(1);
  });

  test('a session takes no more tasks than its share', async () => {
    let maxTasks = 0;
    const script: HostScript = {
      rcpt: (rcpt, nth) => {
        maxTasks = Math.max(maxTasks, nth);
        return good(rcpt);
      },
    };
    await probeAll(emails(30), script, { traitsOf: () => ({ maxRcptPerSession: 5 }) });
    expect(maxTasks).toBe(5);
  });

  test('no more sessions are open at a time than allowed, over all hosts', async () => {
    const hosts = [await startSmtpHost({ rcpt: good })];
    const port = hosts[0]?.port ?? 0;
    for (const ip of ['127.0.1.7', '127.0.2.7', '127.0.3.7'])
      hosts.push(await startSmtpHost({ rcpt: good }, { ip, port }));
    let maxOpen = 0;
    const count = () => {
      maxOpen = Math.max(
        maxOpen,
        hosts.reduce((sum, { open }) => sum + open, 0),
      );
    };
    const prober = proberFor({ port }, { concurrency: 2, lingerMs: 10_000 });
    await Promise.all(
      hosts.flatMap((host, index) =>
        emails(12, 'good', `d${index}.example`).map((email) => prober.probe(request(email, routeTo(host))).then(count)),
      ),
    );
    // A session that has just sent QUIT may still be closing.
    expect(maxOpen).toBeLessThanOrEqual(3);
    await prober.close();
    for (const host of hosts) await host.stop();
  });

  test.each([
    { name: 'a provider with known traits', traits: { maxSessions: 1 }, most: 1 },
    { name: 'unknown hosts', traits: null, most: 2 },
  ])('$name has at most $most sessions over its two hosts', async ({ traits, most }) => {
    const script: HostScript = { rcpt: good, banner: () => null };
    const first = await startSmtpHost(script);
    const second = await startSmtpHost(script, { ip: '127.0.1.7', port: first.port });
    const traitsOf = (provider: string | null) => (provider === null ? null : traits);
    const prober = proberFor(first, { traitsOf });
    const asking = [first, second].map((host, index) =>
      prober.probe(request(`good@d${index}.example`, routeTo(host), { provider: 'Big' })),
    );
    await until(() => first.connections + second.connections === most);
    expect(first.open + second.open).toBe(most);
    await prober.close();
    await Promise.all(asking);
    for (const host of [first, second]) await host.stop();
  });

  test('a session waits briefly for more tasks', async () => {
    const host = await startSmtpHost({ rcpt: good });
    const prober = proberFor(host, { lingerMs: 5000 });
    for (const email of emails(3)) await prober.probe(request(email, routeTo(host)));
    expect(host.connections).toBe(1);
    await prober.close();
    await host.stop();
  });

  test('the same address is probed once', async () => {
    const run = await probeAll(['good@example.com', 'good@example.com', 'good@example.com'], { rcpt: good });
    expect(rcpts(run)).toHaveLength(3);
    expect(outcomes(run)).toEqual(['passed', 'passed', 'passed']);
  });

  const twoDomains = [...emails(5), ...emails(4, 'good', 'example.org')];
  const mixed = emails(4).flatMap((email) => [email, email.replace('.com', '.org')]);
  const hello = '250-mx.example.com Hello probe [127.0.0.1], pleased to meet you\n250 PIPELINING';
  const sayingOk = { mail: () => '250 2.1.0 <>... Sender ok' };
  test.each<[name: string, emails: string[], script: HostScript, transactions: number]>([
    ['of one domain share one', emails(9), {}, 1],
    ['of different domains share none', twoDomains, {}, 2],
    ['of one domain share one, even if the list mixes domains', mixed, {}, 2],
    ['have their own without PIPELINING', emails(9), { extensions: [] }, 11],
    ['have their own with sendmail by its banner', emails(9), { banner: () => '220 mx ESMTP Sendmail 8.17.1' }, 11],
    ['have their own with sendmail by its EHLO', emails(9), { ehlo: () => hello }, 11],
    ['have their own with sendmail by its reply to MAIL, and shared ones are repeated', emails(9), sayingOk, 11],
  ])('transactions: mailboxes %s', async (_name, asked, script, transactions) => {
    const run = await probeAll(asked, { rcpt: good, ...script });
    expect(new Set(outcomes(run))).toEqual(new Set(['passed']));
    expect(run.host.commands.filter((line) => line.startsWith('MAIL'))).toHaveLength(transactions);
  });

  const manyDomains = Array.from({ length: 40 }, (_, at) => emails(3, 'good', `d${at}.example`)).flat();
  test.each([
    ['a host that accepts mailboxes soon gets several domains in one transaction', null, 1, 30],
    ['a provider gets each domain in its own transaction', 'Big', 40, 60],
  ])('many domains: %s', async (_name, provider, least, most) => {
    const traitsOf = (name: string | null) => (name === null ? null : {});
    const run = await probeAll(manyDomains, { rcpt: good }, { concurrency: 1, traitsOf }, provider);
    expect(new Set(outcomes(run))).toEqual(new Set(['passed']));
    const { length } = run.host.commands.filter((line) => line.startsWith('MAIL'));
    expect(length).toBeGreaterThanOrEqual(least);
    expect(length).toBeLessThanOrEqual(most);
  });

  test.each([
    { name: 'in words', minds: '451 4.3.0 Multiple destination domains per transaction is unsupported' },
    { name: 'by refusing them as unknown', minds: unknownUser },
    { name: 'by disconnecting', minds: 'drop' },
  ])('a host that rejects several domains in a transaction, $name, causes no wrong verdict', async ({ minds }) => {
    let first: string | null = null;
    const run = await probeAll(
      manyDomains,
      {
        mail: () => {
          first = null;
          return '250 ok';
        },
        rcpt: (rcpt) => {
          const domain = rcpt.slice(rcpt.indexOf('@'));
          first ??= domain;
          return first === domain ? good(rcpt) : minds;
        },
      },
      { concurrency: 1 },
    );
    expect(new Set(outcomes(run))).toEqual(new Set(['passed']));
    expect(run.answers.every(({ catchAll }) => catchAll.outcome === 'refused')).toBe(true);
  });

  test('a host that discards the first recipient, as sendmail may, is asked for each mailbox in its own transaction', async () => {
    let discarding = false;
    const run = await probeAll(['discard@example.com', ...emails(3, 'bad')], {
      mail: () => {
        discarding = false;
        return '250 2.1.0 <>... Sender ok';
      },
      rcpt: (rcpt) => {
        discarding ||= rcpt.startsWith('discard');
        return discarding ? '250 2.1.5 ok' : unknownUser;
      },
    });
    expect(outcomes(run).slice(1)).toEqual(['mailbox_not_found', 'mailbox_not_found', 'mailbox_not_found']);
  });

  test.each([
    '550 Legitimate bounces are never sent to more than one recipient',
    '452 4.5.3 Error: too many recipients',
    '550 5.7.1 Denied',
    '451 4.3.0 Multiple destination domains per transaction is unsupported',
  ])('a host that rejects a second mailbox in a transaction gets one for each: %s', async (minds) => {
    let recipients = 0;
    const run = await probeAll(
      emails(12),
      {
        mail: () => {
          recipients = 0;
          return '250 ok';
        },
        rcpt: (rcpt) => (++recipients > 1 ? minds : good(rcpt)),
      },
      { concurrency: 1 },
    );
    expect(new Set(outcomes(run))).toEqual(new Set(['passed']));
    expect(run.answers.every(({ catchAll }) => catchAll.outcome === 'refused')).toBe(true);
  });

  test('without PIPELINING, each command waits for its reply', async () => {
    const run = await probeAll(emails(12), { extensions: [], rcpt: good }, { mailFrom: 'probe@example.net' });
    expect(new Set(outcomes(run))).toEqual(new Set(['passed']));
  });
});

describe('hosts with limits', () => {
  test.each<{ name: string; script: HostScript; options?: SmtpProberOptions }>([
    {
      name: 'four recipients per session',
      script: { rcpt: (rcpt, nth) => (nth > 4 ? '452 4.5.3 Too many recipients' : good(rcpt)) },
    },
    { name: '421 after four recipients', script: { rcpt: (rcpt, nth) => (nth > 4 ? '421 4.7.0 enough' : good(rcpt)) } },
    { name: 'a disconnect after four recipients', script: { rcpt: (rcpt, nth) => (nth > 4 ? 'drop' : good(rcpt)) } },
    {
      name: 'a banner of 421 for all but the first',
      script: { banner: (nth) => (nth > 1 ? '421 4.7.0 too many connections' : '220 mx'), rcpt: good },
    },
    {
      name: 'MAIL refused after three messages',
      script: { mail: (_command, _secured, nth) => (nth > 3 ? '451 no more messages' : '250 ok'), rcpt: good },
    },
  ])('$name: all are answered', async ({ script }) => {
    const run = await probeAll(emails(20), script);
    expect(new Set(outcomes(run))).toEqual(new Set(['passed']));
  });

  test('a mailbox that makes the host disconnect does not affect the others', async () => {
    const run = await probeAll([...emails(10), 'poison@example.com', ...emails(5, 'goodly')], {
      rcpt: (rcpt) => (rcpt.startsWith('poison') ? 'drop' : good(rcpt)),
    });
    expect(outcomes(run).filter((outcome) => outcome === 'passed')).toHaveLength(15);
    expect(outcomes(run)[10]).toBe('forcible_disconnect');
  });

  test('a host that disconnects for every mailbox is given up soon', async () => {
    const run = await probeAll(emails(100), { rcpt: () => 'drop' });
    expect(new Set(outcomes(run))).toEqual(new Set(['forcible_disconnect']));
    expect(run.host.connections).toBeLessThan(20);
  });

  test.each([
    ['withdraws its greeting', '421 4.3.2 Service shutting down', 'mail_server_temporary_error'],
    ['sends unsolicited data after its greeting', '250 and another thing', 'forcible_disconnect'],
  ])('a host that %s is given up soon', async (_name, extraReply, want) => {
    const run = await probeAll(emails(100), { ehlo: () => `250 mx.example.com\n${extraReply}`, rcpt: good });
    expect(new Set(outcomes(run))).toEqual(new Set([want]));
    expect(run.host.connections).toBeLessThan(20);
  });

  test('a dead host is dialed once for all waiting probes', async () => {
    const run = await probeAll(emails(100), { banner: () => '554 no' });
    expect(new Set(outcomes(run))).toEqual(new Set(['antispam_system']));
    expect(run.host.connections).toBeLessThanOrEqual(6);
  });
});

describe('interruption', () => {
  test('an abort rejects with its reason and disconnects', async () => {
    const host = await startSmtpHost({ rcpt: () => null });
    const prober = proberFor(host, { timeouts: shortTimeouts });
    const controller = new AbortController();
    const asking = prober.probe(request('good@example.com', routeTo(host)), localCallerWith(controller.signal));
    const reached = until(() => host.commands.some((line) => line.startsWith('RCPT')));
    await reached;
    controller.abort(new Error('stop'));
    await expect(asking).rejects.toThrow('stop');
    await until(() => host.open === 0);
    await prober.close();
    await host.stop();
  });

  test('an abort of thousands of probes that wait for one host takes no time', async () => {
    const host = await startSmtpHost({ rcpt: () => null });
    const prober = proberFor(host);
    const controller = new AbortController();
    const caller = localCallerWith(controller.signal);
    const asking = emails(8_000).map((email) => prober.probe(request(email, routeTo(host)), caller));
    const settled = Promise.allSettled(asking);
    await until(() => host.commands.some((line) => line.startsWith('RCPT')));
    const startedAt = performance.now();
    controller.abort(new Error('stop'));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
    await prober.close();
    await host.stop();
  });

  test('disconnecting repeatedly ourselves does not count against a host', async () => {
    let isSlow = true;
    const host = await startSmtpHost({ rcpt: (rcpt) => (isSlow ? null : good(rcpt)) });
    const prober = proberFor(host, { timeouts: shortTimeouts });
    for (let times = 1; times <= 6; times++) {
      const controller = new AbortController();
      const asking = prober.probe(request('good.one@example.com', routeTo(host)), localCallerWith(controller.signal));
      await expect
        .poll(() => host.commands.filter((line) => line.startsWith('RCPT')).length)
        .toBeGreaterThanOrEqual(times);
      controller.abort(new Error('stop'));
      await expect(asking).rejects.toThrow('stop');
      await expect.poll(() => host.open).toBe(0);
    }
    isSlow = false;
    expect((await prober.probe(request('good.one@example.com', routeTo(host)))).mailbox.outcome.state).toBe('passed');
    await prober.close();
    await host.stop();
  });

  test('an abort while connecting rejects, too', async () => {
    const host = await startSmtpHost({ banner: () => null });
    const prober = proberFor(host);
    const asking = prober.probe(request('good@example.com', routeTo(host)), localCallerWith(AbortSignal.timeout(30)));
    await expect(asking).rejects.toThrow();
    await until(() => host.open === 0);
    await prober.close();
    await host.stop();
  });

  test('one of two callers that wait for the same address can abort', async () => {
    const host = await startSmtpHost({ rcpt: good });
    const prober = proberFor(host);
    const controller = new AbortController();
    const first = prober.probe(request('good@example.com', routeTo(host)), localCallerWith(controller.signal));
    const second = prober.probe(request('good@example.com', routeTo(host)));
    controller.abort(new Error('stop'));
    await expect(first).rejects.toThrow('stop');
    expect((await second).mailbox.outcome.state).toBe('passed');
    await prober.close();
    await host.stop();
  });

  test('closing ends probes in progress', async () => {
    const host = await startSmtpHost({ rcpt: () => null });
    const prober = proberFor(host);
    const asking = prober.probe(request('good@example.com', routeTo(host)));
    await until(() => host.commands.length > 0);
    await prober.close();
    expect((await asking).mailbox.outcome.state).toBe('unknown');
    await until(() => host.open === 0);
    await host.stop();
  });
});

/** Resolves once the condition holds; otherwise the test times out. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test.each([
  { name: 'forward a day', byMs: 86_400_000 },
  { name: 'back a day', byMs: -86_400_000 },
])('a wall clock that jumps: $name during a probe neither ends the probe nor delays it forever', async ({ byMs }) => {
  const steady = fakeClock();
  let offMs = 0;
  const clock: Clock = { now: () => steady.now() + offMs, elapsed: steady.elapsed, after: steady.after };
  const host = await startSmtpHost({ rcpt: () => null });
  const patient = { ...timeouts, stepMs: 60_000, totalMs: 20_000 };
  const prober = proberFor(host, { clock, timeouts: patient });
  let ended = false;
  const asking = prober.probe(request('silent@example.com', routeTo(host))).finally(() => {
    ended = true;
  });
  await until(() => host.commands.some((line) => line.startsWith('RCPT')));
  offMs = byMs;
  await steady.advance(19_000);
  expect(ended).toBe(false);
  await steady.advance(2000);
  expect((await asking).mailbox.outcome).toEqual({ state: 'unknown', reason: 'timeout_exceeded' });
  await prober.close();
  await host.stop();
});
