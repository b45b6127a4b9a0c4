import { Failure } from '../../model/failure.js';
import { countWords } from '../../model/result.js';
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
  const summary = summaryOf(stats, rejected);
  const isPrometheus = path.toLowerCase().endsWith('.prom');
  const text = isPrometheus ? renderPrometheus(summary) : `${JSON.stringify(summary, null, 2)}\n`;
  await writeWholeFile(context, '--summary', path, text);
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

/** The same as Prometheus text: each family with its help and its samples. */
function renderPrometheus(stats: ReturnType<typeof summaryOf>): string {
  const labeled = (label: string, counts: Record<string, number>): string[] =>
    Object.entries(counts).map(([name, count]) => `{${label}="${escapeLabel(name)}"} ${count}`);
  const words = [...countWords, 'empty', 'suppressed'] as const;
  const statuses = Object.fromEntries(words.map((word) => [word, stats[`${word}_count`]]));
  const { duration_seconds: seconds, finished_at, rejected, sub_status_counts } = stats;
  const families: [name: string, help: string, samples: readonly string[]][] = [
    ['rows', 'Rows of the last run, by status.', labeled('status', statuses)],
    ['reasons', 'Rows of the last run, by sub_status.', labeled('sub_status', sub_status_counts)],
    ['rejected', '1 if a guard rejected the last output.', [` ${Number(rejected.length > 0)}`]],
    ['duration_seconds', 'How long the last run took.', seconds === null ? [] : [` ${seconds}`]],
    ['finished_timestamp_seconds', 'When the last run ended.', [` ${Date.parse(finished_at) / 1000}`]],
  ];
  return families
    .filter(([, , samples]) => samples.length > 0)
    .map(([name, help, samples]) => {
      const full = `mailvet_list_${name}`;
      return `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${samples.map((sample) => `${full}${sample}\n`).join('')}`;
    })
    .join('');
}

/** Escapes a text from a remote service. */
function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
