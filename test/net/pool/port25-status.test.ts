import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { HostKnowledge } from '../../../src/net/host-knowledge.js';
import { createPortStatus } from '../../../src/net/pool/port25-status.js';
import { smtpProber } from '../../../src/net/probe/smtp-prober.js';
import type { Dial } from '../../../src/net/smtp/dial.js';
import { type FaultKind, SmtpFault } from '../../../src/net/smtp/fault.js';
import { fakeClock } from '../../fakes/clock.js';
import { startSmtpHost } from '../../fakes/smtp-host.js';
import { request, routeTo } from '../probe/smtp-probe.js';

const fault = (kind: FaultKind) => new SmtpFault(kind, 'connect', kind);

const [one, two, three] = ['192.0.2.1', '198.51.100.1', '203.0.113.1'];
const failing = (kind: FaultKind, ...ips: string[]) => ips.map((ip) => ({ ip, host: `mx.${ip}`, fault: fault(kind) }));

test.each<[name: string, isBlocked: boolean, failures: ReturnType<typeof failing>, connectedAfter?: number]>([
  ['is blocked if three unrelated networks time out', true, failing('connect_timeout', one, two, three)],
  [
    'is blocked if hosts are unreachable',
    true,
    [...failing('unreachable', one, three), ...failing('connect_timeout', two, '233.252.0.1')],
  ],
  ['is not blocked if one network is silent', false, failing('connect_timeout', one, '192.0.2.2', '192.0.2.3', two)],
  ['is not blocked if a host refuses the connection', false, failing('refused', one, two, three)],
  [
    'is not blocked if only IPv6 is missing',
    false,
    failing('unreachable', '2001:db8:1::1', '2001:db8:2::1', '2001:db8:3::1'),
  ],
  ['is open if one host accepts the connection', false, failing('connect_timeout', one, two, three), 2],
])('port 25: %s', (_name, isBlocked, failures, connectedAfter) => {
  let calls = 0;
  const status = createPortStatus(null, () => calls++);
  for (const [index, { fault, ...target }] of failures.entries()) {
    if (index === connectedAfter) status.recordConnect();
    status.recordFailure(target, fault);
  }
  expect({ isBlocked: status.isBlocked, calls }).toEqual({ isBlocked, calls: isBlocked ? 1 : 0 });
});

test('a connection clears the port of earlier failures: three dead hosts on days 0, 2 and 4 are no block', async () => {
  const clock = fakeClock();
  const status = createPortStatus(null, () => {}, new HostKnowledge(clock));
  for (const ip of ['192.0.2.1', '198.51.100.1', '203.0.113.1']) {
    status.recordFailure({ ip, host: `mx.${ip}` }, fault('connect_timeout'));
    expect(status.isBlocked).toBe(false);
    status.recordConnect();
    await clock.advance(48 * 3_600_000);
  }
});

/** Nothing gets through: each dial ends at its deadline. */
const blackHole =
  (clock: ReturnType<typeof fakeClock>, dialed: string[]): Dial =>
  (target, timeoutMs) =>
    new Promise((_resolve, reject) => {
      dialed.push(target.ip);
      clock.after(timeoutMs, () => reject(fault('connect_timeout')));
    });

describe('a run behind a blocked port', () => {
  test('is reported once, within seconds, for waiting and later probes', async () => {
    const clock = fakeClock();
    const dialed: string[] = [];
    let reports = 0;
    let remembered = 0;
    const prober = smtpProber({
      clock,
      dial: blackHole(clock, dialed),
      onPortBlocked: () => reports++,
      portFinding: { get: () => false, set: () => remembered++ },
    });
    const route = (net: number) => routeTo({ ip: `192.0.${net}.1` });
    const early = [1, 2, 3, 4].map((net) => prober.probe(request(`ann@d${net}.example`, route(net))));
    await clock.advance(4500);
    const answers = await Promise.all(early);
    answers.push(await prober.probe(request('ann@late.example', route(9))));
    expect(answers.map(({ mailbox }) => mailbox.outcome)).toEqual(
      answers.map(() => ({ state: 'unknown', reason: 'outbound_port_blocked' })),
    );
    expect({ reports, remembered }).toEqual({ reports: 1, remembered: 1 });
    expect(dialed).not.toContain('192.0.9.1');
    await prober.close();
  });

  test('is detected for one address by dialing its hosts in parallel', async () => {
    const clock = fakeClock();
    const prober = smtpProber({ clock, dial: blackHole(clock, []) });
    const route = routeTo({ ip: '192.0.2.1' }, { ip: '198.51.100.1' }, { ip: '203.0.113.1' });
    const asking = prober.probe(request('ann@example.com', route));
    await clock.advance(5500);
    expect((await asking).mailbox.outcome).toEqual({ state: 'unknown', reason: 'outbound_port_blocked' });
    await prober.close();
  });

  test('dials nothing if an earlier run detected it', async () => {
    const dialed: string[] = [];
    const clock = fakeClock();
    let reports = 0;
    const prober = smtpProber({
      clock,
      dial: blackHole(clock, dialed),
      portFinding: { get: () => true, set: () => {} },
      onPortBlocked: () => reports++,
    });
    const answer = await prober.probe(request('ann@example.com', routeTo({ ip: '192.0.2.1' })));
    expect(answer.mailbox.outcome).toEqual({ state: 'unknown', reason: 'outbound_port_blocked' });
    expect({ reports, dialed }).toEqual({ reports: 1, dialed: [] });
    await prober.close();
  });

  test('dials again after an hour, when the machine may be on another network', async () => {
    const clock = fakeClock();
    const dialed: string[] = [];
    let reports = 0;
    const prober = smtpProber({ clock, dial: blackHole(clock, dialed), onPortBlocked: () => reports++ });
    const askFour = async (name: string) => {
      const nets = [1, 2, 3, 4];
      const asking = nets.map((net) =>
        prober.probe(request(`${name}@d${net}.example`, routeTo({ ip: `192.0.${net}.1` }))),
      );
      await clock.advance(60_000);
      return Promise.all(asking);
    };
    await askFour('ann');
    const dialsAtFirst = dialed.length;
    await askFour('bob');
    expect([dialed.length, reports]).toEqual([dialsAtFirst, 1]);
    await clock.advance(60 * 60_000);
    const answers = await askFour('cid');
    expect(dialed.length).toBeGreaterThan(dialsAtFirst);
    expect(reports).toBe(2);
    expect(answers[0]?.mailbox.outcome).toEqual({ state: 'unknown', reason: 'outbound_port_blocked' });
    await prober.close();
  });

  test('continues if a host answers', async () => {
    const host = await startSmtpHost({ rcpt: (rcpt) => (rcpt.startsWith('ann@') ? '250 ok' : '550 5.1.1 no') });
    const dial: Dial = async ({ ip, port }) => {
      if (ip !== host.ip) throw fault('connect_timeout');
      const socket = connect(port, ip);
      return new Promise((resolve) => socket.once('connect', () => resolve(socket)));
    };
    const prober = smtpProber({ port: host.port, dial });
    const good = await prober.probe(request('ann@example.com', routeTo(host)));
    const dead = [1, 2, 3].map((net) =>
      prober.probe(request(`ann@d${net}.example`, routeTo({ ip: `192.0.${net}.1` }))),
    );
    expect(good.mailbox.outcome.state).toBe('passed');
    for (const answer of await Promise.all(dead)) {
      expect(answer.mailbox.outcome).toEqual({ state: 'unknown', reason: 'failed_smtp_connection' });
    }
    await prober.close();
    await host.stop();
  });
});

describe('in a service', () => {
  const silent = (hosts: string[]) => {
    const clock = fakeClock();
    const status = createPortStatus(null, () => {}, new HostKnowledge(clock), true);
    for (const [index, host] of hosts.entries()) {
      status.recordFailure({ ip: `192.0.${index}.1`, host }, fault('connect_timeout'));
    }
    return { status, clock };
  };

  test('silent hosts of one domain do not stop other probes', () => {
    expect(silent(['a.example.com', 'b.example.com', 'c.example.com', 'd.example.com']).status.isBlocked).toBe(false);
  });

  test('silent hosts of three domains stop other probes for a minute', async () => {
    const { status, clock } = silent(['mx.a.example', 'mx.b.example', 'mx.c.example']);
    expect(status.isBlocked).toBe(true);
    await clock.advance(61_000);
    expect(status.isBlocked).toBe(false);
  });
});
