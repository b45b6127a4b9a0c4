import type { RunStats } from '../../../report/run-stats.js';
import { worstOf } from '../../../report/status-counts.js';
import type { Context } from '../../context.js';

const worstKept = 20;

/** Also where the output was rejected: that is what somebody who looks at figures wants to know. */
export async function writeStats(
  context: Context,
  path: string,
  { summary, reasons, domains, suggestions, startedAt, endedAt }: Omit<RunStats, 'list' | 'timeline' | 'providers'>,
  rejected: readonly string[],
): Promise<void> {
  const [{ renderStats: renderFigures }, { writeWholeFile }] = await Promise.all([
    import('../../render/rows/summary-file.js'),
    import('../../results/write-whole-file.js'),
  ]);
  const figures = {
    ...summary,
    sub_status_counts: Object.fromEntries(reasons.names.map(({ name, total }) => [name, total])),
    worst_domains: worstOf(domains, worstKept),
    suggestion_count: suggestions.count,
    rejected,
    duration_seconds: (endedAt - startedAt) / 1000,
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(endedAt).toISOString(),
  };
  await writeWholeFile(context, '--summary', path, renderFigures(figures, path));
}
