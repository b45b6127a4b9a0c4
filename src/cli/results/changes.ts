import { stat } from 'node:fs/promises';
import { type BulkItem, type ChangeCounts, countedAs } from '../../model/result.js';
import { openAnswerMemory } from '../../service/dedupe/answer-memory.js';
import { keyOfAddress } from '../../service/dedupe/mailbox-key.js';
import { openAnswersIn } from '../../service/remote/earlier-answers.js';
import type { Context } from '../context.js';

/** What changed since an earlier output. */
export interface Changes {
  /** When the earlier output was written, in ms since 1970; null where there is none. */
  readonly earlierAt: number | null;
  /** `new`, `same`, or both verdicts: `valid→invalid`. */
  of(result: { email: string; status: string }): string;
  /** The address came by, and has no verdict yet. */
  pass(email: string): void;
  /** The addresses of the earlier output that did not come by; call it after all others. */
  gone(): AsyncGenerator<BulkItem>;
  counts(): { changes: ChangeCounts; moves: Record<string, number> };
}

/** Compares with the output in `path`. On the first night there is none yet, and everything is new. */
export async function openChanges(context: Context, path: string, column: string | undefined): Promise<Changes> {
  const found = await stat(path).catch(() => null);
  const isThere = found !== null;
  if (!isThere) context.warn(`There is no earlier output ${path}, so every address counts as new.`);
  const memory = openAnswerMemory();
  const earlier = async function* (): AsyncGenerator<BulkItem> {
    if (!isThere) return;
    for await (const items of await openAnswersIn(path, column)) yield* items;
  };
  const entryOf = (email: string): number => memory.entryOf(keyOfAddress(email.trim()));
  for await (const item of earlier()) memory.remember(entryOf(item.email), item);
  const counts: ChangeCounts = { new: 0, same: 0, changed: 0, gone: 0 };
  const moves: Record<string, number> = {};
  const countMove = (from: string, to: string): void => {
    const move = `${countedAs(from, false)}→${countedAs(to, false)}`;
    moves[move] = (moves[move] ?? 0) + 1;
  };
  return {
    earlierAt: found?.mtimeMs ?? null,
    of: ({ email, status }) => {
      const entry = entryOf(email);
      const known = memory.recall(entry, email);
      const isFirst = memory.meet(entry);
      const kind = known === null ? 'new' : known.status === status ? 'same' : 'changed';
      if (isFirst) counts[kind]++;
      if (known === null || kind !== 'changed') return kind;
      if (isFirst) countMove(known.status, status);
      return `${known.status}→${status}`;
    },
    pass: (email) => {
      memory.meet(entryOf(email));
    },
    gone: async function* () {
      for await (const item of earlier()) {
        if (!memory.meet(entryOf(item.email))) continue;
        counts.gone++;
        yield item;
      }
    },
    counts: () => ({ changes: counts, moves }),
  };
}
