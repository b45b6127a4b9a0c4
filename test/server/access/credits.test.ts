import { describe, expect, test } from 'vitest';
import { makeKey } from '../../../src/jobs/api-keys.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import { openBilling } from '../../../src/server/access/credits.js';
import { createEngine } from '../../../src/service/create-engine.js';
import { ask, confirmList, sendWith, uploadList } from '../run-server.js';
import { useServer } from '../use-server.js';

let release: () => void = () => {};
let entered: () => void = () => {};
const engine = createEngine({ level: 'syntax' });
const server = useServer({
  validation: {
    validate: async (email, options = {}) => {
      if (email.startsWith('bug')) throw new Error('a bug');
      if (!email.startsWith('slow')) return engine.validate(email, options);
      entered();
      await new Promise<void>((resolve, reject) => {
        release = resolve;
        options.signal?.addEventListener('abort', () => reject(options.signal?.reason));
      });
      return engine.validate(email);
    },
  },
});

const balance = async (key: string): Promise<unknown> =>
  (await ask(`${server.url}/credits`, { key })).json?.['credits'];
const single = (key: string, email: string, signal?: AbortSignal) =>
  ask(`${server.url}/validation/single`, { key, body: { email }, ...(signal && { signal }) });
const bulk = (key: string, emails: string[]) => ask(`${server.url}/validation/bulk`, { key, body: { emails } });

describe('the cost', () => {
  test.each([
    { name: 'one credit for a single validation', spend: (key: string) => single(key, 'ada@python.org'), want: 9 },
    { name: 'one credit for a broken address', spend: (key: string) => single(key, 'nobody'), want: 9 },
    {
      name: 'one credit for each unique address of a list',
      spend: (key: string) => bulk(key, ['a@python.org', 'A@python.org', 'b@python.org', 'a@PYTHON.org']),
      want: 8,
    },
    { name: 'nothing for a refused request', spend: (key: string) => bulk(key, [5 as unknown as string]), want: 10 },
    { name: 'nothing for a bug of the server', spend: (key: string) => single(key, 'bug@python.org'), want: 10 },
  ])('$name', async ({ spend, want }) => {
    const { key } = await server.makeKey({ credits: 10 });
    await spend(key);
    expect(await balance(key)).toBe(want);
  });

  test('is nothing if the caller disconnected before the answer', async () => {
    const { key } = await server.makeKey({ credits: 10 });
    const away = new AbortController();
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const asking = single(key, 'slow@python.org', away.signal).catch(() => null);
    await inside;
    expect(await balance(key)).toBe(9);
    away.abort();
    await asking;
    while ((await balance(key)) !== 10) await new Promise((resolve) => setTimeout(resolve, 10));
    release();
  });
});

test('too few credits cause 402 with the balance, and nothing is charged', async () => {
  const { key } = await server.makeKey({ credits: 2 });
  const refused = await bulk(key, ['a@python.org', 'b@python.org', 'c@python.org']);
  expect(refused.status).toBe(402);
  expect(refused.json).toMatchObject({
    error: { code: 'no_credits', message: 'This needs 3 credits, but the balance is 2.', hint: expect.any(String) },
  });
  expect(await balance(key)).toBe(2);
  expect((await bulk(key, ['a@python.org', 'b@python.org'])).json).toMatchObject({ credits_used: 2 });
  expect((await single(key, 'a@python.org')).status).toBe(402);
});

test('200 concurrent bulk requests never spend more than the balance', async () => {
  const { key } = await server.makeKey({ credits: 1_000 });
  const requests = Array.from({ length: 200 }, (_, request) => {
    const size = 1 + (request % 17);
    return bulk(
      key,
      Array.from({ length: size }, (_, index) => `user${request}.${index}@python.org`),
    );
  });
  const answers = await Promise.all(requests);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]));
  const spent = answers.reduce((sum, { json }) => sum + Number(json?.['credits_used'] ?? 0), 0);
  expect(spent).toBeGreaterThan(900);
  expect(spent).toBeLessThanOrEqual(1_000);
  expect(await balance(key)).toBe(1_000 - spent);
});

describe('jobs', () => {
  const upload = async (key: string, text: string): Promise<string> =>
    String((await uploadList(sendWith(server, key), text)).json?.['upload_id']);
  const confirm = (key: string, id: string) => confirmList(sendWith(server, key), id);

  test('are charged once, when they are confirmed', async () => {
    const { key } = await server.makeKey({ credits: 10 });
    const id = await upload(key, 'email\na@python.org\nb@python.org\nA@python.org\n');
    expect(await balance(key)).toBe(10);
    const both = await Promise.all([confirm(key, id), confirm(key, id)]);
    expect(both[0]?.json?.['id']).toBe(both[1]?.json?.['id']);
    expect(await balance(key)).toBe(8);
    await confirm(key, id);
    expect(await balance(key)).toBe(8);
  });

  test('that cost too much are not created', async () => {
    const { key } = await server.makeKey({ credits: 1 });
    const id = await upload(key, 'email\na@python.org\nb@python.org\n');
    expect((await confirm(key, id)).status).toBe(402);
    expect(await balance(key)).toBe(1);
    expect((await ask(`${server.url}/bulk/jobs`, { key })).json).toMatchObject({ total: 0 });
  });

  test('that are canceled refund what was not validated', async () => {
    const { key } = await server.makeKey({ credits: 30_000 });
    const rows = Array.from({ length: 20_000 }, (_, row) => `user${row}@python.org\n`).join('');
    const job = await confirm(key, await upload(key, `email\n${rows}`));
    const { json } = await ask(`${server.url}/bulk/jobs/${String(job.json?.['id'])}/cancel`, { method: 'POST', key });
    expect(await balance(key)).toBe(30_000 - Number(json?.['credits_used']));
    expect(json).toMatchObject({ status: 'canceled' });
  });
});

test('a request whose reservation was refunded meanwhile gets no free answer', async () => {
  const { record } = makeKey({ name: 'n', plan: 'p', credits: 10, expiresAt: null }, 5);
  const moveCredits: JobStore['moveCredits'] = async ({ reserve, settle }) => ({
    reserved: reserve.map(() => 'reservation'),
    missing: new Set(settle.map(({ reservationId }) => reservationId)),
  });
  const billing = openBilling({ moveCredits }, () => {});
  const charge = (used: number) =>
    billing.charge(
      record,
      1,
      async () => 'answer',
      () => used,
    );
  await expect(charge(1)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  await expect(charge(0)).resolves.toBe('answer');
});
