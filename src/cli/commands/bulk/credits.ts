import { formatAmount, formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { BulkPlan, RunSummary } from '../../../model/result.js';
import type { EmailChunks, ValidationService } from '../../../model/service.js';
import type { Row } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { withSpinner } from '../../terminal/progress.js';
import type { BulkOptions } from './bulk-options.js';
import { openList } from './open-list.js';
import { earlierResults } from './resume.js';

/** Opens the back end with the limits on what may be spent. */
export function openPaidService(context: Context, { remote }: Pick<BulkOptions, 'remote'>): Promise<ValidationService> {
  const { maxCredits, retryBillable, sendInvalid } = remote;
  return context.service({ retryBillable, sendInvalid, ...(maxCredits !== undefined && { maxCredits }) });
}

/** Warns, in a dry run, if the run would stop for its cost. */
export async function warnOfCost(context: Context, options: BulkOptions, plan: BulkPlan): Promise<void> {
  const { maxCredits = plan.credits } = options.remote;
  const balance = await readBalance(context, options);
  if (plan.credits > maxCredits) context.warn(`The run would end with status 3. ${overLimit(plan, maxCredits)}`);
  else if (balance !== null && plan.credits > balance) {
    const cost = `The list may cost ${formatAmount(plan.credits, 'credit')}, but the balance is ${formatNumber(balance)}.`;
    context.warn(`The run may end with status 3. ${cost}`);
  }
}

/** Notes at the start of a run that the list may cost more than the balance. */
export async function noteLowBalance(context: Context, options: BulkOptions): Promise<void> {
  const balance = await readBalance(context, options);
  if (balance === null) return;
  const { credits } = await planList(context, options);
  if (credits <= balance) return;
  const cost = `The list may cost ${formatAmount(credits, 'credit')}, but the balance is ${formatNumber(balance)}`;
  context.note(`${cost}: the run stops with status 3 when it is used up, and can be continued.`);
}

/** Throws, before anything is spent, if the list may cost more than `--max-credits`. */
export async function refuseCostlyList(context: Context, options: BulkOptions, maxCredits: number): Promise<void> {
  const plan = await planList(context, options);
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
async function readBalance(context: Context, options: BulkOptions): Promise<number | null> {
  const service = await openPaidService(context, options);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(maxBalanceWaitMs)]);
  const account = await withSpinner(context, 'asking for the credits …', async () =>
    service.account?.({ signal, retries: 0 }).catch(() => null),
  );
  return account?.credits ?? null;
}

async function planList(context: Context, options: BulkOptions): Promise<BulkPlan> {
  const source = await openList(context, options);
  try {
    return await planEmails(context, options, emailsOf(source.chunks));
  } finally {
    await source.close();
  }
}

/** What the service would be sent for these addresses, and what it would cost. */
export async function planEmails(context: Context, options: BulkOptions, emails: EmailChunks): Promise<BulkPlan> {
  const service = await openPaidService(context, options);
  if (service.planMany === undefined) {
    throw new Failure('unsupported', 'This service cannot estimate the cost of a list.');
  }
  return service.planMany(emails, await earlierResults(context, options));
}

async function* emailsOf(chunks: AsyncIterable<Row[]>): AsyncGenerator<string[]> {
  for await (const rows of chunks)
    yield rows.filter((row) => row.email !== '' && !row.isSuppressed).map((row) => row.email);
}

/** Throws if a service left addresses out of its answers: the output does not replace a complete one. */
export function requireAllAnswers({ left_out_count: missing, total }: RunSummary): void {
  if (missing === 0) return;
  const message = `The service gave no answer for ${formatNumber(missing)} of ${formatAmount(total, 'address', 'addresses')}.`;
  throw new Failure('bad_answer', message, {
    hint: 'These rows are kept as unknown (no_answer); with -o FILE, --resume FILE asks for just these.',
  });
}

/** Says how many addresses a service left without an answer; empty if there are none. */
function unansweredNote({ unanswered_count: missing }: RunSummary): string {
  if (missing === 0) return '';
  return `${formatAmount(missing, 'more address', 'more addresses')} ${missing === 1 ? 'was' : 'were'} read and got no answer.`;
}

function waitingNote(waiting: number): string {
  if (waiting === 0) return '';
  return waiting === 1
    ? '1 address waits for a retry, and is unknown so far.'
    : `${formatNumber(waiting)} addresses wait for a retry, and are unknown so far.`;
}

/**
 * Says how many rows a run that stopped early answered, or need no answer; of a list with several columns, how many
 * addresses. `waiting` of them are unknown so far.
 */
export function stopNote(summary: RunSummary, waiting: number, columnCount: number): string {
  const nothingKept = summary.unanswered_count ? '; there is nothing to resume' : '';
  const { total, empty_count, suppressed_count } = summary;
  if (total === 0) return `Stopped before any row was answered${nothingKept}.`;
  const answered =
    columnCount > 1
      ? formatAmount(total + suppressed_count, 'address', 'addresses')
      : formatAmount(total + empty_count + suppressed_count, 'row');
  return [`Stopped after ${answered}.`, waitingNote(waiting), unansweredNote(summary)]
    .filter((text) => text !== '')
    .join(' ');
}
