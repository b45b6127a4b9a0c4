import { describe, expect, test } from 'vitest';
import { localCaller } from '../../../src/async/caller.js';
import type { BulkAnswer, ValidationResult } from '../../../src/model/result.js';
import { vetList } from '../../../src/service/local/vet-list.js';
import { resultOf } from '../../fakes/service.js';

describe('a duplicate mailbox in a run', () => {
  const asked: string[] = [];
  /** Runs a list through `vet`, with a small limit. */
  const runList = async (emails: readonly string[], vet: (email: string) => Promise<ValidationResult>) => {
    asked.length = 0;
    async function* chunks() {
      for (let first = 0; first < emails.length; first += 1_000) yield emails.slice(first, first + 1_000);
    }
    const run = {
      ...{ level: 'smtp', maxOpen: 10, greylistWaitMs: 0, isResolverDown: () => false, onWait: () => {} },
      vet: (email: string) => {
        asked.push(email);
        return vet(email);
      },
    };
    const answers: BulkAnswer[] = [];
    for await (const some of vetList(run, chunks(), { caller: localCaller })) answers.push(...some);
    return answers;
  };
  const answerSoon = async (email: string): Promise<ValidationResult> => {
    await new Promise(setImmediate);
    return resultOf(email, { details: { ...resultOf(email).details, provider: 'Somebody', smtp_code: 250 } });
  };

  test('is validated once among 60,000 equal rows, with any result', async () => {
    const rows = Array.from({ length: 60_000 }, (_, row) => (row % 2 === 0 ? 'a@b.co' : 'A@B.CO'));
    const unknown = async (email: string) => resultOf(email, { status: 'unknown', sub_status: 'timeout_occurred' });
    const answers = await runList(rows, unknown);
    expect(asked).toEqual(['a@b.co']);
    expect(answers).toHaveLength(60_000);
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(answers.at(-1)?.result).toMatchObject({
      email: 'A@B.CO',
      status: 'unknown',
      sub_status: 'timeout_occurred',
    });
  });

  test('is vetted once, even after 10,000 others, and its answer is as complete as the first', async () => {
    const others = Array.from({ length: 10_000 }, (_, row) => `a${row}@b${row % 7}.co`);
    const answers = await runList(['a@b.co', ...others, 'a@b.co', ...others.slice(0, 10)], answerSoon);
    expect(asked).toHaveLength(10_001);
    const { performance: _, metadata, ...first } = await answerSoon('a@b.co');
    expect(answers[10_001]).toEqual({
      duplicate: true,
      result: {
        ...first,
        performance: { response_time_ms: 0 },
        metadata: { ...metadata, timestamp: expect.any(Number) },
      },
    });
    expect(answers.at(-1)?.result).toMatchObject({ email: 'a9@b2.co', details: { domain: 'b2.co' } });
  });

  test('waits for the first one without delaying others', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = async (email: string): Promise<ValidationResult> => {
      if (email === 'slow@b.co') await held;
      if (email === 'last@b.co') release();
      return answerSoon(email);
    };
    const rows = [...Array.from({ length: 500 }, () => 'slow@b.co'), 'other@b.co', 'last@b.co'];
    const answers = await runList(rows, slow);
    expect(asked).toEqual(['slow@b.co', 'other@b.co', 'last@b.co']);
    expect(answers.every(({ unanswered }) => !unanswered)).toBe(true);
  });
});
