import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../../src/jobs/store/open-store.js';
import {
  factsIn,
  type MailFacts,
  mailKey,
  mergeFacts,
  noFacts,
  openLearned,
} from '../../../src/service/local/learned-deliveries.js';
import { openLocalParts, openLocalService } from '../../../src/service/local/local.js';
import { type FakeNetwork, startNetwork } from '../../fakes/network.js';

const day = 86_400_000;
let home: string;
let now: number;
let closing: (() => Promise<void>)[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mailvet-test-'));
  now = Date.now();
  closing = [];
});
afterEach(async () => {
  for (const close of closing) await close();
  rmSync(home, { recursive: true, force: true });
});

const taken = (...days: number[]): MailFacts =>
  days
    .map((ago) => now - ago * day)
    .reduce((facts, at) => mergeFacts(facts, { first: at, last: at, bounced: 0 }), noFacts);
const bounced = (daysAgo: number): MailFacts => ({ ...noFacts, bounced: now - daysAgo * day });

function open() {
  const learned = openLearned({ home }, () => now);
  closing.push(learned.close);
  return learned;
}

async function learn(facts: Record<string, MailFacts>, claims: Record<string, MailFacts> = {}) {
  const keyed = (entries: Record<string, MailFacts>): [string, MailFacts][] =>
    Object.entries(entries).map(([email, each]) => [mailKey(email), each]);
  return open().learn(keyed(facts), keyed(claims));
}

test('facts are the same in any order: a bounce takes back what was delivered before it', () => {
  const events = [taken(40), taken(30), bounced(20), taken(10), taken(5)];
  const merge = (list: MailFacts[]) => list.reduce(mergeFacts, noFacts);
  expect(merge(events)).toEqual({ first: now - 10 * day, last: now - 5 * day, bounced: now - 20 * day });
  expect(merge([...events, ...events])).toEqual(merge(events));
  expect(merge(events.toReversed())).toEqual(merge(events));
  expect(merge([...events, bounced(1)])).toEqual({ first: 0, last: 0, bounced: now - day });
});

test.each([
  ['a delivery', 'delivered', 4, { first: 4, last: 4, bounced: null }],
  ['a clock that is an hour ahead', 'delivered', -1 / 24, { first: 0, last: 0, bounced: null }],
  ['a clock that is days ahead', 'delivered', -3, null],
  ['a delivery of long ago', 'delivered', 181, null],
  ['a delivery without a date', 'delivered', null, null],
  ['a hard bounce', 'hard', 2, { first: null, last: null, bounced: 2 }],
  ['a hard bounce from the future', 'hard', -30, { first: null, last: null, bounced: 0 }],
  ['a hard bounce without a date', 'hard', null, { first: null, last: null, bounced: 0 }],
  ['a full mailbox', 'soft', 2, null],
  ['a refusal of the sender', 'policy', 2, null],
] as const)('%s', (_name, kind, ago, want) => {
  const at = (daysAgo: number | null): number => (daysAgo === null ? 0 : now - daysAgo * day);
  const facts = factsIn({ kind, date: ago === null ? '' : new Date(at(ago)).toISOString() }, now);
  expect(facts).toEqual(want && { first: at(want.first), last: at(want.last), bounced: at(want.bounced) });
});

test('a mailbox has its days, and a domain its rate; learning again changes nothing', async () => {
  const facts = { 'ann@all.example': taken(9, 4), 'bob@all.example': bounced(4), 'cy@all.example': noFacts };
  for (let time = 0; time < 2; time++) {
    expect(await learn(facts)).toEqual({ mailed: 3, delivered: 2, accepted: 1, late: 0 });
    const { delivery, deliveries } = await open().find('Ann@ALL.example'.replace('Ann', 'ann'));
    expect(deliveries).toEqual({ delivered: 2, mailed: 3 });
    expect(delivery).toMatchObject({ daysSinceFirst: 9, daysSinceLast: 4, bounced: null, accepted: 1 });
  }
  expect(await open().find('cy@all.example')).toEqual({ deliveries: { delivered: 2, mailed: 3 } });
  // A mail host may tell the case of a local part apart.
  expect((await open().find('ANN@all.example')).delivery).toBeUndefined();
  expect(await open().find('ann@other.example')).toEqual({});
});

test('a claim counts for a mailbox on record only, and a late bounce lowers the share', async () => {
  await learn({ 'ann@all.example': taken(9), 'bob@all.example': taken(2) });
  const counts = await learn(
    {},
    { 'ann@all.example': bounced(1), 'bob@all.example': bounced(1), 'forged@all.example': bounced(1) },
  );
  expect(counts).toEqual({ mailed: 2, delivered: 0, accepted: 2, late: 1 });
  expect((await open().find('ann@all.example')).delivery).toMatchObject({ first: null, last: null });
  expect((await open().find('forged@all.example')).delivery).toBeUndefined();
});

test('no address can be read from the store; forget removes it, and bounces forget removes all', async () => {
  await learn({ 'annabel.lee@all.example': taken(9), 'bob@all.example': taken(9) });
  for (const file of readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()))
    expect(readFileSync(join(file.parentPath, file.name), 'latin1')).not.toMatch(/annabel|all\.example/);
  const { store } = await openStore({ home });
  closing.push(store.close);
  expect(await store.forgetAnswers('annabel.lee@all.example')).toBe(1);
  expect((await open().find('annabel.lee@all.example')).delivery).toBeUndefined();
  expect(await open().forget()).toBe(true);
  expect(await open().find('bob@all.example')).toEqual({});
  expect(await open().forget()).toBe(false);
});

test('keep_answers removes facts once they count no more', async () => {
  await learn({ 'ann@all.example': taken(9) });
  const { store } = await openStore({ home });
  closing.push(store.close);
  await store.pruneAnswers(now + 179 * day);
  expect((await open().find('ann@all.example')).delivery).toBeDefined();
  await store.pruneAnswers(now + 181 * day);
  expect(await open().find('ann@all.example')).toEqual({});
});

test('nothing is created where nothing was learned', async () => {
  expect(await open().find('ann@all.example')).toEqual({});
  expect(readdirSync(home)).toEqual([]);
});

describe('a mailbox of a catch-all domain that took our mail', () => {
  let network: FakeNetwork;
  beforeAll(async () => {
    network = await startNetwork();
  });
  afterAll(() => network.stop());
  const options = () => ({ home, ...network.options });

  test('is valid, alone, in a list and at level dns; another one is not', async () => {
    await learn({ 'ann.lee@vetlab.com': taken(9, 4), 'old@vetlab.com': taken(200), 'new@vetlab.com': taken(1) });
    const service = await openLocalService(options());
    closing.push(service.close);
    const { status, sub_status, safe_to_send, evidence } = await service.validate('ann.lee@vetlab.com', {
      explain: true,
    });
    expect({ status, sub_status, safe_to_send }).toEqual({
      status: 'valid',
      sub_status: 'delivered',
      safe_to_send: true,
    });
    expect(evidence?.delivery).toMatchObject({ daysSinceFirst: 9, daysSinceLast: 4 });
    const found: string[] = [];
    const list = ['ann.lee@vetlab.com', 'bob.lee@vetlab.com', 'old@vetlab.com', 'new@vetlab.com'];
    for await (const answers of service.validateMany([list]))
      for (const { result } of answers) found.push('sub_status' in result ? result.sub_status : '');
    expect(found).toEqual(['delivered', 'catch_all', 'catch_all', 'catch_all']);
    expect((await service.validate('ann.lee@vetlab.com', { level: 'dns' })).sub_status).toBe('delivered');
    expect((await service.validate('ann.lee@vetlab.com', { level: 'syntax' })).sub_status).toBe('not_probed');
  });

  test('is not known if the memory is damaged, which is said once and stops nothing', async () => {
    writeFileSync(join(home, 'store.db'), 'no database at all, but some text that is long enough');
    const notes: string[] = [];
    const service = await openLocalService({ ...options(), onNote: (text) => notes.push(text) });
    for (const name of ['ann.lee', 'bob.lee'])
      expect((await service.validate(`${name}@vetlab.com`)).sub_status).toBe('catch_all');
    expect(notes.filter((note) => note.includes('Deliveries cannot be read'))).toHaveLength(1);
    await service.close();
  });

  test.each([
    { serveDelivered: false, want: 'catch_all' },
    { serveDelivered: true, want: 'delivered' },
  ])('is $want for keys of a service with serve.delivered=$serveDelivered', async ({ serveDelivered, want }) => {
    await learn({ 'ann.lee@vetlab.com': taken(9) });
    const local = await openLocalParts({ ...options(), serveDelivered });
    closing.push(local.close);
    const caller = { priority: 'single', owner: 'key', taskId: '' } as const;
    expect((await local.validation.validate('ann.lee@vetlab.com', { caller })).sub_status).toBe(want);
  });
});
