import { amount, count } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { BulkPlan, RunSummary } from '../../../model/result.js';
import type { BulkOptions as ServiceWishes, ValidationService } from '../../../model/service.js';
import type { Row, RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { formatKind } from '../../render/rows/formats.js';
import type { BulkOptions } from './bulk-options.js';

type PaidList = Pick<BulkOptions, 'output' | 'list' | 'remote' | 'resume'>;

/** The back end, told what may be spent. */
export function openPaidService(context: Context, { remote }: PaidList): Promise<ValidationService> {
  const { maxCredits, retryBillable } = remote;
  return context.service({ retryBillable, ...(maxCredits === undefined ? {} : { maxCredits }) });
}

/** The answers that `--resume` names; nothing where it was not given. */
export async function earlierAnswers(
  context: Context,
  { resume, list: { column } }: Pick<PaidList, 'resume' | 'list'>,
): Promise<Pick<ServiceWishes, 'answered'>> {
  if (resume === undefined) return {};
  const { openEarlierAnswers } = await import('../../../service/remote/earlier-answers.js');
  const { answers, wasKilled } = await openEarlierAnswers(resume, column);
  if (wasKilled) {
    context.note(
      'The earlier run was killed: requests that were on their way then are sent again, and may be charged twice.',
    );
  }
  return { answered: answers };
}

/** Says what the list would cost, and sends nothing. */
export async function runDryRun(context: Context, list: PaidList, open: () => Promise<RowSource>): Promise<number> {
  const plan = await planOf(context, list, open);
  const { stdout } = context.terminal;
  const wantsText = formatKind(list.output.format) === 'screen' || (list.output.format === null && stdout.isTty);
  await stdout.write(wantsText ? renderPlan(plan) : `${JSON.stringify(plan)}\n`);
  return 0;
}

/** Refuses a list that would cost more than `--max-credits`, before anything is spent. */
export async function refuseCostlyList(
  context: Context,
  list: PaidList,
  open: () => Promise<RowSource>,
): Promise<void> {
  const { maxCredits = Number.POSITIVE_INFINITY } = list.remote;
  const { credits } = await planOf(context, list, open);
  if (credits <= maxCredits) return;
  throw new Failure(
    'no_credits',
    `The list would cost ${amount(credits, 'credit')}, but --max-credits allows ${count(maxCredits)}.`,
    {
      hint: 'Nothing was sent. Allow more, or give a shorter list.',
    },
  );
}

async function planOf(context: Context, list: PaidList, open: () => Promise<RowSource>): Promise<BulkPlan> {
  const service = await openPaidService(context, list);
  if (service.planMany === undefined) {
    throw new Failure('unsupported', 'This back end does not know what a list would cost.');
  }
  const source = await open();
  try {
    return await service.planMany(emailsOf(source.chunks), await earlierAnswers(context, list));
  } finally {
    await source.close();
  }
}

async function* emailsOf(chunks: AsyncIterable<Row[]>): AsyncGenerator<string[]> {
  for await (const rows of chunks) yield rows.map((row) => row.email).filter((email) => email !== '');
}

function renderPlan({ addresses, unique, duplicates, known, requests, credits }: BulkPlan): string {
  const lines = [
    `${amount(addresses, 'address', 'addresses')}: ${count(unique)} to ask for, ${amount(duplicates, 'duplicate')}, ${count(known)} known already`,
    `${amount(requests, 'request')}, ${amount(credits, 'credit')}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** What a service that left rows out owes the user to know; empty where it left out none. */
export function unansweredNote({ unanswered_count: missing = 0 }: RunSummary): string {
  if (missing === 0) return '';
  const rows = `${amount(missing, 'more row')} ${missing === 1 ? 'was' : 'were'}`;
  return `${rows} read and got no answer; --resume with what was written asks for just ${missing === 1 ? 'that' : 'those'}.`;
}

/** How far a run came that stopped before its end, and how to go on where there is something to go on from. */
export function stopNote(summary: RunSummary): string {
  const nothingKept = summary.unanswered_count ? '; there is nothing to resume' : '';
  if (summary.total === 0) return `Stopped before any row was answered${nothingKept}.`;
  return `Stopped after ${amount(summary.total, 'row')}. ${unansweredNote(summary)}`.trim();
}
