import type { RunFigures } from '../../../report/run-figures.js';
import { worstOf } from '../../../report/status-tally.js';
import type { Context } from '../../context.js';
import { writeThrough } from '../../terminal/output.js';

const worstKept = 20;

/** Also where the output was rejected: that is what somebody who looks at figures wants to know. */
export async function writeFigures(
  context: Context,
  path: string,
  { summary, reasons, domains, suggestions, startedAt, endedAt }: Omit<RunFigures, 'list' | 'timeline' | 'providers'>,
  rejected: readonly string[],
): Promise<void> {
  const [{ renderFigures }, { openFileSink }] = await Promise.all([
    import('../../render/rows/summary-file.js'),
    import('../../terminal/file-sink.js'),
  ]);
  const file = await openFileSink(path);
  const output = { finish: file.finish, abandon: file.abandon };
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
  await writeThrough(context, output, () => file.sink.write(renderFigures(figures, path)));
}
