import { afterEach, describe, expect, test } from 'vitest';
import { directDial } from '../../../src/net/smtp/dial.js';
import { greetHost } from '../../../src/net/smtp/greeting.js';
import { type HostScript, type SmtpHost, startSmtpHost } from '../../fakes/smtp-host.js';

let host: SmtpHost | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

const signal = new AbortController().signal;

async function greet(script: HostScript, timeoutMs = 1000) {
  host = await startSmtpHost(script);
  const target = { host: 'mx.example.com', ip: host.ip, port: host.port };
  return greetHost(target, { dial: directDial, ehloName: 'me.example.org', timeoutMs, signal });
}

const noBanner = { connected: true, banner: null, fault: { kind: 'no_banner' } };

test.each<[name: string, script: HostScript, want: object, commands: string[], timeoutMs?: number]>([
  [
    'a host that accepts EHLO gets QUIT',
    {},
    { connected: true, banner: { code: 220 }, ehlo: { code: 250 }, fault: null, ourIp: '127.0.0.1' },
    ['EHLO me.example.org', 'QUIT'],
  ],
  [
    'a host that refuses the client gets no EHLO',
    { banner: () => '554 5.7.1 go away' },
    { connected: true, banner: { code: 554, enhanced: '5.7.1' }, ehlo: null, fault: null },
    ['QUIT'],
  ],
  ['a host that disconnects is a fault', { banner: () => 'drop' }, noBanner, []],
  ['a silent host costs its deadline', { banner: () => null }, noBanner, [], 50],
  [
    'data that is not SMTP is a fault',
    { banner: () => 'HTTP/1.1 400 Bad Request' },
    { connected: true, banner: null, fault: { kind: 'malformed' } },
    [],
  ],
  [
    'a refused EHLO is kept',
    { ehlo: () => '550 5.7.25 no reverse name' },
    { banner: { code: 220 }, ehlo: { code: 550 }, fault: null },
    ['EHLO me.example.org', 'QUIT'],
  ],
])('%s', async (_name, script, want, commands, timeoutMs) => {
  expect(await greet(script, timeoutMs)).toMatchObject(want);
  await expect.poll(() => host?.open).toBe(0);
  expect(host?.commands).toEqual(commands);
});

describe('a host that does not exist', () => {
  test('is a fault', async () => {
    const stoppedHost = await startSmtpHost();
    await stoppedHost.stop();
    const target = { host: 'gone', ip: stoppedHost.ip, port: stoppedHost.port };
    const greeting = await greetHost(target, { dial: directDial, ehloName: null, timeoutMs: 1000, signal });
    expect(greeting).toMatchObject({ connected: false, fault: { kind: 'refused' } });
  });

  test('an interruption is not a fault', async () => {
    host = await startSmtpHost({ banner: () => null });
    const stop = new AbortController();
    const target = { host: 'mx', ip: host.ip, port: host.port };
    const greeting = greetHost(target, { dial: directDial, ehloName: null, timeoutMs: 60_000, signal: stop.signal });
    await expect.poll(() => host?.connections).toBe(1);
    stop.abort();
    await expect(greeting).rejects.toThrow(/abort/i);
  });
});
