import type { Job } from '../../model/job.js';

/** What becomes of a job, in a word and the colour of a status. A job that nobody works on does not run. */
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

/** The state of a job as a badge. */
export function JobBadge({ job }: { job: Job }) {
  const { word, tone } = jobState(job);
  return <span class={`badge ${tone}`}>{word}</span>;
}

/** It goes on by itself. */
export function isLive({ status }: Job): boolean {
  return status === 'queued' || status === 'running';
}

/** Addresses that passed, but whose mailboxes nobody asked about. */
export function unprobedIn({ sub_status_counts: counts = {} }: Job): number {
  return counts['not_probed'] ?? 0;
}

/** The name of the file, or what stands in for it. */
export function jobName({ filename, id }: Job): string {
  return filename === undefined || filename === '' ? `Job ${id.slice(0, 8)}` : filename;
}
