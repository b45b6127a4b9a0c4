import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import type { Bounce } from '../../../model/bounce.js';
import { Failure } from '../../../model/failure.js';
import { quotedName } from '../../../model/text/shell-word.js';
import type { OutcomeStats } from '../../../report/outcome-stats.js';
import { lockWork } from '../../../service/local/work-lock.js';
import { readStoreAddress } from '../../../settings/secrets.js';
import type { Context } from '../../context.js';
import { writeWholeFile } from '../../results/stats-files.js';
import { findTarget } from '../../terminal/output-target.js';
import type { BouncesOptions } from './bounces-options.js';

/** Reads the bounces in addition to the rows. */
export interface BounceConsumer {
  add(bounce: Bounce, noticeId: string): void;
  /** Called after the last bounce. Returns the stats of the verdicts, if it has them. */
  finish(): Promise<OutcomeStats | null>;
  close?(): void | Promise<void>;
}

/** Opens what the options ask for. Files that cannot be used fail here, before any work. */
export async function openConsumers(context: Context, options: BouncesOptions): Promise<BounceConsumer[]> {
  const { suppress, against, sent, report, learn } = options;
  const consumers: BounceConsumer[] = [];
  if (learn && sent === undefined) {
    throw new Failure('usage', '--learn needs --sent: bounces alone do not show what was delivered.', {
      hint: 'Add --sent FILE, the list that was mailed, and --against FILE for its verdicts.',
    });
  }
  if (report !== undefined && against === undefined && sent === undefined) {
    throw new Failure('usage', '--report needs --against or --sent: it compares verdicts with what happened.', {
      hint: 'Add --against FILE, an earlier output of bulk.',
    });
  }
  try {
    if (report !== undefined) await findTarget(report);
    if (suppress !== undefined) consumers.push(await openSuppressionConsumer(context, suppress));
    if (against !== undefined || sent !== undefined) consumers.push(await openOutcomeConsumer(context, options));
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

async function openOutcomeConsumer(
  context: Context,
  { against, sent, report, learn }: BouncesOptions,
): Promise<BounceConsumer> {
  const { openOutcomes, rememberedVerdicts } = await import('../../../service/bounces/track-outcomes.js');
  const { dataDir: home, store } = context.settings();
  const { recall, close } = rememberedVerdicts({ home, address: readStoreAddress(store) });
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
    if (learn) await learnFrom(context, tracker);
    return stats;
  };
  return { add: tracker.add, finish, close };
}

type Tracker = Awaited<ReturnType<typeof import('../../../service/bounces/track-outcomes.js')['openOutcomes']>>;

async function learnFrom(context: Context, tracker: Tracker): Promise<void> {
  const { dataDir } = context.settings();
  const { openLearned } = await import('../../../service/local/learned-deliveries.js');
  const unlock = lockLearned(dataDir);
  try {
    const { mailingId, domains } = await tracker.deliveries();
    await openLearned(dataDir).learn(mailingId, domains);
    const count = formatAmount(domains.size, 'domain');
    context.note(`Stored the delivery rates of ${count}. Remove them with: mailvet bounces forget`);
  } finally {
    unlock();
  }
}

function lockLearned(dataDir: string): () => void {
  return lockWork(dataDir, 'learn', 'what is learned from bounces');
}

/** Removes what was learned. */
export async function runBouncesForget(context: Context): Promise<number> {
  const { openLearned } = await import('../../../service/local/learned-deliveries.js');
  const { dataDir } = context.settings();
  const unlock = lockLearned(dataDir);
  let hasForgotten: boolean;
  try {
    hasForgotten = openLearned(dataDir).forget();
  } finally {
    unlock();
  }
  context.note(hasForgotten ? 'Removed the stored delivery rates.' : 'Nothing was learned from bounces.');
  return 0;
}
