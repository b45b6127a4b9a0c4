import { describe, expect, test } from 'vitest';
import { localCallerWith } from '../../src/async/caller.js';
import { createDomainLookup, type DomainChecks } from '../../src/engine/domain-lookup.js';
import { HostKnowledge } from '../../src/net/host-knowledge.js';
import { fakeClock } from '../fakes/clock.js';
import { addressOf } from '../fakes/evidence.js';

const hosts = [{ name: 'mx.corp.com', preference: 10, addresses: ['192.0.2.1'] }];

/** Lookups with checkers that count how often the route was requested. */
function createCountingLookup(changes: Partial<DomainChecks> = {}) {
  const clock = fakeClock();
  const asked: string[] = [];
  const lookUp = createDomainLookup(
    {
      route: async (_address, caller) => {
        asked.push('route');
        caller?.signal?.throwIfAborted();
        return { state: 'passed', detail: { hosts, implicit: false } };
      },
      txt: async () => ({ state: 'absent' }),
      registrableDomain: () => 'corp.com',
      providerOf: () => 'Corp',
      ...changes,
    },
    new HostKnowledge(clock),
  );
  return { clock, asked, lookUp };
}

const jane = addressOf('jane@corp.com');
const joe = addressOf('joe@corp.com');

describe('a domain', () => {
  test('is looked up once for all of its addresses, and again after a while', async () => {
    const { lookUp, asked, clock } = createCountingLookup();
    const first = lookUp(jane);
    expect(lookUp(joe)).toBe(first);
    expect(await first.route).toMatchObject({ provider: 'Corp', route: { state: 'passed' } });
    await first.records;
    expect(lookUp(joe)).toBe(first);
    expect(asked).toHaveLength(1);
    await clock.advance(10_000);
    expect(lookUp(joe)).not.toBe(first);
  });

  test('without an answer from DNS is looked up again', async () => {
    const { lookUp } = createCountingLookup({ txt: async () => ({ state: 'failed' }) });
    const first = lookUp(jane);
    await Promise.all([first.route, first.records]);
    expect(lookUp(joe)).not.toBe(first);
  });

  test('is still looked up for one caller if another one is interrupted', async () => {
    const { lookUp } = createCountingLookup();
    const controller = new AbortController();
    controller.abort(new Error('gone'));
    const first = lookUp(jane, localCallerWith(controller.signal));
    const second = lookUp(joe);
    await expect(first.route).rejects.toThrow('gone');
    expect((await second.route).route.state).toBe('passed');
    expect(lookUp(joe)).toBe(second);
  });

  test('shows its mail servers before its records have arrived', async () => {
    const { lookUp } = createCountingLookup({ txt: () => new Promise(() => {}) });
    expect((await lookUp(jane).route).provider).toBe('Corp');
  });
});
