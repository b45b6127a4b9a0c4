import { planList } from '../../../lists/plan-list.js';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { BulkPlan, RunSummary } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { primaryPath } from '../../results/output-files.js';
import { withSpinner } from '../../terminal/progress.js';
import type { BulkOptions } from './bulk-options.js';
import { type BulkList, openBulkList } from './list-source.js';
import { openListMemory } from './run-memory.js';

/** Warns, in a dry run, if the run would stop for its cost. */
export async function warnOfCost(context: Context, options: BulkOptions, plan: BulkPlan): Promise<void> {
  const { maxCredits = plan.credits } = options.run;
  const balance = await readBalance(context);
  if (plan.credits > maxCredits) context.warn(`The run would end with status 3. ${overLimit(plan, maxCredits)}`);
  else if (balance !== null && plan.credits > balance) {
    const cost = `The list may cost ${formatAmount(plan.credits, 'credit')}, but the balance is ${formatNumber(balance)}.`;
    context.warn(`The run may end with status 3. ${cost}`);
  }
}

/** Notes at the start of a run that the list may cost more than the balance. */
export async function noteLowBalance(context: Context, options: BulkOptions): Promise<void> {
  const balance = await readBalance(context);
  if (balance === null) return;
  const { credits } = await planRows(context, options);
  if (credits <= balance) return;
  const cost = `The list may cost ${formatAmount(credits, 'credit')}, but the balance is ${formatNumber(balance)}`;
  context.note(`${cost}: the run stops with status 3 when it is used up, and can be continued.`);
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

/** A service that does not tell its credits soon must not hold up a run. */
const maxBalanceWaitMs = 5_000;

/** The credits of the account; null if they are not limited, or not known. */
async function readBalance(context: Context): Promise<number | null> {
  const service = await context.service();
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(maxBalanceWaitMs)]);
  const account = await withSpinner(context, 'asking for the credits …', async () =>
    service.account?.({ signal, retries: 0 }).catch(() => null),
  );
  return account?.credits ?? null;
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
  const target = primaryPath({ output: { main: output }, review, list: paths[0] ?? null });
  const asker = await (await context.service()).asker();
  const silent = { ...context, note: () => {} };
  const memory = await openListMemory(silent, { asker, run, needsDetails: false, paths, output: target, digest });
  try {
    return await planList(items, memory);
  } finally {
    await memory?.close();
  }
}

/** Why an output is not put in place if a service left addresses out of its answers; null if it did not. */
export function leftOutReason({ left_out_count: missing, total }: RunSummary): string | null {
  if (missing === 0) return null;
  return `The service gave no answer for ${formatNumber(missing)} of ${formatAmount(total, 'address', 'addresses')} (no_answer). The same command asks for just these.`;
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
