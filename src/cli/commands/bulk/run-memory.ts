import { basename, resolve } from 'node:path';
import { lazy } from '../../../async/lazy.js';
import { openPassingRun, type Run, type RunKey } from '../../../lists/answers.js';
import type { RunMemory } from '../../../lists/keeper.js';
import type { Asker } from '../../../lists/pipeline.js';
import { formatAmount } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import { openAnswers } from '../../../service/answers/open-answers.js';
import type { Context } from '../../context.js';
import type { RunOptions } from '../../flags/list-flags.js';

/** The memory of one run of a list. */
export interface ListMemory extends RunMemory {
  /** Called when the outputs are in place: the next run asks everything. */
  finish(): Promise<void>;
  /** Leaves what was answered to the next run of the same command. */
  close(): Promise<void>;
}

interface MemoryOptions {
  asker: Asker;
  run: RunOptions;
  /** Results without details are asked again. */
  needsDetails: boolean;
  paths: readonly string[];
  /** Where the rows go; null for stdout. */
  output: string | null;
  limit: number | undefined;
  digest(): Promise<string>;
}

/** The memory of a list; null if its answers need no network. */
export async function openListMemory(context: Context, options: MemoryOptions): Promise<ListMemory | null> {
  const { asker, run: runOptions, needsDetails, paths, output, limit } = options;
  if (asker.judge !== undefined) return null;
  const { fresh, maxAgeMs } = runOptions;
  const { isPaid, scope } = asker;
  const { dataDir: home, keepAnswersMs: keepMs } = context.settings();
  const answers = openAnswers({ home, isPaid, keepMs, onNote: context.note });
  const name = paths.length === 0 ? 'this list' : paths.map((path) => basename(path)).join(', ');
  const key = lazy(async (): Promise<RunKey> => {
    const target = output === null ? '' : resolve(output);
    // A part of the list is a run of its own, whose end is not that of the whole.
    const parts = [await options.digest(), target, ...(limit === undefined ? [] : [limit])];
    return { scope, name, digest: parts.join('\n') };
  });
  const opening = lazy(async (): Promise<Run | null> => {
    try {
      return await answers.begin(await key.get(), { fresh });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'storage') throw error;
      context.note(`Answers cannot be kept, so an interrupted run starts again. ${error.message}`);
      return isPaid ? openPassingRun() : null;
    }
  });
  const isKnown = maxAgeMs !== null || isPaid || (answers.anyUnfinished() && answers.isUnfinished(await key.get()));
  const run = isKnown ? await opening.get() : null;
  if (run?.unfinished && run.unfinished.answered + run.unfinished.inDoubt > 0) context.note(continuing(run.unfinished));
  return {
    run,
    open: opening.get,
    maxAgeMs,
    needsDetails: needsDetails && !isPaid,
    finish: async () => (await opening.opened())?.finish(),
    close: async () => (await opening.opened())?.close(),
  };
}

function continuing({ answered, lastAt, inDoubt }: NonNullable<Run['unfinished']>): string {
  const time = answered === 0 ? '' : `, the last at ${new Date(lastAt).toTimeString().slice(0, 5)}`;
  const done = `Continuing: ${formatAmount(answered, 'address was', 'addresses were')} answered${time}.`;
  const doubt = `${formatAmount(inDoubt, 'address was', 'addresses were')} sent without an answer, perhaps paid, and ${inDoubt === 1 ? 'is' : 'are'} not sent again.`;
  return inDoubt === 0 ? done : `${done} ${doubt}`;
}
