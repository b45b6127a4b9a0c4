import { type BulkPlan, planList } from '../../../lists/plan-list.js';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { RunSummary } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { primaryPath } from '../../results/output-files.js';
import type { BulkOptions } from './bulk-options.js';
import { type BulkList, openBulkList } from './list-source.js';
import { openListMemory } from './run-memory.js';

/** Warns, in a dry run, if the run would be refused for its cost, or would use up the credits of the account. */
export async function warnOfCost(
  context: Context,
  { run: { maxCredits } }: BulkOptions,
  plan: BulkPlan,
): Promise<void> {
  if (maxCredits !== undefined && plan.credits > maxCredits)
    context.warn(`The run would end with status 3. ${overLimit(plan, maxCredits)}`);
  const { signal } = context;
  const account = await (await context.service()).account?.({ signal }).catch(() => null);
  if (account?.credits == null || plan.credits <= account.credits) return;
  const has = formatAmount(account.credits, 'credit');
  context.warn(`The list may cost ${formatAmount(plan.credits, 'credit')}, but the account has ${has}.`);
}

/** Throws, before anything is spent, if the list may cost more than `--max-credits`. */
export async function refuseCostlyList(context: Context, options: BulkOptions, maxCredits: number): Promise<void> {
  const plan = await planRows(context, options);
  if (plan.credits <= maxCredits) return;
  throw new Failure('no_credits', overLimit(plan, maxCredits), {
    hint: 'Nothing was sent. Allow more, or give a shorter list.',
  });
}

/** A service may charge less, for answers that it knows. */
function overLimit({ credits }: BulkPlan, maxCredits: number): string {
  return `The list may cost ${formatAmount(credits, 'credit')}, but --max-credits allows ${formatNumber(maxCredits)}.`;
}

async function planRows(context: Context, options: BulkOptions): Promise<BulkPlan> {
  const list = await openBulkList(context, options);
  try {
    return await planItems(context, options, list, list.source.items);
  } finally {
    await list.source.close();
  }
}

/** What the service would be sent for these rows, and what it would cost. */
export async function planItems(
  context: Context,
  options: BulkOptions,
  { digest }: Pick<BulkList, 'digest'>,
  items: AsyncIterable<readonly Row[]>,
): Promise<BulkPlan> {
  const { run, paths, review, output } = options;
  const target = primaryPath({ output, review, list: paths[0] ?? null });
  const asker = await (await context.service()).asker();
  const silent = { ...context, note: () => {} };
  const memory = await openListMemory(silent, { asker, run, needsDetails: false, paths, output: target, digest });
  try {
    return await planList(items, memory);
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

function waitingNote(waiting: number): string {
  if (waiting === 0) return '';
  return waiting === 1
    ? '1 address waits for a retry, and is unknown so far.'
    : `${formatNumber(waiting)} addresses wait for a retry, and are unknown so far.`;
}

/** Says how many rows a run that stopped early answered; `waiting` addresses are unknown so far. */
export function stopNote({ total, empty_count, suppressed_count }: RunSummary, waiting: number, columnCount: number) {
  if (total === 0) return 'Stopped before any row was answered.';
  const answered =
    columnCount > 1
      ? formatAmount(total + suppressed_count, 'address', 'addresses')
      : formatAmount(total + empty_count + suppressed_count, 'row');
  return [`Stopped after ${answered}.`, waitingNote(waiting)].filter((text) => text !== '').join(' ');
}
