import { describe, expect, test } from 'vitest';
import { mapRecordFields } from '../../../src/model/record-checks/record-checks.js';
import { createChargedMailboxes } from '../../../src/server/access/charged-mailboxes.js';
import { resultOf } from '../../fakes/service.js';
import { ask } from '../run-server.js';
import { useServer } from '../use-server.js';

test('a cached answer is free for the key that was charged for it, for ten minutes', () => {
  let now = 0;
  const charged = createChargedMailboxes(() => now);
  expect(charged.chargeOnce('a', 'ann@x.org', false)).toBe(true);
  expect(charged.chargeOnce('a', 'ann@x.org', true)).toBe(false);
  expect(charged.chargeOnce('a', 'bob@x.org', true)).toBe(true);
  expect(charged.chargeOnce('b', 'ann@x.org', true)).toBe(true);
  expect(charged.chargeOnce('a', 'ann@x.org', false)).toBe(true);
  now = 10 * 60_000;
  expect(charged.chargeOnce('a', 'ann@x.org', true)).toBe(true);
});

describe('a cached answer', () => {
  const asked = new Set<string>();
  /** Marks answers to repeated addresses as cached. */
  const answer = (email: string) => {
    const isCached = asked.has(email);
    asked.add(email);
    const details = { ...resultOf(email).details, is_free: false, is_relay: false, ...mapRecordFields(() => false) };
    return resultOf(email, { details, canonical: email, ...(isCached && { cached: true }) });
  };
  const server = useServer({
    validation: {
      validate: async (email) => answer(email),
      validateMany: async function* (chunks) {
        for await (const chunk of chunks) yield chunk.map((email) => ({ result: answer(email), duplicate: false }));
      },
    },
  });
  const balance = async (key: string) => (await ask(`${server.url}/credits`, { key })).json?.['credits'];

  test('is marked as cached, and each key is charged once', async () => {
    const [first, second] = [await server.makeKey({ credits: 10 }), await server.makeKey({ credits: 10 })];
    const single = (key: string) => ask(`${server.url}/validation/single?email=ann@python.org`, { key });
    expect((await single(first.key)).json).not.toHaveProperty('cached');
    expect((await single(first.key)).json).toMatchObject({ cached: true });
    expect(await balance(first.key)).toBe(9);
    // The second key does not learn that another key asked.
    expect((await single(second.key)).json).not.toHaveProperty('cached');
    expect((await single(second.key)).json).toMatchObject({ cached: true });
    expect(await balance(second.key)).toBe(9);
  });

  test('is not charged again in a bulk request', async () => {
    const { key } = await server.makeKey({ credits: 10 });
    const bulk = (...emails: string[]) => ask(`${server.url}/validation/bulk`, { key, body: { emails } });
    expect((await bulk('cid@python.org')).json).toMatchObject({ credits_used: 1 });
    expect((await bulk('cid@python.org', 'dot@python.org')).json).toMatchObject({ total: 2, credits_used: 1 });
    expect(await balance(key)).toBe(8);
  });
});
