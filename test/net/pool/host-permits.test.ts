import { expect, test } from 'vitest';
import { sleep } from '../../../src/async/clock.js';
import type { HostPermits, PermitUser } from '../../../src/net/pool/host-permits.js';
import { smtpProber } from '../../../src/net/probe/smtp-prober.js';
import { type HostBehavior, scriptedDial } from '../../fakes/scripted-hosts.js';
import { simulatedClock } from '../../fakes/simulated-clock.js';
import { request, routeTo } from '../probe/smtp-probe.js';

const host: HostBehavior = {
  connect: null,
  banner: '220 mx',
  rcpt: () => ({ reply: '250 2.1.5 Ok', delayMs: 1_000 }),
};
const job = { owner: 'a', priority: 'job' as const, taskId: '1' };
const single = { owner: 'b', priority: 'single' as const, taskId: '2' };

/** Permits that are given by hand. */
function manualPermits() {
  const users = new Map<string, PermitUser>();
  const held = new Set<string>();
  const released: string[] = [];
  let isPaused = false;
  const permits: HostPermits = {
    get count() {
      return held.size;
    },
    has: (ip) => held.has(ip),
    isPaused: () => isPaused,
    want: (ip, user) => void users.set(ip, user),
    release: (ip) => {
      if (held.delete(ip)) released.push(ip);
    },
  };
  return {
    permits,
    released,
    wanted: () => [...users.keys()].filter((ip) => !held.has(ip)),
    grant: (ip: string) => {
      held.add(ip);
      users.get(ip)?.onGranted();
    },
    setPaused: (paused: boolean) => {
      isPaused = paused;
    },
    withdraw: (ip: string, isLost: boolean) => {
      if (isLost) held.delete(ip);
      users.get(ip)?.onWithdrawn(isLost);
    },
  };
}

function openLab() {
  const clock = simulatedClock();
  const manual = manualPermits();
  const dialed: string[] = [];
  const dial = scriptedDial(clock, ({ ip }) => {
    dialed.push(ip);
    return host;
  });
  const large = { maxSessions: 4 };
  const prober = smtpProber({
    ...{ clock, dial, ehloName: 'probe.example.net', portFinding: null, permits: manual.permits },
    traitsOf: (provider) => (provider === 'Large' ? large : null),
  });
  const ask = (email: string, ip: string, caller: typeof job | typeof single, provider: string | null = null) =>
    prober.probe(request(email, routeTo({ ip }), { provider }), caller).then(({ mailbox }) => mailbox.outcome.state);
  const wait = (ms: number): Promise<void> => clock.runUntil(sleep(clock, ms));
  return { clock, dialed, ask, wait, ...manual };
}

test('a mailbox of a job waits for the permit of its host, and other hosts do not', async () => {
  const { clock, wait, ask, dialed, wanted, grant, released } = openLab();
  const waiting = ask('a@one.example', '192.0.2.1', job);
  expect(await clock.runUntil(ask('a@large.example', '192.0.2.9', job, 'Large'))).toBe('passed');
  expect([wanted(), dialed.includes('192.0.2.1')]).toEqual([['192.0.2.1'], false]);
  grant('192.0.2.1');
  expect(await clock.runUntil(waiting)).toBe('passed');
  await wait(10_000);
  expect(released).toEqual(['192.0.2.1']);
});

test('a single request has a session of its own, which asks for no job', async () => {
  const { clock, wait, ask, dialed, grant } = openLab();
  const waiting = ask('a@one.example', '192.0.2.1', job);
  expect(await clock.runUntil(ask('b@one.example', '192.0.2.1', single))).toBe('passed');
  let isAnswered = false;
  waiting.then(() => {
    isAnswered = true;
  });
  await wait(5_000);
  expect([isAnswered, dialed.length]).toEqual([false, 1]);
  grant('192.0.2.1');
  expect(await clock.runUntil(waiting)).toBe('passed');
});

test('while answers wait to be stored, a session asks for requests only', async () => {
  const { clock, wait, ask, grant, setPaused } = openLab();
  let answered = 0;
  const asked = Array.from({ length: 40 }, (_, n) =>
    ask(`p${n}@one.example`, '192.0.2.1', job).finally(() => answered++),
  );
  await wait(10);
  grant('192.0.2.1');
  await wait(500);
  setPaused(true);
  await wait(60_000);
  const before = answered;
  expect(before).toBeLessThan(40);
  expect(await clock.runUntil(ask('b@one.example', '192.0.2.1', single))).toBe('passed');
  expect(answered).toBe(before);
  setPaused(false);
  grant('192.0.2.1');
  expect(new Set(await clock.runUntil(Promise.all(asked)))).toEqual(new Set(['passed']));
});

test('with a permit there is one session, and after a withdrawal it ends and asks the rest later', async () => {
  const { clock, wait, ask, dialed, grant, withdraw, released } = openLab();
  const asked = Array.from({ length: 40 }, (_, n) => ask(`p${n}@one.example`, '192.0.2.1', job));
  await wait(10);
  grant('192.0.2.1');
  await wait(1_500);
  withdraw('192.0.2.1', false);
  await wait(60_000);
  expect([dialed.length, released]).toEqual([1, ['192.0.2.1']]);
  grant('192.0.2.1');
  expect(new Set(await clock.runUntil(Promise.all(asked)))).toEqual(new Set(['passed']));
});

test('a lost permit closes the session at once, and what was not answered is asked again', async () => {
  const { clock, wait, ask, dialed, grant, withdraw } = openLab();
  const asked = Array.from({ length: 5 }, (_, n) => ask(`p${n}@one.example`, '192.0.2.1', job));
  await wait(10);
  grant('192.0.2.1');
  await wait(1_500);
  withdraw('192.0.2.1', true);
  await wait(5_000);
  expect(dialed).toHaveLength(1);
  grant('192.0.2.1');
  expect(new Set(await clock.runUntil(Promise.all(asked)))).toEqual(new Set(['passed']));
  expect(dialed).toHaveLength(2);
});
