import { formatAmount, formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { RunSummary } from '../../../model/result.js';
import { type ListPlan, planList } from '../../../service/plan-list.js';
import type { Context } from '../../context.js';
import { primaryPath } from '../../results/output-files.js';
import { isRegularFile } from '../../terminal/digest-files.js';
import { type BulkList, openBulkList } from './list-source.js';
import type { BulkOptions } from './open-list.js';
import { openListMemory } from './run-memory.js';

/** Warns, in a dry run, if the run would be refused for its cost, or would use up the credits of the account. */
export async function warnOfCost(
  context: Context,
  { run: { maxCredits } }: BulkOptions,
  credits: number,
): Promise<void> {
  if (maxCredits !== undefined && credits > maxCredits)
    context.warn(`The run would end with status 3. ${overLimit(credits, maxCredits)}`);
  const { signal } = context;
  const account = await (await context.service()).account?.({ signal }).catch(() => null);
  if (account?.credits == null || credits <= account.credits) return;
  const has = formatAmount(account.credits, 'credit');
  context.warn(`The list may cost ${formatAmount(credits, 'credit')}, but the account has ${has}.`);
}

/** Throws, before anything is spent, if a list that can be read twice may cost more than `--max-credits`. */
export async function refuseCostlyList(context: Context, options: BulkOptions): Promise<void> {
  const { paths, run } = options;
  const { maxCredits } = run;
  if (context.settings().mode !== 'remote' || maxCredits === undefined || paths.length === 0) return;
  if (!(await Promise.all(paths.map(isRegularFile))).every(Boolean)) return;
  const list = await openBulkList(context, options);
  const { unique, known } = await planItems(context, options, list).finally(list.source.close);
  if (unique - known <= maxCredits) return;
  throw new Failure('no_credits', overLimit(unique - known, maxCredits), {
    hint: 'Nothing was sent. Allow more, or give a shorter list.',
  });
}

/** A service may charge less, for answers that it knows. */
function overLimit(credits: number, maxCredits: number): string {
  return `The list may cost ${formatAmount(credits, 'credit')}, but --max-credits allows ${formatNumber(maxCredits)}.`;
}

/** What is in a list, and at a service what is known of it. */
export async function planItems(
  context: Context,
  options: BulkOptions,
  { digest, source }: BulkList,
  { settles = false } = {},
): Promise<ListPlan> {
  const { run, paths, review, output, list } = options;
  const { mode, level, allowNetworks, allowList } = context.settings();
  const target = primaryPath({ output, review, list: paths[0] ?? null });
  const asker = mode === 'remote' ? await (await context.service()).asker() : null;
  const silent = { ...context, note: () => {} };
  const choice = { run, needsDetails: false, paths, output: target, limit: list.limit, digest };
  const memory = asker === null ? null : await openListMemory(silent, { ...choice, asker });
  try {
    return await planList(source.items, { network: { level, allowNetworks, allowList }, memory, settles });
  } finally {
    await memory?.close();
  }
}

/** Why an output is not put in place if a service left addresses out of its answers, or was sent some by an interrupted run. */
export function unansweredReasons({ left_out_count: missing, total }: RunSummary, inDoubt: number): string[] {
  const leftOut = `The service gave no answer for ${formatNumber(missing)} of ${formatAmount(total, 'address', 'addresses')} (no_answer). The same command asks for just these.`;
  const sent = `${formatAmount(inDoubt, 'address was', 'addresses were')} sent to the service before the interruption and never answered (no_answer), perhaps paid. To ask again: the same command with --max-age 1d.`;
  return [...(missing > 0 ? [leftOut] : []), ...(inDoubt > 0 ? [sent] : [])];
}

/** Says how many rows a run that stopped early answered; `waiting` addresses are unknown so far. */
export function stopNote({ total, empty_count, suppressed_count }: RunSummary, waiting: number, columnCount: number) {
  if (total === 0) return 'Stopped before any row was answered.';
  const answered =
    columnCount > 1
      ? formatAmount(total + suppressed_count, 'address', 'addresses')
      : formatAmount(total + empty_count + suppressed_count, 'row');
  const unknown = `and ${waiting === 1 ? 'is' : 'are'} unknown so far.`;
  const waits = `${formatAmount(waiting, 'address waits', 'addresses wait')} for a retry, ${unknown}`;
  return `Stopped after ${answered}.${waiting === 0 ? '' : ` ${waits}`}`;
}
