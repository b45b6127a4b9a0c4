import { describe, expect, test } from 'vitest';
import { localCaller } from '../../../src/async/caller.js';
import { askEach } from '../../../src/lists/ask-each.js';
import { askList } from '../../../src/lists/ask-list.js';
import type { Asker, Item, Result } from '../../../src/lists/pipeline.js';
import { Failure } from '../../../src/model/failure.js';
import type { BulkAnswer, ValidationResult } from '../../../src/model/result.js';
import { hybridAsker, openHybridService } from '../../../src/service/hybrid/hybrid.js';
import { jumpingClock } from '../../fakes/clock.js';
import { fakeAsker, fakeService, resultOf } from '../../fakes/service.js';

/** The engine's verdict is the local part up to a hyphen, a sub-status or `valid`. */
const statuses: Record<string, string> = { mailbox_not_found: 'invalid', disposable: 'risky', catch_all: 'risky' };
const engineResult = (email: string): ValidationResult => {
  const [word = ''] = email.split(/[-@]/);
  if (word === 'valid') return resultOf(email);
  return resultOf(email, { status: statuses[word] ?? 'unknown', sub_status: word as never });
};

function answering(answer: (email: string) => Result | Promise<Result>, change: Partial<Asker> = {}): Asker {
  return fakeAsker({
    ask: (questions, { caller: { signal } }) =>
      askEach(questions, {
        answer: async (question) => ({ question, result: await answer(question.email) }),
        maxOpen: () => 10,
        signal,
      }),
    ...change,
  });
}

interface Lab {
  engine?: Asker;
  service?: (email: string) => Result | Promise<Result>;
  level?: 'syntax' | 'dns' | 'smtp';
  sends?: string[];
}

function openLab({ engine = answering(engineResult), service = resultOf, level = 'smtp', sends = [] }: Lab = {}) {
  const sent: string[] = [];
  const notes: string[] = [];
  const paid = answering(
    (email) => {
      sent.push(email);
      return service(email);
    },
    { isPaid: true, scope: 'remote' },
  );
  const remote = fakeService({ asker: async () => paid, validate: async (email) => (await paidOne(email)) as never });
  const paidOne = async (email: string): Promise<Result> => {
    sent.push(email);
    return service(email);
  };
  const options = { level, sends, onNote: (text: string) => void notes.push(text) };
  const run = async (emails: string[], clock = jumpingClock()): Promise<BulkAnswer[]> => {
    const written: BulkAnswer[] = [];
    async function* items(): AsyncGenerator<Item[]> {
      yield emails.map((email) => ({ email }));
    }
    await askList(
      { items: items(), from: null, close: async () => {} },
      {
        asker: await hybridAsker(engine, remote, options),
        sink: { write: async ({ answers }) => void written.push(...answers) },
        caller: localCaller,
        clock,
      },
    );
    return written;
  };
  return { sent, notes, run, remote, options };
}

const decided = ({ result, charged }: BulkAnswer) => [
  result.status,
  (result as ValidationResult).metadata.back_end,
  charged ?? true,
];

describe('a list in hybrid', () => {
  test('sends what the engine cannot settle, each mailbox once, and says what it saved', async () => {
    const { sent, notes, run } = openLab();
    const answers = await run([
      ...['valid@b.co', 'mailbox_not_found@b.co', 'disposable@b.co', 'catch_all@b.co', 'antispam_system@b.co'],
      ...['catch_all@b.co', 'not an address'],
    ]);
    expect(sent).toEqual(['catch_all@b.co', 'antispam_system@b.co']);
    expect(answers.slice(0, 5).map(decided)).toEqual([
      ['valid', 'local', false],
      ['invalid', 'local', false],
      ['risky', 'local', false],
      ['valid', 'remote', true],
      ['valid', 'remote', true],
    ]);
    expect(notes).toEqual(['2 of 6 were sent to the service: 4 credits saved.']);
  });

  test('keeps the details of the engine beside the verdict of a service that has few fields', async () => {
    const { run } = openLab({ service: (email) => ({ email, status: 'valid', is_valid: true, confidence: 0.9 }) });
    const [answer] = await run(['catch_all@b.co']);
    expect(answer?.result).toMatchObject({
      ...{ status: 'valid', sub_status: '', confidence: 0.9, safe_to_send: true, reasons: [] },
      details: { domain: 'b.co' },
      metadata: { back_end: 'remote' },
    });
  });

  test('keeps the answer of the engine where the service does not know', async () => {
    const { run } = openLab({ service: (email) => resultOf(email, { status: 'unknown' }) });
    const [answer] = await run(['catch_all@b.co']);
    expect(answer?.result).toMatchObject({ status: 'risky', sub_status: 'catch_all', metadata: { back_end: 'local' } });
  });

  test('keeps the refusal of a mail host against a service, and counts the contradiction', async () => {
    const { notes, run } = openLab({ sends: ['mailbox_not_found'] });
    const [answer] = await run(['mailbox_not_found@b.co']);
    expect(answer?.result).toMatchObject({ status: 'invalid', metadata: { back_end: 'local' } });
    expect(notes.join()).toContain('mailvet explain mailbox_not_found');
  });

  test('sends what waits for greylisting only when its waiting is over', async () => {
    const clock = jumpingClock();
    const asked: string[] = [];
    const later = (email: string) =>
      resultOf(email, { status: 'unknown', sub_status: 'greylisted', retry_at: clock.now() / 1000 + 30 });
    const engine = answering(
      (email) => {
        asked.push(email);
        return email.startsWith('soon') && asked.filter((each) => each === email).length > 1
          ? resultOf(email)
          : later(email);
      },
      { greylistWaitMs: 20 * 60_000 },
    );
    const { sent, run } = openLab({ engine });
    const answers = await run(['soon@b.co', 'never@b.co'], clock);
    expect(sent).toEqual(['never@b.co']);
    expect(asked.filter((email) => email === 'never@b.co').length).toBeGreaterThan(2);
    expect(answers.map(decided)).toEqual([
      ['valid', 'local', false],
      ['valid', 'remote', true],
    ]);
  });

  test.each([
    { name: 'is away', failure: new Failure('network', 'The service cannot be reached.') },
    { name: 'has no credits left', failure: new Failure('no_credits', 'The credits are used up.') },
  ])('leaves the answers of the engine if the service $name', async ({ failure }) => {
    const { notes, run } = openLab({ service: () => Promise.reject(failure) });
    const answers = await run(['catch_all-1@b.co', 'valid@b.co', 'catch_all-2@b.co']);
    expect(answers.map(decided)).toEqual([
      ['risky', 'local', false],
      ['valid', 'local', false],
      ['risky', 'local', false],
    ]);
    expect(notes).toEqual([
      '0 of 3 were sent to the service: 1 credit saved.',
      `2 addresses keep the answer of the engine. ${failure.message}`,
    ]);
  });

  test('a list that fails says what was sent', async () => {
    const isDown = (email: string) => email.startsWith('down');
    const failure = new Failure('network', 'There is no network.');
    const { notes, run } = openLab({
      engine: answering((email) => (isDown(email) ? Promise.reject(failure) : engineResult(email))),
    });
    await expect(run(['catch_all@b.co', 'down@b.co'])).rejects.toBe(failure);
    expect(notes).toEqual(['1 of 1 were sent to the service: 0 credits saved.']);
  });

  test.each(['syntax', 'dns'] as const)('sends nothing at level %s but what the setting names', async (level) => {
    const emails = ['not_probed@b.co', 'dns_error@b.co'];
    const silent = openLab({ level });
    await silent.run(emails);
    expect(silent.sent).toEqual([]);
    const asked = openLab({ level, sends: ['not_probed'] });
    await asked.run(emails);
    expect(asked.sent).toEqual(['not_probed@b.co']);
  });
});

describe('one address in hybrid', () => {
  const local = fakeService({ validate: async (email) => engineResult(email) });

  test('is sent if the engine cannot settle it, with both opinions on request', async () => {
    const { remote, sent, options } = openLab();
    const service = openHybridService(local, remote, options);
    expect((await service.validate('valid@b.co')).metadata.back_end).toBe('local');
    expect(sent).toEqual([]);
    expect(await service.validate('catch_all@b.co', { explain: true })).toMatchObject({
      status: 'valid',
      metadata: { back_end: 'remote' },
      opinions: [
        { back_end: 'local', status: 'risky', sub_status: 'catch_all' },
        { back_end: 'remote', status: 'valid', sub_status: '' },
      ],
    });
  });

  test('keeps the answer of the engine if the service is away', async () => {
    const { remote, notes, options } = openLab({
      service: () => Promise.reject(new Failure('network', 'The service cannot be reached.')),
    });
    const result = await openHybridService(local, remote, options).validate('catch_all@b.co');
    expect([result.status, result.metadata.back_end]).toEqual(['risky', 'local']);
    expect(notes).toEqual(['The answer is that of the engine alone. The service cannot be reached.']);
  });
});
