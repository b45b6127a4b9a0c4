import { createHashSet } from '../../../service/dedupe/hash-set.js';
import { keyOfAddress } from '../../../service/dedupe/mailbox-key.js';
import type { Context } from '../../context.js';
import { planParts } from '../../render/preview.js';
import { formatKind } from '../../render/rows/formats.js';
import { flow } from '../../render/style/text-layout.js';
import { sanitize } from '../../terminal/sanitize.js';
import type { BulkOptions } from './bulk-options.js';
import { openList } from './open-list.js';

/** Reads the list and shows what the bundled engine would do with it; sends nothing. */
export async function runLocalPlan(context: Context, options: BulkOptions): Promise<number> {
  const { level } = context.settings();
  const source = await openList(context, options);
  const mailboxes = createHashSet();
  const domains = createHashSet();
  const plan = { rows: 0, addresses: 0, unique: 0, domains: 0, suppressed: 0 };
  try {
    for await (const rows of source.chunks) {
      for (const { email, part, isSuppressed } of rows) {
        if (part === undefined || part.index === 0) plan.rows++;
        if (email === '') continue;
        if (isSuppressed) {
          plan.suppressed++;
          continue;
        }
        plan.addresses++;
        const key = keyOfAddress(email);
        if (!mailboxes.add(key)) continue;
        plan.unique++;
        const separator = key.lastIndexOf('@');
        if (separator !== -1 && domains.add(key.slice(separator + 1))) plan.domains++;
      }
    }
  } finally {
    await source.close();
  }
  const columns = source.columns.length > 1 ? source.emailColumns.map((at) => source.columns[at] ?? '') : [];
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
    ...(plan.suppressed === 0 ? [] : [`${plan.suppressed} on a suppression list`]),
  ];
  const texts = pieces.map((text) => ({ text }));
  await stdout.write(flow('', 0, texts, { between: ' · ', columns: stdout.columns }));
  return 0;
}
