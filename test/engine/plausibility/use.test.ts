import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDomainLookup } from '../../../src/engine/domain-lookup.js';
import { encodeResult } from '../../../src/engine/encode-result.js';
import { type Checkers, type NetworkCheckers, vet } from '../../../src/engine/vet.js';
import type {
  CatchAllEvidence,
  Level,
  ListFacts,
  MailboxEvidence,
  MailboxReason,
  RouteReason,
} from '../../../src/model/evidence.js';
import type { ValidationResult } from '../../../src/model/result.js';
import {
  accepted,
  addressOf,
  noListFacts,
  notRun,
  randomAccepted,
  randomRefused,
  refused,
  unanswered,
} from '../../fakes/evidence.js';

/** All evidence that the checkers can return for one address. */
interface World {
  level: Level;
  route: { state: 'passed' } | { state: 'failed' | 'unknown'; reason: RouteReason };
  mailbox: MailboxEvidence;
  catchAll: CatchAllEvidence;
  lists: ListFacts;
}

const quiet: World = {
  level: 'smtp',
  route: { state: 'passed' },
  mailbox: accepted,
  catchAll: randomRefused,
  lists: noListFacts,
};
const catchAllWorld: World = { ...quiet, catchAll: randomAccepted };

/** The result of that simulation, with a model that returns this score or without a model. Times are left out. */
async function resultIn(world: World, score: number | null, email = 'jane@corp.com'): Promise<ValidationResult> {
  const { level, route, mailbox, catchAll, lists } = world;
  const hosts = [{ name: 'mx.corp.com', preference: 10, addresses: ['192.0.2.1'] }];
  const network: NetworkCheckers = {
    domain: createDomainLookup({
      route: async () => (route.state === 'passed' ? { state: 'passed', detail: { hosts, implicit: false } } : route),
      txt: async () => ({ state: 'absent' }),
      registrableDomain: () => 'corp.com',
      providerOf: () => null,
    }),
    prober: { probe: async () => ({ mailbox, catchAll }), close: async () => {} },
    plausibility: score === null ? null : () => ({ score, model: 'model/1' }),
  };
  const checkers: Checkers = {
    lists: { check: () => lists, disposableHost: () => null, isAllowed: () => false },
    network,
  };
  const vetted = await vet(email, { ok: true, address: addressOf(email) }, checkers, { level });
  const result = encodeResult({ ...vetted, elapsedMs: 0 }, 'local');
  return { ...result, metadata: { ...result.metadata, timestamp: 0 } };
}

const failedReasons: MailboxReason[] = [
  'mailbox_not_found',
  'mailbox_disabled',
  'does_not_accept_mail',
  'smtputf8_unsupported',
  'mailbox_quota_exceeded',
];
const unknownReasons: MailboxReason[] = ['greylisted', 'rate_limited', 'antispam_system', 'timeout_exceeded'];
const anyWorld: fc.Arbitrary<World> = fc.record({
  level: fc.constantFrom<Level>('syntax', 'dns', 'smtp'),
  route: fc.constantFrom<World['route']>(
    { state: 'passed' },
    { state: 'failed', reason: 'no_dns_entries' },
    { state: 'failed', reason: 'null_mx' },
    { state: 'unknown', reason: 'dns_timeout' },
  ),
  mailbox: fc.constantFrom(
    accepted,
    ...failedReasons.map((reason) => refused(reason, 0.9)),
    ...unknownReasons.map(unanswered),
  ),
  catchAll: fc.constantFrom<CatchAllEvidence>(
    randomRefused,
    randomAccepted,
    notRun,
    { outcome: 'accepted', source: 'provider', reply: null },
    { outcome: 'inconclusive', source: 'probe', reply: null },
  ),
  lists: fc.record({
    reserved: fc.constantFrom(null, 'test'),
    disposable: fc.constantFrom(null, 'mailinator.com'),
    disposableNeighbors: fc.constant(null),
    role: fc.constantFrom(null, 'info'),
    possibleRole: fc.constantFrom(null, 'hello'),
    free: fc.boolean(),
    relay: fc.constant(false),
    didYouMean: fc.constantFrom(null, 'jane@gmail.com'),
    unknownTld: fc.boolean(),
  }),
});
const anyScore = fc.double({ min: 0, max: 1, noNaN: true });

describe('in any simulation, the model', () => {
  test('changes neither status, sub_status, safe_to_send nor any fact', async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld, anyScore, async (world, score) => {
        const plain = await resultIn(world, null);
        const guessed = await resultIn(world, score);
        const facts = ({ confidence, catchall, ai_enhancement, metadata, reasons, ...rest }: ValidationResult) => ({
          ...rest,
          isCatchAll: catchall.is_catchall,
          reasons: reasons.filter((reason) => !reason.endsWith('plausible_local_part')),
        });
        expect(facts(guessed)).toEqual(facts(plain));
      }),
    );
  });

  test('adds nothing if it was not used', async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld, anyScore, async (world, score) => {
        const guessed = await resultIn(world, score);
        if (!guessed.ai_enhancement.used) expect(guessed).toEqual(await resultIn(world, null));
      }),
    );
  });

  test('never raises an estimate to the threshold of safe_to_send', async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld, anyScore, async (world, score) => {
        const { ai_enhancement, safe_to_send } = await resultIn(world, score);
        expect(ai_enhancement.used && safe_to_send).toBe(false);
      }),
    );
  });
});

test.each<[name: string, world: World, used: boolean]>([
  ['at a catch-all', catchAllWorld, true],
  ['at a host without an answer', { ...quiet, mailbox: unanswered('greylisted') }, true],
  ['at dns level', { ...quiet, level: 'dns' }, true],
  ['if DNS gave no answer', { ...quiet, route: { state: 'unknown', reason: 'dns_timeout' } }, true],
  ['not for a proven mailbox', quiet, false],
  ['not for a refused one', { ...quiet, mailbox: refused('mailbox_not_found') }, false],
  ['not for a dead domain', { ...quiet, route: { state: 'failed', reason: 'null_mx' } }, false],
  ['not at syntax level', { ...quiet, level: 'syntax' }, false],
])('the model is used: %s', async (_name, world, used) => {
  const { ai_enhancement, metadata } = await resultIn(world, 0.9);
  expect(ai_enhancement).toMatchObject({ used, method: used ? 'model/1' : null });
  expect(metadata.features_used.ai_enhancement).toBe(used);
});

describe('if it is used', () => {
  test.each([
    { score: 0.95, moved: 'up', reason: 'plausible_local_part' },
    { score: 0.5, moved: 'nowhere', reason: null },
    { score: 0.05, moved: 'down', reason: 'implausible_local_part' },
  ])('a score of $score moves confidence $moved and adds the reason $reason', async ({ score, moved, reason }) => {
    const plain = await resultIn(catchAllWorld, null);
    const guessed = await resultIn(catchAllWorld, score);
    expect(Math.sign(guessed.confidence - plain.confidence)).toBe({ up: 1, nowhere: 0, down: -1 }[moved]);
    expect(guessed.reasons).toEqual(reason === null ? plain.reasons : [...plain.reasons, reason]);
  });

  test('an implausible name raises the confidence in a catch-all; a plausible one does not lower it', async () => {
    const plain = (await resultIn(catchAllWorld, null)).catchall.confidence as number;
    expect((await resultIn(catchAllWorld, 0.05)).catchall.confidence).toBeGreaterThan(plain);
    expect((await resultIn(catchAllWorld, 0.95)).catchall.confidence).toBe(plain);
  });

  test.each<{ name: string; lists: Partial<ListFacts> }>([
    { name: 'a disposable domain', lists: { disposable: 'mailinator.com' } },
    { name: 'a role', lists: { role: 'info' } },
    { name: 'a probable typo', lists: { didYouMean: 'jane@gmail.com' } },
  ])('$name keeps the confidence of the list', async ({ lists }) => {
    const world: World = { ...quiet, level: 'dns', lists: { ...noListFacts, ...lists } };
    const plain = await resultIn(world, null);
    for (const score of [0.01, 0.5, 0.99]) expect((await resultIn(world, score)).confidence).toBe(plain.confidence);
  });
});
