import { countWords, type RunSummary } from '../../../model/result.js';
import type { BadName } from '../../../report/status-counts.js';

/** What is kept of a run that nobody watched. */
interface KeptFigures extends RunSummary {
  /** How often each sub_status occurred. */
  sub_status_counts: Record<string, number>;
  /** Why the output was rejected; empty where it was not. */
  rejected: readonly string[];
  /** The domains that cost most, with how many of their addresses have the status. */
  worst_domains: readonly BadName[];
  /** Addresses for which another one was suggested. */
  suggestion_count: number;
  duration_seconds: number;
  /** ISO 8601, UTC. */
  started_at: string;
  finished_at: string;
}

/** The figures as JSON or, for a monitor's text files, in the exposition format of Prometheus. */
export function renderStats(figures: KeptFigures, path: string): string {
  return path.toLowerCase().endsWith('.prom') ? renderProm(figures) : `${JSON.stringify(figures, null, 2)}\n`;
}

function renderProm(figures: KeptFigures): string {
  const { changes } = figures;
  return [
    family('mailvet_list_rows', 'Rows of the last run, by what became of them.', [
      ...countWords.map((word) => [`{status="${word}"}`, figures[`${word}_count`]] as const),
      ['{status="empty"}', figures.empty_count ?? 0],
    ]),
    family(
      'mailvet_list_reasons',
      'Rows of the last run, by sub_status.',
      Object.entries(figures.sub_status_counts).map(
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
      ['', figures.rejected.length > 0 ? 1 : 0],
    ]),
    family('mailvet_list_duration_seconds', 'How long the last run took.', [['', figures.duration_seconds]]),
    family('mailvet_list_finished_timestamp_seconds', 'When the last run ended.', [
      ['', Date.parse(figures.finished_at) / 1000],
    ]),
  ].join('');
}

function family(name: string, help: string, samples: readonly (readonly [labels: string, value: number])[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

/** A service may send any text. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
