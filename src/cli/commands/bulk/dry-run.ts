import { formatAmount, formatNumber } from '../../../model/amount.js';
import { namesAt } from '../../../model/distinct-names.js';
import { reasonPhrase } from '../../../model/text/sentences.js';
import type { ListPlan } from '../../../service/plan-list.js';
import { defaultMaxCredits } from '../../../settings/definitions.js';
import { maxEmailsPerRequest } from '../../../wire/api.js';
import type { Context } from '../../context.js';
import { estimateSeconds, placeParts, planParts } from '../../render/preview.js';
import { flow } from '../../render/style/text-layout.js';
import { printRecord, showsTable } from '../../results/print-records.js';
import { planItems, warnOfCost } from './credits.js';
import { openBulkList } from './list-source.js';
import { type BulkOptions, reportInput } from './open-list.js';

/** Reads the list and shows what a run would do with it, and at a service what it may cost; sends no address. */
export async function runDryRun(context: Context, options: BulkOptions): Promise<number> {
  const { level, mode, maxCredits } = context.settings();
  const isRemote = mode === 'remote';
  const isHybrid = mode === 'hybrid' && level === 'smtp';
  const list = await openBulkList(context, options);
  const source = list.rows;
  const found = await planItems(context, options, list, { settles: isHybrid }).finally(source.close);
  const hasColumns = source.format === 'csv' || source.columns.length > 1;
  const columns = hasColumns ? namesAt(source.columns, source.emailColumns) : [];
  const { rows, addresses, unique, domains, suppressed, known, settled } = found;
  const counts = { rows, addresses, unique, duplicates: addresses - unique, domains, suppressed };
  const plan = { columns, ...counts, empty: source.stats().empty };
  const { columns: width } = context.terminal.stdout;
  const { format, path } = options.output;
  // The format of a file is that of its rows.
  const flags = path === null ? { format } : { json: context.json };
  // The plan of a local run says the same.
  reportInput(context, source, format, { hasSummary: showsTable(context, flags) && !isRemote });
  const cost = { known, requests: Math.ceil((unique - known) / maxEmailsPerRequest), credits: unique - known };
  if (isRemote) await warnOfCost(context, options, cost.credits);
  const limit = options.run.maxCredits ?? maxCredits ?? defaultMaxCredits;
  const settledCount = Object.values(settled).reduce((sum, count) => sum + count, 0);
  const atMost = unique - settledCount;
  const hybrid = isHybrid && { sent_at_most: Math.min(atMost, limit), max_credits: limit, settled_here: settled };
  const effort = isRemote ? cost : { level, estimated_seconds: estimateSeconds(level, plan), ...hybrid };
  const place = { columns, otherColumns: source.otherColumns?.() ?? [], skippedLines: source.skippedLines() };
  const sends = isHybrid ? sendParts(atMost, settled, limit) : [];
  const texts = [...placeParts(place), ...localPlanParts(plan, level), ...sends].map((text) => ({ text }));
  const costs = [
    `${formatAmount(addresses, 'address', 'addresses')}: ${formatNumber(cost.credits)} to check, ${formatAmount(plan.duplicates, 'duplicate')}, ${formatNumber(known)} known already or malformed`,
    `${formatAmount(cost.requests, 'request')}, ${formatAmount(cost.credits, 'credit')}`,
  ];
  const screen = (): string =>
    isRemote ? `${costs.join('\n')}\n` : flow('', 0, texts, { between: ' · ', columns: width });
  await printRecord(context, flags, { ...plan, ...effort }, screen);
  return 0;
}

type Counts = Pick<ListPlan, 'rows' | 'addresses' | 'unique' | 'domains' | 'suppressed'> & { duplicates: number };

function localPlanParts({ suppressed, empty, ...plan }: Counts & { empty: number }, level: string): string[] {
  const [addresses = '', ...others] = planParts(plan, { level });
  return [
    addresses,
    ...(empty === 0 ? [] : [`${formatAmount(empty, 'row')} without an address`]),
    ...others,
    ...(suppressed === 0 ? [] : [`${formatNumber(suppressed)} on a suppression list`]),
  ];
}

/** What goes to the service at most, and what stays here. */
function sendParts(atMost: number, settled: ListPlan['settled'], limit: number): string[] {
  const here = Object.entries(settled).map(
    ([reason, count]) => `${formatNumber(count)} × ${reasonPhrase(reason, 'invalid')}`,
  );
  const within = atMost > limit ? ` (no more than ${formatNumber(limit)} credits)` : '';
  return [
    `at most ${formatNumber(atMost)} are sent to the service${within}`,
    ...(here.length === 0 ? [] : [`settled here: ${here.join(', ')}`]),
  ];
}
