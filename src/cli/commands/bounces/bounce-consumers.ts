import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import type { Bounce } from '../../../model/bounce.js';
import { Failure } from '../../../model/failure.js';
import { quotedName } from '../../../model/text/shell-word.js';
import { formatRate, type OutcomeStats, rateOf } from '../../../report/outcome-stats.js';
import { lockWork } from '../../../service/work-lock.js';
import { readStoreAddress } from '../../../settings/secrets.js';
import type { Context } from '../../context.js';
import type { OutputOptions } from '../../flags/output-flags.js';
import { writeWholeFile } from '../../results/stats-files.js';
import { findTarget } from '../../terminal/output-target.js';

/** The flags; `paths` are files and folders, `-` is stdin. */
export interface BouncesOptions extends Record<ValueFlag, string | undefined> {
  paths: readonly string[];
  output: OutputOptions;
  learn: boolean;
}

export type ValueFlag = 'column' | 'replyColumn' | 'suppress' | 'against' | 'sent' | 'report';

/** Reads the bounces in addition to the rows. */
export interface BounceConsumer {
  /** `isClaim`: it comes from a message, which anybody can send. */
  add(bounce: Bounce, noticeId: string, isClaim: boolean): void;
  /** Called between batches. */
  flush?(): Promise<void>;
  /** Called after the last bounce. Returns the stats of the verdicts, if it has them. */
  finish(): Promise<OutcomeStats | null>;
  close?(): void | Promise<void>;
}

/** Opens what the options ask for. Files that cannot be used fail here, before any work. */
export async function openConsumers(context: Context, options: BouncesOptions): Promise<BounceConsumer[]> {
  const { suppress, against, sent, report, learn } = options;
  const consumers: BounceConsumer[] = [];
  if (report !== undefined && against === undefined && sent === undefined) {
    throw new Failure('usage', '--report needs --against or --sent: it compares verdicts with what happened.', {
      hint: 'Add --against FILE, an earlier output of bulk.',
    });
  }
  try {
    if (report !== undefined) await findTarget(report);
    if (suppress !== undefined) consumers.push(await openSuppressionConsumer(context, suppress));
    const hasLists = against !== undefined || sent !== undefined;
    const outcomes = hasLists ? await openOutcomeConsumer(context, options) : null;
    if (outcomes !== null) consumers.push(outcomes);
    if (learn) consumers.push(await openLearnConsumer(context, outcomes?.undecided ?? (async () => [])));
    return consumers;
  } catch (error) {
    await closeAll(consumers);
    throw error;
  }
}

/** Closes all, then throws the first error. */
export async function closeAll(consumers: readonly BounceConsumer[]): Promise<void> {
  const closed = await Promise.allSettled(consumers.map(async (consumer) => consumer.close?.()));
  for (const result of closed) if (result.status === 'rejected') throw result.reason;
}

async function openSuppressionConsumer(context: Context, path: string): Promise<BounceConsumer> {
  const { openSuppressionFile } = await import('../../../service/bounces/suppression-file.js');
  await findTarget(path);
  const target = await realpath(path).catch(() => resolve(path));
  const unlock = lockWork(context.settings().dataDir, `suppress\n${target}`, path);
  try {
    const file = await openSuppressionFile(path);
    const finish = async (): Promise<null> => {
      const { added, undated, total } = await file.save();
      const addresses = formatAmount(added, 'address', 'addresses');
      context.note(
        `${addresses} added to ${quotedName(path)}, which has ${formatNumber(total)}. Use it with --exclude ${quotedName(path)}.`,
      );
      if (undated > 0) {
        const addresses = `${formatNumber(undated)} of the added addresses ${undated === 1 ? 'has' : 'have'}`;
        context.note(`${addresses} no readable date, so "since" is today.`);
      }
      return null;
    };
    return { add: file.add, finish, close: unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openOutcomeConsumer(context: Context, { against, sent, report }: BouncesOptions) {
  const { openOutcomes, rememberedVerdicts } = await import('../../../service/bounces/track-outcomes.js');
  const { recall, close } = rememberedVerdicts(storeOf(context));
  const tracker = await openOutcomes({ against, sent, recall, signal: context.signal }).catch(
    async (error: unknown) => {
      await close();
      throw error;
    },
  );
  const finish = async (): Promise<OutcomeStats> => {
    const stats = await tracker.stats();
    if (report !== undefined) {
      const { renderOutcomeReport } = await import('../../../report/render-report.js');
      await writeWholeFile(context, '--report', report, renderOutcomeReport(stats, Date.now()).html);
    }
    return stats;
  };
  return { add: tracker.add, undecided: tracker.undecided, finish, close };
}

function storeOf(context: Context) {
  const { dataDir: home, store } = context.settings();
  return { home, address: readStoreAddress(store) };
}

const maxFacts = 20_000;

/** Keeps when an address took mail, and whether a bounce took it back. */
async function openLearnConsumer(context: Context, undecided: () => Promise<string[]>): Promise<BounceConsumer> {
  const { factsIn, mailKey, mergeFacts, noFacts, openLearned } = await import(
    '../../../service/local/learned-deliveries.js'
  );
  const unlock = lockLearned(context.settings().dataDir);
  const learned = openLearned(storeOf(context));
  const [facts, claims] = [new Map<string, typeof noFacts>(), new Map<string, typeof noFacts>()];
  const now = Date.now();
  const learn = async () => {
    const counts = await learned.learn(facts, claims);
    facts.clear();
    claims.clear();
    return counts;
  };
  return {
    add: (bounce, _, isClaim) => {
      const found = bounce.address === '' ? null : factsIn(bounce, now);
      // A delivery cannot be claimed.
      if (found === null || (isClaim && bounce.kind === 'delivered')) return;
      const [key, into] = [mailKey(bounce.address), isClaim ? claims : facts];
      into.set(key, mergeFacts(into.get(key) ?? noFacts, found));
    },
    flush: async () => {
      if (facts.size + claims.size >= maxFacts) await learn();
    },
    finish: async () => {
      for (const address of await undecided()) facts.set(mailKey(address), facts.get(mailKey(address)) ?? noFacts);
      const { accepted, mailed, late } = await learn();
      const rate =
        accepted === 0
          ? ''
          : ` Of those that took mail, ${formatRate(rateOf(late, accepted))} bounced after three days.`;
      context.note(
        `On record: ${formatAmount(mailed, 'mailed address', 'mailed addresses')}.${rate} Remove them with: mailvet bounces forget`,
      );
      return null;
    },
    close: async () => {
      await learned.close();
      unlock();
    },
  };
}

function lockLearned(dataDir: string): () => void {
  return lockWork(dataDir, 'learn', 'what is learned from bounces');
}

/** Removes what was learned. */
export async function runBouncesForget(context: Context): Promise<number> {
  const { openLearned } = await import('../../../service/local/learned-deliveries.js');
  const unlock = lockLearned(context.settings().dataDir);
  const learned = openLearned(storeOf(context));
  try {
    const hasForgotten = await learned.forget();
    context.note(hasForgotten ? 'Removed what was learned from mail.' : 'Nothing was learned from mail.');
    return 0;
  } finally {
    await learned.close();
    unlock();
  }
}
