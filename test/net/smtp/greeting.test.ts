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

test.each<{ name: string; script: HostScript; want: object; commands: string[]; timeoutMs?: number }>([
  {
    name: 'a host that accepts EHLO gets QUIT',
    script: {},
    want: { connected: true, banner: { code: 220 }, ehlo: { code: 250 }, fault: null, ourIp: '127.0.0.1' },
    commands: ['EHLO me.example.org', 'QUIT'],
  },
  {
    name: 'a host that refuses the client gets no EHLO',
    script: { banner: () => '554 5.7.1 go away' },
    want: { connected: true, banner: { code: 554, enhanced: '5.7.1' }, ehlo: null, fault: null },
    commands: ['QUIT'],
  },
  {
    name: 'a host that disconnects is a fault',
    script: { banner: () => 'drop' },
    want: { connected: true, banner: null, fault: { kind: 'no_banner' } },
    commands: [],
  },
  {
    name: 'a silent host costs its deadline',
    script: { banner: () => null },
    want: { connected: true, banner: null, fault: { kind: 'no_banner' } },
    commands: [],
    timeoutMs: 50,
  },
  {
    name: 'data that is not SMTP is a fault',
    script: { banner: () => 'HTTP/1.1 400 Bad Request' },
    want: { connected: true, banner: null, fault: { kind: 'malformed' } },
    commands: [],
  },
  {
    name: 'a refused EHLO is kept',
    script: { ehlo: () => '550 5.7.25 no reverse name' },
    want: { banner: { code: 220 }, ehlo: { code: 550 }, fault: null },
    commands: ['EHLO me.example.org', 'QUIT'],
  },
])('$name', async ({ script, want, commands, timeoutMs }) => {
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
