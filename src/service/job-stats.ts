import { createHashSet } from '../lists/hash-set.js';
import { keyOfAddress } from '../lists/mailbox-key.js';
import {
  emptyVerdict,
  type Job,
  type JobResultRow,
  type JobResults,
  type RowVerdict,
  suppressedVerdict,
  unitOf,
} from '../model/job.js';
import type { BulkAnswer, BulkItem, RunSummary } from '../model/result.js';
import { statusOf } from '../model/verdict.js';
import { createStatsCollector, emptySummary, type StatsOptions } from '../report/run-stats.js';
import { byFrequency, type StatusCounts } from '../report/status-counts.js';

/** The statistics of a job: its own counts, and those of the rows that are read. */
export function createJobStats(job: Job, options: StatsOptions = {}) {
  const isLastRun = job.last_run_at != null;
  // The time between two runs is none of the job's.
  const startedAt = Date.parse(job.last_run_at ?? job.started_at ?? job.created_at ?? '');
  const endedAt = Date.parse(job.finished_at ?? '');
  const collector = createStatsCollector(startedAt, options);
  return {
    /** For callers that convert rows to answers themselves. */
    collector,
    /** The same rows, counted as they pass. */
    watch: async function* (rows: JobResults['rows']) {
      const answerTo = createJobAnswers();
      for await (const chunk of rows) {
        collector.add(chunk.map(answerTo));
        yield chunk;
      }
    },
    /** The statistics with the counts of the job, or with those of its rows that are given. */
    stats: (counted?: Partial<RunSummary>) => {
      const { credits_used = counted?.credits_used ?? 0, reused_count = 0 } = job;
      const columns = job.email_column ? [job.email_column] : [];
      const emptyUnit = counted === undefined ? unitOf(job) : 'row';
      const list = { name: job.filename ?? null, columns, otherColumns: [], emptyUnit };
      const now = Date.now();
      const stats = collector.stats(list, Number.isNaN(endedAt) ? now : endedAt);
      return {
        ...stats,
        // The rows do not say which verdicts were reused.
        summary: { ...summaryOf(job), ...counted, credits_used, reused_count },
        // The rows may not have been read; the job counts its reasons itself.
        reasons: stats.reasons.names.length > 0 ? stats.reasons : reasonsOf(job),
        startedAt: Number.isNaN(startedAt) ? now : startedAt,
        ...(isLastRun && { isLastRun }),
        // A canceled job may have waited without a worker before.
        hasDuration: Boolean(job.finished_at) && job.status !== 'canceled',
        ...(job.rows_per_second !== undefined && { rowsPerSecond: job.rows_per_second }),
      };
    },
  };
}

/** Converts the rows of a job, in order, to answers; finding duplicates takes time. */
export function createJobAnswers({ findDuplicates = true } = {}): (row: JobResultRow) => BulkAnswer {
  const seen = createHashSet();
  return ({ email, verdict }) => {
    const result = resultOf(email, verdict ?? noVerdict);
    if (email === '') return { result, duplicate: false, empty: true };
    if (verdict === null) return { result, duplicate: false, unanswered: true };
    if (verdict.status === suppressedVerdict.status) return { result, duplicate: false, suppressed: true };
    return { result, duplicate: findDuplicates && !seen.add(keyOfAddress(email)) };
  };
}

const noVerdict: RowVerdict = { ...emptyVerdict, status: '' };

/** Copies field by field, which is several times faster than a spread. */
function resultOf(email: string, verdict: RowVerdict): BulkItem & RowVerdict {
  const { status, sub_status, confidence, safe_to_send, did_you_mean } = verdict;
  return { email, status, sub_status, confidence, safe_to_send, did_you_mean, is_valid: status === 'valid' };
}

/** The counts of a job; what a service does not count is 0. Rows without an address are not in the total. */
function summaryOf(job: Job): RunSummary {
  const { total = 0, empty_count = 0, suppressed_count = 0, credits_used = 0, reused_count = 0 } = job;
  const { valid_count = 0, invalid_count = 0, risky_count = 0, unknown_count = 0, duplicate_count = 0 } = job;
  return {
    ...emptySummary(),
    ...{ valid_count, invalid_count, risky_count, unknown_count, duplicate_count, credits_used },
    ...{ total: total - empty_count - suppressed_count, empty_count, suppressed_count, reused_count },
  };
}

function reasonsOf({ sub_status_counts = {} }: Job): StatusCounts {
  const names = Object.entries(sub_status_counts).map(([name, total]) => {
    const status = Object.hasOwn(statusOf, name) ? statusOf[name as keyof typeof statusOf] : 'unknown';
    return { name, total, valid: 0, invalid: 0, risky: 0, unknown: 0, [status]: total };
  });
  return { names: names.sort(byFrequency), dropped: 0 };
}
