import { formatAmount } from '../../model/amount.js';
import type { Job } from '../../model/job.js';

/** The state of a job as a word and a color. */
function jobState({ status, interrupted }: Job): { word: string; tone: string } {
  if (interrupted === true) return { word: 'interrupted', tone: 'risky' };
  const tones: Record<string, string> = {
    completed: 'valid',
    failed: 'invalid',
    canceled: 'unknown',
    running: 'plausible',
  };
  return { word: status, tone: tones[status] ?? 'unknown' };
}

export function JobBadge({ job }: { job: Job }) {
  const { word, tone } = jobState(job);
  return <span class={`badge ${tone}`}>{word}</span>;
}

export function isLive({ status }: Job): boolean {
  return status === 'queued' || status === 'running';
}

/** Addresses that passed without a mailbox check. */
export function countUnprobed({ sub_status_counts: counts = {} }: Job): number {
  return counts['not_probed'] ?? 0;
}

export function jobName({ filename, id }: Pick<Job, 'filename' | 'id'>): string {
  return filename === undefined || filename === '' ? `Job ${id.slice(0, 8)}` : filename;
}

/** How long lists are kept, as a sentence. */
export function retentionText(keepDays: number | null): string {
  if (keepDays === null) return 'Lists are kept until they are deleted.';
  const time = Number.isInteger(keepDays)
    ? formatAmount(keepDays, 'day')
    : formatAmount(Math.round(24 * keepDays), 'hour');
  return `Lists are deleted ${time} after they end.`;
}
