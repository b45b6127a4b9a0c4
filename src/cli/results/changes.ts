import { stat } from 'node:fs/promises';
import { suppressedVerdict } from '../../model/job.js';
import { type BulkItem, type ChangeCounts, countedAs } from '../../model/result.js';
import { quotedName } from '../../model/text/shell-word.js';
import { keyOfAddress } from '../../service/dedupe/mailbox-key.js';
import { collectVerdicts } from '../../service/dedupe/run-verdicts.js';
import { type EarlierItem, openResultsIn } from '../../service/earlier/earlier-results.js';
import type { Context } from '../context.js';

/** Tracks what changed since an earlier output. */
export type ChangeTracker = Awaited<ReturnType<typeof createChangeTracker>>;

/** Compares with the output at `path`. If there is none, every address is new. */
export async function createChangeTracker(context: Context, path: string, column: string | undefined) {
  const earlierFile = await stat(path).catch(() => null);
  if (earlierFile === null)
    context.warn(`There is no earlier output ${quotedName(path)}, so every address counts as new.`);
  const earlier = async function* (withRows = false): AsyncGenerator<readonly EarlierItem[]> {
    if (earlierFile !== null) yield* await openResultsIn(path, column, { withSuppressed: true, withRows });
  };
  let earlierCount = 0;
  const counted = async function* (): AsyncGenerator<readonly BulkItem[]> {
    for await (const items of earlier()) {
      earlierCount += items.length;
      yield items;
    }
  };
  const memory = await collectVerdicts(counted());
  const entryOf = (email: string): number => memory.entryOf(keyOfAddress(email.trim()));
  const counts: ChangeCounts = { new: 0, same: 0, changed: 0, gone: 0 };
  const moves: Record<string, number> = {};
  const countMove = (from: string, to: string): void => {
    const move = `${wordOf(from)}→${wordOf(to)}`;
    moves[move] = (moves[move] ?? 0) + 1;
  };
  return {
    /** When the earlier output was written, in ms since the epoch; null if there is none. */
    earlierAt: earlierFile?.mtimeMs ?? null,
    /** `new`, `same`, or both verdicts: `valid→invalid`. */
    changeOf: ({ email, status }: { email: string; status: string }): string => {
      const entry = entryOf(email);
      const earlierItem = memory.recall(entry, email);
      const isFirst = memory.markSeen(entry);
      const kind = earlierItem === null ? 'new' : earlierItem.status === status ? 'same' : 'changed';
      if (isFirst) counts[kind]++;
      if (earlierItem === null || kind !== 'changed') return kind;
      if (isFirst) countMove(earlierItem.status, status);
      return `${earlierItem.status}→${status}`;
    },
    /** Records that the address is in the list, but has no verdict yet. */
    markSeen: (email: string): void => {
      memory.markSeen(entryOf(email));
    },
    /** The results of the earlier output whose addresses are not in the list, with their rows. Called after all rows. */
    gone: async function* (): AsyncGenerator<EarlierItem> {
      for await (const items of earlier(true)) {
        for (const item of items) {
          if (!memory.markSeen(entryOf(item.email))) continue;
          counts.gone++;
          yield item;
        }
      }
    },
    counts: () => ({ changes: counts, moves, earlier_count: earlierCount }),
  };
}

function wordOf(status: string): string {
  return status === suppressedVerdict.status ? status : countedAs(status, false);
}
