import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import type { Bounce } from '../../../model/bounce.js';
import { Failure } from '../../../model/failure.js';
import type { OutcomeStats } from '../../../report/outcome-stats.js';
import { lockWork } from '../../../service/local/background-work.js';
import { readStoreAddress } from '../../../settings/secrets.js';
import type { Context } from '../../context.js';
import { writeWholeFile } from '../../results/stats-files.js';
import { findTarget } from '../../terminal/output-target.js';
import type { BouncesOptions } from './bounces-options.js';

/** What bounces are used for, in addition to the rows. */
export interface BounceUse {
  add(bounce: Bounce, noticeId: string): void;
  /** After the last bounce; gives what it found about verdicts. */
  finish(): Promise<OutcomeStats | null>;
  close?(): void | Promise<void>;
}

/** Opens what the options ask for. Files that cannot be used fail here, before any work. */
export async function openUses(context: Context, options: BouncesOptions): Promise<BounceUse[]> {
  const { suppress, against, sent, report, learn } = options;
  const uses: BounceUse[] = [];
  if (learn && sent === undefined) {
    throw new Failure('usage', '--learn needs --sent: bounces alone do not tell what was delivered.', {
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
    if (suppress !== undefined) uses.push(await openSuppressUse(context, suppress));
    if (against !== undefined || sent !== undefined) uses.push(await openOutcomeUse(context, options));
    return uses;
  } catch (error) {
    for (const use of uses) await use.close?.();
    throw error;
  }
}

async function openSuppressUse(context: Context, path: string): Promise<BounceUse> {
  const { openSuppressionFile } = await import('../../../service/bounces/suppression-file.js');
  await findTarget(path);
  const target = await realpath(path).catch(() => resolve(path));
  const unlock = lockWork(context.settings().dataDir, `suppress\n${target}`, path);
  try {
    const file = await openSuppressionFile(path);
    const finish = async (): Promise<null> => {
      const { added, total } = await file.save();
      const addresses = formatAmount(added, 'address', 'addresses');
      context.note(`${addresses} added to ${path}, which has ${formatNumber(total)}. Use it with --exclude ${path}.`);
      return null;
    };
    return { add: file.add, finish, close: unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openOutcomeUse(context: Context, { against, sent, report, learn }: BouncesOptions): Promise<BounceUse> {
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
  const unlock = lockWork(dataDir, 'learn', 'what is learned from bounces');
  try {
    const { mailingId, domains } = await tracker.deliveries();
    await openLearned(dataDir).learn(mailingId, domains);
    const count = formatAmount(domains.size, 'domain');
    context.note(`Stored the delivery rates of ${count}. Remove them with: mailvet bounces forget`);
  } finally {
    unlock();
  }
}

/** Removes what was learned. */
export async function runForget(context: Context): Promise<number> {
  const { openLearned } = await import('../../../service/local/learned-deliveries.js');
  const hasForgotten = openLearned(context.settings().dataDir).forget();
  context.note(hasForgotten ? 'What was learned from bounces is removed.' : 'Nothing was learned from bounces.');
  return 0;
}
