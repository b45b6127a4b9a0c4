import { countWords, type RunSummary } from '../../../model/result.js';
import type { BadName } from '../../../report/status-counts.js';

/** The statistics of a run for `--summary`. */
interface SummaryFile extends RunSummary {
  /** How often each sub_status occurred. */
  sub_status_counts: Record<string, number>;
  /** Why the output was rejected; empty where it was not. */
  rejected: readonly string[];
  /** The domains with most bad addresses, and how many of them have the status. */
  worst_domains: readonly BadName[];
  /** Addresses for which another one was suggested. */
  suggestion_count: number;
  duration_seconds: number;
  /** ISO 8601, UTC. */
  started_at: string;
  finished_at: string;
}

/** The statistics as JSON or, for a `.prom` file, in the text format of Prometheus. */
export function renderStats(stats: SummaryFile, path: string): string {
  return path.toLowerCase().endsWith('.prom') ? renderPrometheus(stats) : `${JSON.stringify(stats, null, 2)}\n`;
}

function renderPrometheus(stats: SummaryFile): string {
  const { changes } = stats;
  return [
    family('mailvet_list_rows', 'Rows of the last run, by what became of them.', [
      ...countWords.map((word) => [`{status="${word}"}`, stats[`${word}_count`]] as const),
      ['{status="empty"}', stats.empty_count ?? 0],
    ]),
    family(
      'mailvet_list_reasons',
      'Rows of the last run, by sub_status.',
      Object.entries(stats.sub_status_counts).map(
        ([name, times]) => [`{sub_status="${escaped(name)}"}`, times] as const,
      ),
    ),
    changes === undefined
      ? ''
      : family(
          'mailvet_list_changes',
          'Addresses of the last run, by what changed.',
          Object.entries(changes).map(([name, times]) => [`{change="${name}"}`, times] as const),
        ),
    family('mailvet_list_rejected', '1 where a guard kept the last output out of its place.', [
      ['', stats.rejected.length > 0 ? 1 : 0],
    ]),
    family('mailvet_list_duration_seconds', 'How long the last run took.', [['', stats.duration_seconds]]),
    family('mailvet_list_finished_timestamp_seconds', 'When the last run ended.', [
      ['', Date.parse(stats.finished_at) / 1000],
    ]),
  ].join('');
}

function family(name: string, help: string, samples: readonly (readonly [labels: string, value: number])[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

/** A remote service may send any text. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
