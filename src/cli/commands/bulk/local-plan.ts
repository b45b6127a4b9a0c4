import { formatNumber } from '../../../model/amount.js';
import { createMailboxCounter } from '../../../service/plan-file.js';
import type { Context } from '../../context.js';
import { planParts } from '../../render/preview.js';
import { formatKind } from '../../render/rows/formats.js';
import { flow } from '../../render/style/text-layout.js';
import { sanitize } from '../../terminal/sanitize.js';
import type { BulkOptions } from './bulk-options.js';
import { openList, reportInput } from './open-list.js';

/** Reads the list and shows what the bundled engine would do with it; sends nothing. */
export async function runLocalPlan(context: Context, options: BulkOptions): Promise<number> {
  const { level } = context.settings();
  const source = await openList(context, options);
  const mailboxes = createMailboxCounter();
  let rowCount = 0;
  let addresses = 0;
  let suppressed = 0;
  try {
    for await (const rows of source.chunks) {
      for (const { email, part, isSuppressed } of rows) {
        if (part === undefined || part.index === 0) rowCount++;
        if (email === '') continue;
        if (isSuppressed) {
          suppressed++;
          continue;
        }
        addresses++;
        mailboxes.add(email);
      }
    }
  } finally {
    await source.close();
  }
  const plan = { rows: rowCount, addresses, ...mailboxes.counts, suppressed };
  const hasColumns = source.format === 'csv' || source.columns.length > 1;
  const columns = hasColumns ? source.emailColumns.map((at) => source.columns[at] ?? '') : [];
  reportInput(context, source, options.output.format, { fixes: options.review.fix });
  const { stdout } = context.terminal;
  const { format } = options.output;
  const asText = formatKind(format) === 'screen' || (format === null && stdout.isTty);
  if (!asText) {
    await stdout.write(`${JSON.stringify({ columns, ...plan, level })}\n`);
    return 0;
  }
  const names = columns.map((name) => `"${sanitize(name)}"`).join(', ');
  const pieces = [
    ...(columns.length === 0 ? [] : [`${columns.length === 1 ? 'column' : 'columns'} ${names}`]),
    ...planParts(plan, { level }),
    ...(suppressed === 0 ? [] : [`${formatNumber(suppressed)} on a suppression list`]),
  ];
  const texts = pieces.map((text) => ({ text }));
  await stdout.write(flow('', 0, texts, { between: ' · ', columns: stdout.columns }));
  return 0;
}
