import { basename } from 'node:path';
import { createHashSet } from '../../../lists/hash-set.js';
import { keyOfAddress } from '../../../lists/mailbox-key.js';
import { Failure } from '../../../model/failure.js';
import { suppressedVerdict } from '../../../model/job.js';
import type { BulkAnswer, BulkItem } from '../../../model/result.js';
import { quotedName } from '../../../model/text/shell-word.js';
import { renderReport } from '../../../report/render-report.js';
import { createStatsCollector, type RunStats } from '../../../report/run-stats.js';
import { createJobStats } from '../../../service/job-stats.js';
import type { Context } from '../../context.js';
import { writeWholeFile } from '../../results/stats-files.js';
import { protectInput } from '../../terminal/output-target.js';
import { type OutputSource, requireOutput } from '../jobs/output-source.js';

interface ReportOptions {
  name: string;
  path: string;
  column: string | undefined;
}

/** Writes the page of an output or a job. */
export async function runReport(context: Context, { name, path, column }: ReportOptions): Promise<number> {
  if (/\.(?!html?$)[^./\\]+$/i.test(path)) {
    throw new Failure('usage', `A report is an HTML page, but ${path} has another extension.`, {
      hint: 'Name it FILE.html.',
    });
  }
  await protectInput(name, path);
  const source = await requireOutput(context, name, column);
  const stats = await statsOf(source, basename(name));
  await writeWholeFile(context, '-o', path, renderReport(stats).html);
  context.note(`Wrote ${quotedName(path)}.`);
  return 0;
}

async function statsOf({ job, read }: OutputSource, name: string): Promise<RunStats> {
  const seen = createHashSet();
  const answerTo = (result: BulkItem): BulkAnswer => ({
    result,
    duplicate: !seen.add(keyOfAddress(result.email)),
    ...(result.status === suppressedVerdict.status && { suppressed: true as const }),
  });
  if (job !== null) {
    const { collector, stats } = createJobStats(job, { keepBad: true });
    for await (const items of read()) collector.add(items.map(answerTo));
    return stats();
  }
  const collector = createStatsCollector(Date.now(), { keepBad: true });
  for await (const items of read()) collector.add(items.map(answerTo));
  const list = { name, columns: [], otherColumns: [] };
  return { ...collector.stats(list, Date.now()), hasDuration: false };
}
