import { describe, expect, test } from 'vitest';
import { localCallerWith } from '../../src/async/caller.js';
import { createDomainLookup, type DomainChecks } from '../../src/engine/domain-lookup.js';
import { encodeResult } from '../../src/engine/encode-result.js';
import { type Checkers, type NetworkCheckers, type VetOptions, vet } from '../../src/engine/vet.js';
import type { ParsedAddress } from '../../src/model/address.js';
import type { MailRoute } from '../../src/model/evidence.js';
import {
  accepted,
  addressOf,
  noListFacts,
  notRun,
  randomAccepted,
  randomRefused,
  refused,
  unanswered,
} from '../fakes/evidence.js';

const route: MailRoute = {
  hosts: [{ name: 'mx.corp.com', preference: 10, addresses: ['192.0.2.1'] }],
  implicit: false,
};

const records = ['TXT corp.com', 'TXT _dmarc.corp.com'];

/** Checkers with the answers of a test, which record the checks that ran. */
function checkersOf(changes: Partial<NetworkCheckers & DomainChecks> & Pick<Partial<Checkers>, 'lists'> = {}): {
  checkers: Checkers;
  asked: string[];
} {
  const asked: string[] = [];
  const note =
    <A extends unknown[], R>(name: string, answer: (...args: A) => R) =>
    (...args: A): R => {
      asked.push(name);
      return answer(...args);
    };
  const { lists = listsOf(), ...network } = changes;
  const given: Omit<NetworkCheckers, 'domain'> & DomainChecks = {
    route: async () => ({ state: 'passed', detail: route }),
    txt: async (name) => (name === 'corp.com' ? { state: 'found', records: ['v=spf1 -all'] } : { state: 'absent' }),
    registrableDomain: () => 'corp.com',
    providerOf: () => 'Corp',
    prober: { probe: async () => ({ mailbox: accepted, catchAll: randomRefused }), close: async () => {} },
    plausibility: () => ({ score: 0.9, model: 'model/1' }),
    ...network,
  };
  const checkers: Checkers = {
    lists,
    network: {
      ...given,
      domain: createDomainLookup({
        route: note('route', given.route),
        txt: (name, signal) => note(`TXT ${name}`, given.txt)(name, signal),
        registrableDomain: given.registrableDomain,
        providerOf: given.providerOf,
      }),
      prober: { ...given.prober, probe: note('probe', given.prober.probe) },
      plausibility: given.plausibility && note('plausibility', given.plausibility),
    },
  };
  return { checkers, asked };
}

function listsOf(changes: Partial<Checkers['lists']> = {}): Checkers['lists'] {
  return { check: () => noListFacts, disposableHost: () => null, isAllowed: () => false, ...changes };
}

const good: ParsedAddress = { ok: true, address: addressOf('jane@corp.com') };
const bad: ParsedAddress = {
  ok: false,
  fault: { code: 'missing_at', position: 0, message: 'There is no @.', suggestion: null },
};
const literal: ParsedAddress = {
  ok: true,
  address: { ...addressOf('jane@[192.0.2.1]'), literal: { family: 4, ip: '192.0.2.1' } },
};

describe('vet sends no unnecessary queries', () => {
  test.each<
    [
      name: string,
      syntax: ParsedAddress,
      options: VetOptions,
      want: string[],
      changes?: Parameters<typeof checkersOf>[0],
    ]
  >([
    ['nothing for broken grammar', bad, { level: 'smtp' }, []],
    ['nothing at syntax level', good, { level: 'syntax' }, []],
    [
      'nothing for a special-use name',
      good,
      { level: 'smtp' },
      [],
      { lists: listsOf({ check: () => ({ ...noListFacts, reserved: 'test' }) }) },
    ],
    ['no mail server at dns level', good, { level: 'dns' }, ['route', ...records, 'plausibility']],
    ['no model if the mailbox is proven to exist', good, { level: 'smtp' }, ['route', ...records, 'probe']],
    [
      'no mail server without a route, and no model if that is proof',
      good,
      { level: 'smtp' },
      ['route', ...records],
      { route: async () => ({ state: 'failed', reason: 'no_dns_entries' }) },
    ],
    ['no records for an address literal', literal, { level: 'smtp' }, ['route', 'probe']],
    [
      'the model at a catch-all',
      good,
      { level: 'smtp' },
      ['route', ...records, 'probe', 'plausibility'],
      { prober: { probe: async () => ({ mailbox: accepted, catchAll: randomAccepted }), close: async () => {} } },
    ],
    [
      'the model if the host gave no answer',
      good,
      { level: 'smtp' },
      ['route', ...records, 'probe', 'plausibility'],
      {
        prober: { probe: async () => ({ mailbox: unanswered('greylisted'), catchAll: notRun }), close: async () => {} },
      },
    ],
    [
      'no model if the mailbox is proven missing',
      good,
      { level: 'smtp' },
      ['route', ...records, 'probe'],
      {
        prober: {
          probe: async () => ({ mailbox: refused('mailbox_not_found'), catchAll: notRun }),
          close: async () => {},
        },
      },
    ],
  ])('%s', async (_name, syntax, options, want, changes) => {
    const { checkers, asked } = checkersOf(changes);
    await vet('jane@corp.com', syntax, checkers, options);
    expect(asked).toEqual(want);
  });

  test('answers at once if no network is needed', () => {
    expect(vet('x', bad, checkersOf().checkers, { level: 'smtp' })).not.toBeInstanceOf(Promise);
    expect(vet('jane@corp.com', good, checkersOf().checkers, { level: 'syntax' })).not.toBeInstanceOf(Promise);
  });
});

describe('a disposable mail server', () => {
  const disposableHost = (host: string) => (host === 'mx.corp.com' ? { name: 'corp.com', domains: null } : null);

  test('makes the domain disposable', async () => {
    const { checkers } = checkersOf({ lists: listsOf({ disposableHost }) });
    expect((await vet('jane@corp.com', good, checkers, { level: 'smtp' })).verdict.subStatus).toBe('disposable');
  });

  test('does not count against an address that the user allows', async () => {
    const { checkers } = checkersOf({ lists: listsOf({ disposableHost, isAllowed: () => true }) });
    expect((await vet('jane@corp.com', good, checkers, { level: 'smtp' })).verdict.subStatus).toBe('');
  });
});

describe('at a deadline that fails open', () => {
  const never = new Promise<never>(() => {});
  const late = { name: 'the mail server', changes: { prober: { probe: () => never, close: async () => {} } } };
  const vetAtDeadline = async (changes: Parameters<typeof checkersOf>[0], level: 'dns' | 'smtp' = 'smtp') => {
    const time = new AbortController();
    const options = { level, failOpen: true, deadline: time.signal };
    const vetted = Promise.resolve(vet('jane@corp.com', good, checkersOf(changes).checkers, options));
    await new Promise(setImmediate);
    time.abort();
    return (await vetted).verdict;
  };

  test.each([
    { ...late, reasons: ['timeout_exceeded', 'fail_open'] },
    { name: 'DNS', changes: { route: () => never }, reasons: ['timeout_exceeded', 'dns_not_checked', 'fail_open'] },
  ])('the verdict is unknown with the partial evidence, if $name has not answered', async ({ changes, reasons }) => {
    for (const level of ['smtp', ...(changes === late.changes ? [] : ['dns' as const])] as const) {
      expect(await vetAtDeadline(changes, level)).toMatchObject({
        status: 'unknown',
        subStatus: 'timeout_exceeded',
        safeToSend: false,
        reasons,
      });
    }
  });

  test('the lists are applied', async () => {
    const lists = listsOf({ check: () => ({ ...noListFacts, disposable: 'corp.com' }) });
    expect(await vetAtDeadline({ ...late.changes, lists })).toMatchObject({ status: 'risky', subStatus: 'disposable' });
  });

  test('a caller that has left gets no answer', async () => {
    const controller = new AbortController();
    const caller = { priority: 'single', owner: '', taskId: '', signal: controller.signal } as const;
    const options = { level: 'smtp', failOpen: true, deadline: controller.signal, caller } as const;
    const vetted = vet('jane@corp.com', good, checkersOf(late.changes).checkers, options);
    controller.abort(new Error('gone'));
    await expect(vetted).rejects.toThrow('gone');
  });
});

describe('the result', () => {
  test('tells what the checks found', async () => {
    const result = encodeResult(await vet('jane@corp.com', good, checkersOf().checkers, { level: 'smtp' }), 'local');
    expect(result).toMatchObject({
      ...{ status: 'valid', sub_status: '', confidence: 0.97, safe_to_send: true, reasons: [], did_you_mean: null },
      details: {
        ...{ dns_valid: true, smtp_valid: true, smtp_code: 250, smtp_enhanced_code: '2.1.5', provider: 'Corp' },
        ...{ has_spf: true, has_dmarc: false },
      },
      catchall: { is_catchall: false, confidence: 0.97 },
      metadata: { plan_tier: 'local', features_used: { catchall_detection: true } },
    });
  });

  test('names the model that was used', async () => {
    const result = encodeResult(await vet('jane@corp.com', good, checkersOf().checkers, { level: 'dns' }), 'local');
    expect(result.ai_enhancement).toEqual({ used: true, method: 'model/1' });
    expect(result.metadata.features_used.ai_enhancement).toBe(true);
  });

  test('keeps the apparent domain of a broken address', async () => {
    const result = encodeResult(await vet('a b@corp.com', bad, checkersOf().checkers, { level: 'smtp' }), 'local');
    expect(result.details).toMatchObject({ syntax_valid: false, domain: 'corp.com', smtp_code: 0, provider: '' });
  });

  test('contains the evidence only on request, and when to retry', async () => {
    const deferred = { ...unanswered('greylisted'), retryAt: 1_800_000_000 };
    const { checkers } = checkersOf({
      prober: { probe: async () => ({ mailbox: deferred, catchAll: notRun }), close: async () => {} },
    });
    const vetted = await vet('jane@corp.com', good, checkers, { level: 'smtp' });
    expect(encodeResult(vetted, 'local')).toMatchObject({ retry_at: 1_800_000_000 });
    expect(encodeResult(vetted, 'local')).not.toHaveProperty('evidence');
    const explained = encodeResult(vetted, 'local', true);
    const { retryAt: _, ...mailbox } = deferred;
    expect(explained).toMatchObject({ retry_at: 1_800_000_000 });
    // The same format in JSON.
    expect(explained.evidence?.mailbox).toEqual(mailbox);
  });
});

describe('a deadline', () => {
  /** A host that never answers; the probe can be aborted. */
  const silent = () =>
    checkersOf({
      prober: {
        probe: (_request, caller) =>
          new Promise((_, reject) => {
            const signal = caller?.signal;
            if (signal?.aborted) reject(signal.reason);
            signal?.addEventListener('abort', () => reject(signal.reason));
          }),
        close: async () => {},
      },
    }).checkers;

  test.each([
    { name: 'that passes during a probe', passed: false },
    { name: 'that has already passed', passed: true },
  ])('$name: the verdict is unknown, and the evidence so far is kept', async ({ passed }) => {
    const deadline = new AbortController();
    if (passed) deadline.abort();
    const vetting = vet('jane@corp.com', good, silent(), { level: 'smtp', deadline: deadline.signal });
    setImmediate(() => deadline.abort());
    const result = encodeResult(await vetting, 'local');
    expect(result).toMatchObject({ status: 'unknown', sub_status: 'timeout_exceeded', safe_to_send: false });
    expect(result.details).toMatchObject({ dns_valid: true, smtp_valid: false, smtp_code: 0, has_spf: true });
  });

  test('does not hide that the caller has left', async () => {
    const [caller, deadline] = [new AbortController(), new AbortController()];
    const options = { level: 'smtp', caller: localCallerWith(caller.signal), deadline: deadline.signal } as const;
    const vetting = vet('jane@corp.com', good, silent(), options);
    setImmediate(() => {
      caller.abort(new Error('gone'));
      deadline.abort(caller.signal.reason);
    });
    await expect(vetting).rejects.toThrow('gone');
  });

  test('that is not reached changes nothing', async () => {
    const options = { level: 'smtp', deadline: new AbortController().signal } as const;
    const { verdict } = await vet('jane@corp.com', good, checkersOf().checkers, options);
    expect(verdict).toMatchObject({ status: 'valid', subStatus: '' });
  });
});
