import type { Context } from '../../context.js';
import type { RunSummary } from '../../render/rows/rows.js';
import { writeThrough } from '../../terminal/output.js';

/** What a run came to. */
export interface RunEnd {
  summary: RunSummary;
  /** How often each sub_status occurred. */
  subStatuses: ReadonlyMap<string, number>;
  /** Why the output was rejected; empty where it was not. */
  rejected: readonly string[];
  /** By `performance.now()`. */
  startedAt: number;
}

/** Also where the output was rejected: that is what somebody who looks at figures wants to know. */
export async function writeFigures(
  context: Context,
  path: string,
  { summary, subStatuses, rejected, startedAt }: RunEnd,
): Promise<void> {
  const [{ renderFigures }, { openFileSink }] = await Promise.all([
    import('../../render/rows/summary-file.js'),
    import('../../terminal/file-sink.js'),
  ]);
  const file = await openFileSink(path);
  const output = { finish: file.finish, abandon: file.abandon };
  const figures = {
    ...summary,
    sub_status_counts: Object.fromEntries(subStatuses),
    rejected,
    duration_seconds: Math.round(performance.now() - startedAt) / 1000,
    finished_at: new Date().toISOString(),
  };
  await writeThrough(context, output, () => file.sink.write(renderFigures(figures, path)));
}
