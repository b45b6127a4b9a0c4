import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeKey } from '../../src/jobs/api-keys.js';
import type { DeliveryRecord, WebhookRecord } from '../../src/jobs/store/webhooks.js';
import { Networks } from '../../src/net/ip-range.js';
import { createWebhookSender } from '../../src/server/webhooks/send-webhook.js';
import { deliveriesFor } from '../../src/server/webhooks/webhook-events.js';
import { createWebhookQueue, openWebhooks } from '../../src/server/webhooks/webhook-queue.js';
import type { CreatedWebhook, WebhookView } from '../../src/wire/app.js';
import { makeHome } from '../fakes/job-lab.js';
import { openServer, startList, type TestServer } from './run-server.js';
import { type Browser, openBrowser, signedInAdmin } from './web/browser.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver on loopback. It answers with 200, or as `answer` says. */
async function openReceiver(answer?: RequestListener): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      if (answer === undefined) response.end();
      else answer(request, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

const hook = (url: string, change: Partial<WebhookRecord> = {}): WebhookRecord => ({
  ...{ id: 'w', owner: 'admin', url, events: ['job.completed', 'job.failed'] },
  ...{ secret, oldSecret: null, oldSecretUntil: null, createdAt: 0, createdBy: 'admin' },
  ...change,
});
const loopback = new Networks(['127.0.0.0/8']);
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', payload: '{"test": 2432232314}' };
const sentAt = 1_614_265_330_000;

describe('a message', () => {
  test('is signed as Standard Webhooks describes, also with the old secret while it is valid', async () => {
    const { url, received } = await openReceiver();
    const send = createWebhookSender(loopback);
    expect(await send(hook(url), message, sentAt)).toEqual({ status: 200, error: null });
    await send(hook(url, { oldSecret: 'whsec_YQ==', oldSecretUntil: sentAt + 1 }), message, sentAt);
    await send(hook(url, { oldSecret: 'whsec_YQ==', oldSecretUntil: sentAt }), message, sentAt);
    const known = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
    const old = createHmac('sha256', 'a')
      .update(`${message.id}.${sentAt / 1000}.${message.payload}`)
      .digest('base64');
    expect(received.map(({ headers }) => headers['webhook-signature'])).toEqual([known, `${known} v1,${old}`, known]);
    expect(received[0]).toMatchObject({
      ...{ body: message.payload },
      headers: { 'webhook-id': message.id, 'webhook-timestamp': '1614265330', 'content-type': 'application/json' },
    });
  });

  test.each([
    // Loopback in its spellings, a cloud's metadata, private and shared networks.
    ...['127.0.0.1:1', '127.9.9.9:1', '2130706433:1', '0x7f.1:1', '[::1]:1', '[::ffff:127.0.0.1]:1', 'localhost:1'],
    ...['[64:ff9b::7f00:1]:1', '0.0.0.0:1', '169.254.169.254', '10.0.0.1', '192.168.0.1', '100.64.0.1', '[fd00::1]'],
    '[fe80::1]',
  ])('is never sent to %s', async (host) => {
    const url = `http://${host}/`;
    const outcome = await createWebhookSender(new Networks([]))(hook(url), message, sentAt);
    expect(outcome).toEqual({
      status: null,
      error: expect.stringMatching(/^The address is private\..* serve.webhook_networks\.$/),
    });
  });

  test('ends at a redirect, an error, a closed port, and a receiver that never answers or never ends', async () => {
    const target = await openReceiver();
    const send = createWebhookSender(loopback, 20_000);
    const sendBriefly = createWebhookSender(loopback, 1_000);
    const redirecting = await openReceiver((_, response) => response.writeHead(307, { location: target.url }).end());
    expect(await send(hook(redirecting.url), message, sentAt)).toMatchObject({
      status: 307,
      error: expect.stringMatching(/not followed/),
    });
    expect(target.received).toEqual([]);
    const failing = await openReceiver((_, response) => response.writeHead(500).end('x'.repeat(100_000)));
    expect(await send(hook(failing.url), message, sentAt)).toMatchObject({
      status: 500,
      error: expect.stringMatching(/HTTP 500/),
    });
    const silent = await openReceiver(() => {});
    expect(await sendBriefly(hook(silent.url), message, sentAt)).toMatchObject({
      status: null,
      error: expect.stringMatching(/in time/),
    });
    const switching = await openReceiver((request) => {
      request.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    });
    expect(await send(hook(switching.url), message, sentAt)).toMatchObject({ status: 101, error: expect.any(String) });
    const garbled = await openReceiver((request) => request.socket.end('HTTP/1.1 20 garbage\r\n\r\n'));
    expect(await send(hook(garbled.url), message, sentAt)).toEqual({ status: null, error: 'Its answer is not HTTP.' });
    const unencrypted = garbled.url.replace('http:', 'https:');
    expect((await send(hook(unencrypted), message, sentAt)).error).toMatch(/^TLS failed \(\w+\)\.$/);
    const endless = await openReceiver((_, response) => void response.write('x'));
    expect(await sendBriefly(hook(endless.url), message, sentAt)).toMatchObject({ status: 200, error: null });
    expect(await send(hook('http://127.0.0.1:1/'), message, sentAt)).toMatchObject({
      status: null,
      error: expect.stringMatching(/refused/),
    });
  });
});

const job = {
  ...{ id: 'j', owner: 'k', filename: 'a.csv', state: 'completed' as const, finishedAt: 50, total: 3, valid: 1 },
  ...{ invalid: 1, risky: 0, unknown: 0, duplicate: 1 },
};

describe('events', () => {
  const key = (change: object) => ({
    ...makeKey({ name: 'n', plan: 'p', credits: 100, expiresAt: null }, 0).record,
    ...{ id: 'k', ...change },
  });

  test('go once to the administrators and to their own member, and not to older or other webhooks', () => {
    const hooks = [
      hook('https://a.example/', { id: 'all' }),
      hook('https://a.example/', { id: 'mine', owner: 'member-a' }),
      hook('https://a.example/', { id: 'other', owner: 'member-b' }),
      hook('https://a.example/', { id: 'late', createdAt: 51 }),
      hook('https://a.example/', { id: 'deaf', events: ['job.failed'] }),
    ];
    const found = { jobs: [job], keys: [key({ memberId: 'member-a' })], now: 60 };
    const deliveries = deliveriesFor(hooks, found);
    expect(deliveries.map(({ webhookId, event }) => [webhookId, event])).toEqual([
      ['all', 'job.completed'],
      ['mine', 'job.completed'],
    ]);
    expect(deliveriesFor(hooks, { ...found, now: 70 }).map(({ id }) => id)).toEqual(deliveries.map(({ id }) => id));
    expect(JSON.parse(deliveries[0]?.payload ?? '')).toMatchObject({
      ...{ type: 'job.completed', timestamp: '1970-01-01T00:00:00.050Z' },
      data: { id: 'j', filename: 'a.csv', total: 3, valid_count: 1, duplicate_count: 1 },
    });
  });
});

describe('the queue', () => {
  const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
  test('retries with growing pauses for about a day, then gives up; 410 ends it at once', async () => {
    let now = 0;
    let status = 500;
    const attempts: number[] = [];
    let delivery: DeliveryRecord | null = null;
    const store = {
      listWebhooks: async () => [hook('https://a.example/')],
      jobsEndedSince: async () => [],
      listKeys: async () => [],
      addDeliveries: async () => {},
      claimDeliveries: async (_now: number, _lease: number, _limit: number, busy: readonly string[]) =>
        delivery?.state === 'pending' && delivery.nextAt <= now && !busy.includes(delivery.webhookId) ? [delivery] : [],
      recordAttempt: async ({ state, nextAt }: { state: DeliveryRecord['state']; nextAt: number | null }) => {
        if (delivery !== null)
          delivery = { ...delivery, state, attempts: delivery.attempts + 1, nextAt: nextAt ?? delivery.nextAt };
      },
    };
    const queue = createWebhookQueue({
      store: store as never,
      send: async () => {
        attempts.push(now);
        return { status, error: 'no' };
      },
      onError: (error) => {
        throw error;
      },
      now: () => now,
      random: () => 0.5,
    });
    const [first = null] = deliveriesFor([hook('https://a.example/')], {
      jobs: [{ ...job, finishedAt: 0 }],
      keys: [],
      now: 0,
    });
    delivery = first;
    for (let turn = 0; turn < 20; turn++) {
      await queue.run();
      await settled();
      now = Math.max(now, delivery?.nextAt ?? 0);
    }
    const hours = attempts.map((time) => Math.round((time / 3_600_000) * 10) / 10);
    expect(hours).toEqual([0, 0, 0.1, 0.6, 2.6, 7.6, 14.6, 23.6]);
    expect(delivery).toMatchObject({ state: 'failed', attempts: 8 });
    delivery = first === null ? null : { ...first, nextAt: now };
    status = 410;
    await queue.run();
    await settled();
    expect(delivery).toMatchObject({ state: 'failed', attempts: 1 });
  });

  test('receivers that never answer delay no delivery of another owner', async () => {
    const answering = 'https://a.example/';
    const silent = Array.from({ length: 20 }, (_, at) => ({
      ...hook('https://silent.example/'),
      id: `s${at}`,
      owner: 'm',
    }));
    const webhooks = [...silent, { ...hook(answering), id: 'good', owner: 'other' }];
    const due = (webhookId: string) => ({ id: randomUUID(), webhookId, attempts: 0 });
    const waiting: ReturnType<typeof due>[] = [];
    for (const { id } of silent) waiting.push(due(id), due(id));
    const sent: string[] = [];
    const queue = createWebhookQueue({
      store: {
        listWebhooks: async () => webhooks,
        jobsEndedSince: async () => [],
        listKeys: async () => [],
        addDeliveries: async () => {},
        claimDeliveries: async (_now: number, _lease: number, limit: number, busy: readonly string[]) => {
          const claimed = waiting.filter(({ webhookId }) => !busy.includes(webhookId)).slice(0, limit);
          for (const delivery of claimed) waiting.splice(waiting.indexOf(delivery), 1);
          return claimed;
        },
        recordAttempt: async () => {},
      } as never,
      send: ({ url }) => {
        sent.push(url);
        return url === answering ? Promise.resolve({ status: 200, error: null }) : new Promise(() => {});
      },
      onError: (error) => {
        throw error;
      },
    });
    void queue.run();
    await settled();
    expect(sent).toHaveLength(10);
    waiting.push(due('good'), due('good'));
    void queue.run();
    await settled();
    expect(sent.slice(10)).toEqual([answering, answering]);
  });

  test('a delivery to a private address is left to a process that may send it', async () => {
    const due = [{ id: 'd', webhookId: 'w', attempts: 0 }];
    const attempts: unknown[] = [];
    const claims: (readonly string[])[] = [];
    const store = {
      listWebhooks: async () => [hook('http://127.0.0.1:1/')],
      jobsEndedSince: async () => [],
      addDeliveries: async () => {},
      pruneDeliveries: async () => {},
      claimDeliveries: async (_now: number, _lease: number, _limit: number, busy: readonly string[]) => {
        claims.push(busy);
        return due.splice(0);
      },
      recordAttempt: async (attempt: unknown) => void attempts.push(attempt),
    };
    const fail = (error: unknown) => {
      throw error;
    };
    const webhooks = openWebhooks(store as never, null, fail);
    await settled();
    await webhooks.close();
    expect([attempts, claims.at(-1)]).toEqual([[], ['w']]);
  });
});

describe('on a server', () => {
  const start = async (): Promise<{ server: TestServer; admin: Browser }> => {
    const server = await openServer({ webhookNetworks: ['127.0.0.0/8'] });
    closers.push(() => server.stop());
    return { server, admin: await signedInAdmin(server) };
  };
  // The next search for ended lists comes at once.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());
  const until = async (isDone: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isDone())) {
      vi.advanceTimersByTime(5_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const readWebhook = async (browser: Browser): Promise<WebhookView | undefined> =>
    ((await browser.ask('/app/webhooks')).json as { webhooks: WebhookView[] }).webhooks[0];
  const runList = ({ api }: Browser): Promise<string> => startList(api, 'email\na@b.org\n');

  test('a completed list is delivered, and the secret is shown once; a new one signs beside the old one', async () => {
    const { admin } = await start();
    const { url, received } = await openReceiver();
    const created = await admin.post('/app/webhooks', { url, events: ['job.completed'] });
    const { webhook, secret: shown } = created.json as unknown as CreatedWebhook;
    expect(shown).toMatch(/^whsec_[\w+/]{43}=$/);
    expect((await admin.ask('/app/webhooks')).text).not.toContain(shown);
    const id = await runList(admin);
    await until(() => received.length === 1);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ type: 'job.completed', data: { id } });
    const rotated = (await admin.post(`/app/webhooks/${webhook.id}/secret`)).json as unknown as CreatedWebhook;
    expect(rotated.secret).not.toBe(shown);
    await runList(admin);
    await until(() => received.length === 2);
    expect(String(received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect((await admin.ask('/app/audit')).text).not.toContain('whsec_');
  });

  test('the list says how the last delivery went', async () => {
    const { admin } = await start();
    let status = 410;
    const { url } = await openReceiver((_request, response) => response.writeHead(status).end());
    await admin.post('/app/webhooks', { url, events: ['job.completed'] });
    expect(await readWebhook(admin)).toMatchObject({ last_delivery: null });
    await runList(admin);
    await until(async () => (await readWebhook(admin))?.last_delivery != null);
    expect((await readWebhook(admin))?.last_delivery).toMatchObject({
      state: 'failed',
      error: 'It answered with HTTP 410.',
    });
    status = 204;
    await runList(admin);
    await until(async () => (await readWebhook(admin))?.last_delivery?.state === 'delivered');
    expect((await readWebhook(admin))?.last_delivery).toMatchObject({ error: null });
  });

  test('an event is delivered after a restart, also without pages', async () => {
    const home = makeHome();
    const before = await openServer({ home, webhookNetworks: ['127.0.0.0/8'] });
    const admin = await signedInAdmin(before);
    const { url, received } = await openReceiver();
    await admin.post('/app/webhooks', { url, events: ['job.completed'] });
    await runList(admin);
    await before.stop();
    const after = await openServer({ home, webhookNetworks: ['127.0.0.0/8'], web: null });
    closers.push(() => after.stop());
    await until(() => received.length === 1);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ type: 'job.completed' });
  });

  test('a private address is refused when it is added, unless its network is allowed; names are not resolved', async () => {
    const { admin } = await start();
    const add = (url: string) => admin.post('/app/webhooks', { url, events: ['job.completed'] });
    for (const url of ['http://10.0.0.1/', 'http://[::1]/', 'http://0xa000001/', 'http://169.254.1.1/']) {
      const { status, text } = await add(url);
      expect([url, status, text]).toEqual([url, 422, expect.stringContaining('serve.webhook_networks')]);
    }
    expect((await add('http://127.0.0.1:1/')).status).toBe(200);
    expect((await add('http://internal.example/')).status).toBe(200);
  });

  test('a member has their own webhooks, which others cannot reach; bad addresses are refused', async () => {
    const { server, admin } = await start();
    const join = async (email: string): Promise<Browser> => {
      const invited = await admin.post('/app/members', { email, name: 'M', role: 'member' });
      const browser = openBrowser(server);
      await browser.post('/app/invitation', { token: invited.json?.['token'], password: 'a long password' });
      return browser;
    };
    const [one, two] = [await join('one@python.org'), await join('two@python.org')];
    const body = { url: 'https://a.example/', events: ['job.completed'] };
    const { webhook } = (await one.post('/app/webhooks', body)).json as unknown as CreatedWebhook;
    for (const other of [two, admin]) {
      expect((await other.ask('/app/webhooks')).json).toEqual({ webhooks: [] });
      expect((await other.post(`/app/webhooks/${webhook.id}/secret`)).status).toBe(404);
      expect((await other.ask(`/app/webhooks/${webhook.id}`, { method: 'DELETE' })).status).toBe(404);
    }
    for (const url of [
      'ftp://a.example/',
      'file:///etc/passwd',
      'javascript:1',
      'https://u:p@a.example/',
      'a.example',
      '',
    ])
      expect((await one.post('/app/webhooks', { ...body, url })).status).toBe(422);
    for (const events of [[], ['webhook.test'], ['everything']])
      expect((await one.post('/app/webhooks', { ...body, events })).status).toBe(422);
    expect((await one.ask(`/app/webhooks/${webhook.id}`, { method: 'DELETE' })).status).toBe(200);
  });
});
