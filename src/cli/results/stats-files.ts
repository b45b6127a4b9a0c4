import { Failure } from '../../model/failure.js';
import type { RunStats } from '../../report/run-stats.js';
import { worstOf } from '../../report/status-counts.js';
import type { Context } from '../context.js';
import type { ReviewOptions } from '../flags/list-flags.js';
import type { Written } from '../render/final-summary.js';
import { openFileSink } from '../terminal/file-sink.js';
import { runWithOutput } from './output.js';

const maxDomains = 20;

/** Writes the file of `--summary`, after the rows, even if a guard rejects the output. Returns it. */
export async function writeStatsFiles(
  context: Context,
  { review: { summary: path } }: { review: ReviewOptions },
  stats: RunStats,
  rejected: readonly string[],
): Promise<Written[]> {
  if (path === undefined) return [];
  await writeWholeFile(context, '--summary', path, `${JSON.stringify(summaryOf(stats, rejected), null, 2)}\n`);
  return [{ path, rows: null }];
}

/** Writes a file in one step. */
export async function writeWholeFile(context: Context, flag: string, path: string, text: string): Promise<void> {
  try {
    const file = await openFileSink(path);
    await runWithOutput(context, file, () => file.sink.write(text));
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== 'storage') throw thrown;
    throw new Failure('storage', thrown.message, {
      hint: `Free some space, or give ${flag} another file. Everything else was written.`,
      cause: thrown,
    });
  }
}

/** The content of `--summary`; `rejected` contains the reasons to reject the output. */
function summaryOf(
  { summary, reasons, domains, suggestions, startedAt, endedAt, hasDuration = true }: RunStats,
  rejected: readonly string[],
) {
  return {
    ...summary,
    sub_status_counts: Object.fromEntries(reasons.names.map(({ name, total }) => [name, total])),
    worst_domains: worstOf(domains, maxDomains),
    suggestion_count: suggestions.count,
    rejected,
    duration_seconds: hasDuration ? (endedAt - startedAt) / 1000 : null,
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(endedAt).toISOString(),
  };
}
