import { describe, expect, test } from 'vitest';
import { localCaller } from '../../src/async/caller.js';
import { type Found, openPassingRun, type Run } from '../../src/lists/answers.js';
import { askEach } from '../../src/lists/ask-each.js';
import { askList } from '../../src/lists/ask-list.js';
import type { RunMemory } from '../../src/lists/keeper.js';
import type { Asker, Item, Question, Source } from '../../src/lists/pipeline.js';
import type { BulkAnswer, ValidationResult } from '../../src/model/result.js';
import { fakeAsker, resultOf } from '../fakes/service.js';
import { simulatedClock } from '../fakes/simulated-clock.js';

const listOf = (emails: readonly string[], canReadAgain = true, chunk = 1_000): Source<Item> => ({
  items: (async function* () {
    for (let start = 0; start < emails.length; start += chunk)
      yield emails.slice(start, start + chunk).map((email) => ({ email }));
  })(),
  from: canReadAgain ? async (item) => listOf(emails.slice(item)) : null,
  close: async () => {},
});

/** Answers each question with `answer`, many at a time. */
function askerOf(
  answer: (question: Question) => ValidationResult | Promise<ValidationResult>,
  change: Partial<Asker> = {},
): Asker {
  return fakeAsker({
    ask: (questions, { caller: { signal } }) =>
      askEach(questions, {
        answer: async (question) => ({ question, result: await answer(question) }),
        maxOpen: () => 500,
        signal,
      }),
    ...change,
  });
}

function collect() {
  const written: BulkAnswer[] = [];
  return {
    written,
    sink: { write: async ({ answers }: { answers: readonly BulkAnswer[] }) => void written.push(...answers) },
  };
}

const memoryOf = (run: Run, change: Partial<RunMemory> = {}): RunMemory => ({
  run,
  open: async () => run,
  maxAgeMs: null,
  needsDetails: false,
  ...change,
});

/** A run that an earlier start left with some answers. */
const unfinished = (run: Run): Run => ({ ...run, unfinished: { answered: 1, lastAt: 0, inDoubt: 0, jobs: [] } });

const later = (email: string): ValidationResult =>
  resultOf(email, { status: 'unknown', sub_status: 'greylisted', retry_at: 60 });

test('answers are written in input order, whatever order they come in', async () => {
  const emails = Array.from({ length: 300 }, (_, row) => `p${row}@b.co`);
  const asker = askerOf(async ({ email }) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
    return resultOf(email);
  });
  const { written, sink } = collect();
  await askList(listOf(emails, true, 7), { asker, sink, caller: localCaller });
  expect(written.map(({ result }) => result.email)).toEqual(emails);
});

describe('each mailbox is asked once', () => {
  const run = async (emails: string[], change: Partial<Asker> = {}) => {
    const asked: string[] = [];
    const asker = askerOf(({ email }) => {
      asked.push(email);
      return resultOf(email);
    }, change);
    const { written, sink } = collect();
    await askList(listOf(emails), { asker, sink, caller: localCaller });
    return { asked, written };
  };

  test('in one spelling, however often it occurs', async () => {
    const { asked, written } = await run(['a@b.co', 'A@B.co', 'a@b.co', 'a@B.CO']);
    // A mail host may tell the case of a local part apart (RFC 5321 §2.4).
    expect(asked).toEqual(['a@b.co', 'A@B.co']);
    expect(written.map(({ result, duplicate }) => [result.email, duplicate])).toEqual([
      ['a@b.co', false],
      ['A@B.co', true],
      ['a@b.co', true],
      ['a@B.CO', true],
    ]);
  });

  test('in any spelling, where it is paid', async () => {
    expect((await run(['a@b.co', 'A@B.co'], { isPaid: true })).asked).toEqual(['a@b.co']);
  });

  test('but not a row without an address, or one that is suppressed', async () => {
    const items = [{ email: '' }, { email: 'x@b.co', isSuppressed: true as const }, { email: 'a@b.co' }];
    const source = {
      ...listOf([]),
      items: (async function* () {
        yield items;
      })(),
    };
    const { written, sink } = collect();
    await askList(source, { asker: askerOf(({ email }) => resultOf(email)), sink, caller: localCaller });
    expect(written.map(({ empty, suppressed, result }) => empty ?? suppressed ?? result.status)).toEqual([
      true,
      true,
      'valid',
    ]);
  });
});

describe('an address whose host says "try later"', () => {
  const emails = Array.from({ length: 100_000 }, (_, row) => (row % 100 === 0 ? `grey${row}@b.co` : `p${row}@b.co`));

  test('stops nothing: the others are answered and kept before the first wait ends, and written in order', async () => {
    const clock = simulatedClock();
    const run = openPassingRun();
    const kept = new Set<string>();
    const memory = memoryOf({
      ...run,
      add: async (known) => {
        for (const { key } of known) kept.add(key);
        await run.add(known);
      },
    });
    const asked = new Map<string, number>();
    let keptAtFirstRetry = 0;
    const asker = askerOf(
      ({ email }) => {
        const times = (asked.get(email) ?? 0) + 1;
        asked.set(email, times);
        if (times > 1) keptAtFirstRetry ||= kept.size;
        return email.startsWith('grey') && times === 1 ? later(email) : resultOf(email);
      },
      { greylistWaitMs: 20 * 60_000 },
    );
    const { written, sink } = collect();
    let waiting = 0;
    const onProgress = (progress: { waiting(): number }): void => {
      waiting = Math.max(waiting, progress.waiting());
    };
    const end = askList(listOf(emails), { asker, sink, caller: localCaller, memory, clock, onProgress });
    await clock.runUntil(end);
    expect(keptAtFirstRetry).toBe(99_000);
    expect(waiting).toBe(1_000);
    expect(written.map(({ result }) => result.email)).toEqual(emails);
    expect(written.every(({ result, duplicate }) => result.status === 'valid' && !duplicate)).toBe(true);
    expect(Math.max(...[...asked].filter(([email]) => email.startsWith('p')).map(([, times]) => times))).toBe(1);
  }, 60_000);

  test('lets no more of a pipe be read than fits into the window', async () => {
    let read = 0;
    const stop = new AbortController();
    const asker = askerOf(({ email }) => (email === 'grey@b.co' ? later(email) : resultOf(email)), {
      greylistWaitMs: 1e6,
    });
    const source: Source<Item> = {
      ...listOf([], false),
      items: (async function* () {
        for (;;) {
          yield Array.from({ length: 1_000 }, (_, at) => ({
            email: read + at === 0 ? 'grey@b.co' : `p${read + at}@b.co`,
          }));
          read += 1_000;
          if (read === 40_000) setTimeout(() => stop.abort(), 500);
        }
      })(),
    };
    const { written, sink } = collect();
    const end = askList(source, { asker, sink, caller: { ...localCaller, signal: stop.signal } });
    await expect(end).rejects.toMatchObject({ code: 'interrupted' });
    expect(read).toBeLessThan(60_000);
    // The last answer of the one that waits is written, and all answers behind it.
    expect(written.slice(0, 2).map(({ result }) => [result.email, result.status])).toEqual([
      ['grey@b.co', 'unknown'],
      ['p1@b.co', 'valid'],
    ]);
    expect(written.length).toBeGreaterThan(40_000);
  });

  test('keeps its first answer where there is no time for a retry', async () => {
    const notes: string[] = [];
    const asker = askerOf(({ email }) => later(email), { greylistWaitMs: 1_000, onNote: (note) => notes.push(note) });
    const { written, sink } = collect();
    await askList(listOf(['a@b.co']), { asker, sink, caller: localCaller });
    expect([written[0]?.result.status, notes]).toEqual(['unknown', ['wait_too_short']]);
  });
});

describe('a run that goes on', () => {
  test('asks nothing that it has answered, in any spelling', async () => {
    const run = openPassingRun();
    await run.add([{ key: 'a@b.co', result: resultOf('a@b.co') }]);
    const asked: string[] = [];
    const asker = askerOf(({ email }) => {
      asked.push(email);
      return resultOf(email);
    });
    const { written, sink } = collect();
    await askList(listOf(['a@b.co', 'a@B.CO', 'c@b.co']), {
      asker,
      sink,
      caller: localCaller,
      memory: memoryOf(unfinished(run)),
    });
    expect(asked).toEqual(['c@b.co']);
    expect(written.map(({ result, reused }) => [result.email, reused])).toEqual([
      ['a@b.co', true],
      ['a@B.CO', undefined],
      ['c@b.co', undefined],
    ]);
  });

  test('names what was sent and not answered, and does not send it again', async () => {
    const inDoubt: Found = new Map([['a@b.co', null]]);
    const run = { ...unfinished(openPassingRun()), find: async () => inDoubt };
    const { written, sink } = collect();
    const asker = askerOf(({ email }) => resultOf(email), { isPaid: true });
    const report = await askList(listOf(['a@b.co', 'c@b.co']), {
      asker,
      sink,
      caller: localCaller,
      memory: memoryOf(run),
    });
    expect(report.inDoubt).toBe(1);
    expect(written.map(({ result, charged }) => [result.status, charged])).toEqual([
      ['unknown', false],
      ['valid', undefined],
    ]);
  });

  test('asks again for a verdict without details where they are needed', async () => {
    const run = openPassingRun();
    await run.add([{ key: 'a@b.co', result: { email: 'a@b.co', status: 'valid', is_valid: true, confidence: 1 } }]);
    let count = 0;
    const asker = askerOf(({ email }) => {
      count++;
      return resultOf(email);
    });
    const memory = (needsDetails: boolean) => memoryOf(unfinished(run), { needsDetails });
    for (const needsDetails of [false, true])
      await askList(listOf(['a@b.co']), { asker, ...collect(), caller: localCaller, memory: memory(needsDetails) });
    expect(count).toBe(1);
  });
});

describe('the memory of a run', () => {
  test('is not opened for a run that ends soon without an unknown answer, and keeps what an interrupted one has answered', async () => {
    const run = openPassingRun();
    let opened = 0;
    const memory = memoryOf(run, {
      run: null,
      open: async () => {
        opened++;
        return run;
      },
    });
    const asker = askerOf(({ email }) => resultOf(email));
    await askList(listOf(['a@b.co']), { asker, ...collect(), caller: localCaller, memory });
    expect(opened).toBe(0);
    const stop = new AbortController();
    const stopping = askerOf(async ({ email }) => {
      if (email !== 'last@b.co') return resultOf(email);
      await new Promise((resolve) => setTimeout(resolve, 20));
      stop.abort();
      return new Promise(() => {});
    });
    const caller = { ...localCaller, signal: stop.signal };
    await expect(
      askList(listOf(['a@b.co', 'last@b.co']), { asker: stopping, ...collect(), caller, memory }),
    ).rejects.toMatchObject({ code: 'interrupted' });
    expect([...(await run.find(['a@b.co', 'last@b.co'], null)).keys()]).toEqual(['a@b.co']);
  });

  test('gets no answer about this machine, and no unknown but a paid one is lost', async () => {
    const run = openPassingRun();
    const memory = memoryOf(run);
    const asker = askerOf(({ email }) => resultOf(email, { status: 'unknown', sub_status: email.split('@')[0] ?? '' }));
    const emails = ['dns_error@b.co', 'outbound_port_blocked@b.co', 'antispam_system@b.co'];
    await askList(listOf(emails), { asker, ...collect(), caller: localCaller, memory });
    expect([...(await run.find(emails, null)).keys()]).toEqual(['antispam_system@b.co']);
    await askList(listOf(emails), { asker: { ...asker, isPaid: true }, ...collect(), caller: localCaller, memory });
    expect((await run.find(emails, null)).size).toBe(3);
  });
});

test('a back end that fails in the middle: what it answered is written and kept, and the failure is thrown', async () => {
  const run = openPassingRun();
  const asker = fakeAsker({
    ask: async function* (questions) {
      for await (const batch of questions) {
        yield batch.filter((_, at) => at !== 1).map((question) => ({ question, result: resultOf(question.email) }));
        throw new Error('gone');
      }
    },
  });
  const { written, sink } = collect();
  const end = askList(listOf(['a@b.co', 'b@b.co', 'c@b.co']), {
    asker,
    sink,
    caller: localCaller,
    memory: memoryOf(run),
  });
  await expect(end).rejects.toThrow('gone');
  expect(written.map(({ result, unanswered }) => [result.email, unanswered])).toEqual([
    ['a@b.co', undefined],
    ['b@b.co', true],
    ['c@b.co', undefined],
  ]);
  expect((await run.find(['a@b.co', 'b@b.co', 'c@b.co'], null)).size).toBe(2);
});

test('a sink that fails stops the back end', async () => {
  let asked = 0;
  const asker = askerOf(async ({ email }) => {
    asked++;
    await new Promise((resolve) => setTimeout(resolve, 1));
    return resultOf(email);
  });
  const emails = Array.from({ length: 50_000 }, (_, row) => `p${row}@b.co`);
  const sink = { write: () => Promise.reject(new Error('disk full')) };
  await expect(askList(listOf(emails), { asker, sink, caller: localCaller })).rejects.toThrow('disk full');
  expect(asked).toBeLessThan(20_000);
});
