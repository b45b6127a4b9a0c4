import { expect, test } from 'vitest';
import { smtpProber } from '../../../src/net/probe/smtp-prober.js';
import type { Dial } from '../../../src/net/smtp/dial.js';
import { SmtpFault } from '../../../src/net/smtp/fault.js';
import { fakeClock } from '../../fakes/clock.js';
import { request, routeTo } from '../probe/smtp-probe.js';

/** Hosts that never answer; `open` are the addresses that are being dialled, in order. */
function deadHosts(concurrency: number) {
  const clock = fakeClock();
  const open: string[] = [];
  let dialled = 0;
  const dial: Dial = ({ ip }, _timeoutMs, signal) =>
    new Promise((_resolve, reject) => {
      dialled++;
      open.push(ip);
      signal.addEventListener('abort', () => {
        open.splice(open.indexOf(ip), 1);
        reject(new SmtpFault('closed', 'connect', 'interrupted'));
      });
    });
  const prober = smtpProber({ clock, dial, concurrency });
  const ask = (ip: string, count: number) => {
    for (let index = 0; index < count; index++) {
      void prober.probe(request(`ann${index}@${ip}.example`, routeTo({ ip }))).catch(() => {});
    }
  };
  return { clock, prober, ask, open, dialled: () => dialled };
}

test('a host that many wait for is dialled for all of them at once, and one that few wait for once', async () => {
  const { clock, prober, ask, open } = deadHosts(100);
  ask('192.0.2.1', 100);
  ask('192.0.2.2', 5);
  await clock.advance(0);
  expect(open.filter((ip) => ip === '192.0.2.1')).toHaveLength(8);
  expect(open.filter((ip) => ip === '192.0.2.2')).toHaveLength(1);
  await prober.close();
});

test('what is dialled beside the first leaves its slot to a host that has none', async () => {
  const { clock, prober, ask, open, dialled } = deadHosts(16);
  const hosts = Array.from({ length: 20 }, (_, index) => `192.0.2.${index + 1}`);
  for (const ip of hosts) {
    ask(ip, 100);
    await clock.advance(0);
  }
  expect(open.toSorted()).toEqual(hosts.slice(0, 16).toSorted());
  expect(dialled()).toBeLessThan(2 * open.length);
  await prober.close();
});
