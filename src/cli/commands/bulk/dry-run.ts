import type { BulkPlan } from '../../../lists/plan-list.js';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { namesAt } from '../../../model/distinct-names.js';
import { reasonPhrase } from '../../../model/text/reason-phrases.js';
import type { Row, RowSource } from '../../../rows/rows.js';
import { createMailboxCounter, createSendPlan, type SendPlan } from '../../../service/plan-file.js';
import { defaultMaxCredits } from '../../../settings/definitions.js';
import type { Context } from '../../context.js';
import { estimateSeconds, placeParts, planParts } from '../../render/preview.js';
import { formatKind } from '../../render/rows/formats.js';
import { flow } from '../../render/style/text-layout.js';
import type { BulkOptions } from './bulk-options.js';
import { planItems, warnOfCost } from './credits.js';
import { openBulkList } from './list-source.js';
import { reportInput } from './open-list.js';

/** Reads the list and shows what a run would do with it, and at a service what it may cost; sends no address. */
export async function runDryRun(context: Context, options: BulkOptions): Promise<number> {
  const { level, mode, allowNetworks, allowList, maxCredits } = context.settings();
  const mailboxes = await createMailboxCounter({ level, allowNetworks, allowList });
  const list = await openBulkList(context, options);
  const source = list.rows;
  const { rows, counts } = countRows(source.chunks, mailboxes);
  let cost: BulkPlan | null = null;
  const sends = mode === 'hybrid' && level === 'smtp' ? await createSendPlan() : null;
  try {
    if (mode === 'remote') cost = await planItems(context, options, list, rows);
    else for await (const some of rows) for (const { email } of some) if (email !== '') await sends?.add(email);
  } finally {
    await source.close();
  }
  const hasColumns = source.format === 'csv' || source.columns.length > 1;
  const columns = hasColumns ? namesAt(source.columns, source.emailColumns) : [];
  const plan = { columns, ...counts(), empty: source.stats().empty };
  const { stdout } = context.terminal;
  const { format, path } = options.output;
  // The format of a file is that of its rows.
  const asText =
    formatKind(format) === 'screen' || (stdout.isTty && !context.json && (format === null || path !== null));
  // The plan of a local run says the same.
  reportInput(context, source, format, { hasSummary: asText && cost === null });
  if (cost !== null) await warnOfCost(context, options, cost);
  const limit = options.run.maxCredits ?? maxCredits ?? defaultMaxCredits;
  const hybrid = sends && {
    sent_at_most: Math.min(sends.atMost, limit),
    max_credits: limit,
    settled_here: sends.settled,
  };
  const effort = cost ?? { level, estimated_seconds: estimateSeconds(level, plan), ...hybrid };
  if (!asText) await stdout.write(`${JSON.stringify({ ...plan, ...effort })}\n`);
  else if (cost !== null) await stdout.write(renderCost(plan, cost));
  else {
    const place = { columns, otherColumns: source.otherColumns?.() ?? [], skippedLines: source.skippedLines() };
    const parts = [...placeParts(place), ...localPlanParts(plan, level), ...(sends ? sendParts(sends, limit) : [])];
    const texts = parts.map((text) => ({ text }));
    await stdout.write(flow('', 0, texts, { between: ' · ', columns: stdout.columns }));
  }
  return 0;
}

type ListPlan = ReturnType<ReturnType<typeof countRows>['counts']> & { columns: string[]; empty: number };

/** The rows of the list, and what was counted once they have been read. */
function countRows(chunks: RowSource['chunks'], mailboxes: Awaited<ReturnType<typeof createMailboxCounter>>) {
  const plan = { rows: 0, addresses: 0, suppressed: 0 };
  async function* counted(): AsyncGenerator<Row[]> {
    for await (const rows of chunks) {
      for (const { email, part, isSuppressed } of rows) {
        if (part === undefined || part.index === 0) plan.rows++;
        if (email === '') continue;
        if (isSuppressed) {
          plan.suppressed++;
          continue;
        }
        plan.addresses++;
        mailboxes.add(email);
      }
      yield rows;
    }
  }
  const counts = () => {
    const { rows, addresses, suppressed } = plan;
    const { unique, domains } = mailboxes.counts;
    return { rows, addresses, unique, duplicates: addresses - unique, domains, suppressed };
  };
  return { rows: counted(), counts };
}

function localPlanParts({ suppressed, empty, ...plan }: ListPlan, level: string): string[] {
  const [addresses = '', ...others] = planParts(plan, { level });
  return [
    addresses,
    ...(empty === 0 ? [] : [`${formatAmount(empty, 'row')} without an address`]),
    ...others,
    ...(suppressed === 0 ? [] : [`${formatNumber(suppressed)} on a suppression list`]),
  ];
}

/** What goes to the service at most, and what stays here. */
function sendParts({ atMost, settled }: SendPlan, limit: number): string[] {
  const here = Object.entries(settled).map(
    ([reason, count]) => `${formatNumber(count)} × ${reasonPhrase(reason, 'invalid')}`,
  );
  const within = atMost > limit ? ` (no more than ${formatNumber(limit)} credits)` : '';
  return [
    `at most ${formatNumber(atMost)} are sent to the service${within}`,
    ...(here.length === 0 ? [] : [`settled here: ${here.join(', ')}`]),
  ];
}

function renderCost({ addresses, unique, duplicates }: ListPlan, { known, requests, credits }: BulkPlan): string {
  const lines = [
    `${formatAmount(addresses, 'address', 'addresses')}: ${formatNumber(unique - known)} to check, ${formatAmount(duplicates, 'duplicate')}, ${formatNumber(known)} known already or malformed`,
    `${formatAmount(requests, 'request')}, ${formatAmount(credits, 'credit')}`,
  ];
  return `${lines.join('\n')}\n`;
}
