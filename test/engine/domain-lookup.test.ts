import { describe, expect, test } from 'vitest';
import { localCallerWith } from '../../src/async/caller.js';
import { createDomainLookup, type DomainChecks } from '../../src/engine/domain-lookup.js';
import { HostKnowledge } from '../../src/net/host-knowledge.js';
import { fakeClock } from '../fakes/clock.js';
import { addressOf } from '../fakes/evidence.js';

const hosts = [{ name: 'mx.corp.com', preference: 10, addresses: ['192.0.2.1'] }];

/** Looks over checks that count how often the route was asked for. */
function counted(changes: Partial<DomainChecks> = {}) {
  const clock = fakeClock();
  const asked: string[] = [];
  const look = createDomainLookup(
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
  return { clock, asked, look };
}

const jane = addressOf('jane@corp.com');
const joe = addressOf('joe@corp.com');

describe('a domain', () => {
  test('is looked up once for all of its addresses, and again after a while', async () => {
    const { look, asked, clock } = counted();
    const first = look(jane);
    expect(look(joe)).toBe(first);
    expect(await first.route).toMatchObject({ provider: 'Corp', route: { state: 'passed' } });
    await first.records;
    expect(look(joe)).toBe(first);
    expect(asked).toHaveLength(1);
    await clock.advance(10_000);
    expect(look(joe)).not.toBe(first);
  });

  test('without an answer from DNS is looked up again', async () => {
    const { look } = counted({ txt: async () => ({ state: 'failed' }) });
    const first = look(jane);
    await Promise.all([first.route, first.records]);
    expect(look(joe)).not.toBe(first);
  });

  test("is not lost to one caller by another one's interruption", async () => {
    const { look } = counted();
    const gone = new AbortController();
    gone.abort(new Error('gone'));
    const first = look(jane, localCallerWith(gone.signal));
    const second = look(joe);
    await expect(first.route).rejects.toThrow('gone');
    expect((await second.route).route.state).toBe('passed');
    expect(look(joe)).toBe(second);
  });

  test('shows its mail servers before its records are there', async () => {
    const { look } = counted({ txt: () => new Promise(() => {}) });
    expect((await look(jane).route).provider).toBe('Corp');
  });
});
