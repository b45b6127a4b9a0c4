import { basename } from 'node:path';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { exitNotAllValid } from '../../../model/failure.js';
import type { Job, JobResults } from '../../../model/job.js';
import { NetworkHealth } from '../../../model/network-health.js';
import type { ValidationService } from '../../../model/service.js';
import type { RunStats } from '../../../report/run-stats.js';
import { requireAllRows } from '../../../service/follow-job.js';
import { isSucceeded } from '../../../service/job-states.js';
import { createJobAnswers, createJobStats } from '../../../service/job-stats.js';
import type { Context } from '../../context.js';
import { type Guards, trippedGuards } from '../../flags/guards.js';
import type { ReviewOptions } from '../../flags/list-flags.js';
import type { OutputOptions } from '../../flags/output-flags.js';
import type { NextStep } from '../../render/final-summary.js';
import { formatKind } from '../../render/rows/formats.js';
import { runWithOutput } from '../../results/output.js';
import { asOneOutput, openOutputFiles, replacesOutput } from '../../results/output-files.js';
import { askAgain, reportRun } from '../../results/report-run.js';
import type { RowsWithResults } from '../../results/rows-with-results.js';
import { writeStatsFiles } from '../../results/stats-files.js';
import { createListWriter, needsStats, type WrittenResult } from '../../results/write-list.js';

/** How the results of a job are written. */
export interface ResultOptions {
  output: OutputOptions;
  review: ReviewOptions;
  guards: Guards;
}

type JobOutcome = WrittenResult & { stats: RunStats };

/** Writes the results of a job. Outputs are replaced only when they are complete and no guard rejects them. Returns the exit status. */
export async function writeJobResults(
  context: Context,
  results: JobResults,
  job: Job,
  options: ResultOptions & { list: string | null },
): Promise<number> {
  const { output, review, guards } = options;
  const isLocal = context.settings().mode !== 'remote';
  const { columns, layout = { hasHeader: true, delimiter: ',' } } = results;
  const emailColumns = results.emailColumns ?? [Math.max(0, columns.indexOf(job.email_column ?? ''))];
  const files = await openOutputFiles(context, options, 'ndjson');
  const countsOnly = !needsStats(context, review, files);
  const { collector, stats } = createJobStats(job, { countsOnly });
  // The job has its own counts, so duplicates are found again only if an option, a guard or JSON needs them.
  const showsDuplicates =
    output.fields?.includes('duplicate') || files.some((file) => formatKind(file.output.format) === 'json');
  const needsRows = !countsOnly || review.dedupe || guards.failOn.size > 0;
  const findDuplicates = showsDuplicates || needsRows || job.duplicate_count === undefined;
  const write = async (): Promise<JobOutcome> => {
    const writer = await createListWriter(context, files, {
      layout: { ...layout, columns, emailColumns },
      fields: output.fields,
      review,
      stats: collector,
      subject: 'job',
      keepUnanswered: true,
      tellsSpellings: isLocal && findDuplicates,
    });
    await writer.begin();
    const health = new NetworkHealth(isLocal ? () => false : undefined);
    for await (const batch of rowsWithAnswers(results.rows, findDuplicates)) {
      for (const { result, empty, unanswered } of batch.answers) if (!empty && !unanswered) health.count(result);
      await writer.write(batch);
    }
    const trouble = dnsTroubleOf(job) ?? health.trouble({ isWhole: isSucceeded(job.status) && !job.reused_count });
    if (trouble !== null) {
      await writer.stop();
      throw trouble;
    }
    const written = await writer.end();
    const { empty_count } = collector.summary;
    return { ...written, stats: stats(findDuplicates ? collector.summary : { empty_count }) };
  };
  const replaces = { replacesOutput: isSucceeded(job.status) && replacesOutput(options) };
  const rejectionReasons = (outcome: JobOutcome): string[] => trippedGuards(guards, outcome.stats.summary, replaces);
  const outcome = await runWithOutput(context, asOneOutput(files), write, rejectionReasons);
  const rejected = rejectionReasons(outcome);
  const statsFiles = await writeStatsFiles(context, options, outcome.stats, rejected);
  const isRejected = rejected.length > 0;
  const next = isLocal ? askUnknownAgain(context, job) : null;
  const run = { stats: outcome.stats, result: outcome, statsFiles, isRejected, next, isVettedBefore: true };
  // A service may have got a workbook as CSV, under another name.
  await reportRun(context, files, { ...run, name: options.list === null ? 'the job' : basename(options.list) });
  return isRejected ? exitNotAllValid : 0;
}

/** The same upload again, for the unknown addresses. A cell with several addresses is never asked. */
function askUnknownAgain(
  context: Context,
  { unknown_count: all = 0, sub_status_counts: reasons = {}, status }: Job,
): NextStep | null {
  const unknown = all - (reasons['several_addresses'] ?? 0);
  return context.args[0] !== 'upload' || status !== 'completed' ? null : askAgain(context, unknown);
}

/** The rows of a job. Those of a service are counted: a response that is cut looks complete. */
export async function openResults(
  { signal, command }: Context,
  service: ValidationService,
  job: Job,
): Promise<JobResults> {
  const results = await service.jobResults(job.id, { signal });
  return service.jobs === undefined ? requireAllRows(results, job, command) : results;
}

/** The Failure of a completed job in which no mail server could be reached, otherwise null. Reads the rows only if there is a sign of it. */
export async function mailTroubleOf(job: Job, results: () => Promise<JobResults>) {
  const isSuspect = (job.sub_status_counts?.['failed_smtp_connection'] ?? 0) > 0 && job.valid_count === 0;
  if (!isSuspect || !isSucceeded(job.status) || job.reused_count) return null;
  const health = new NetworkHealth(() => false);
  for await (const { answers } of rowsWithAnswers((await results()).rows)) {
    for (const { result, empty, unanswered } of answers) if (!empty && !unanswered) health.count(result);
  }
  return health.trouble();
}

/** The statistics of a job whose rows are not requested. Its rows are read only for a summary on a terminal. */
export async function readJobStats(
  job: Job,
  openResults: () => Promise<JobResults>,
  { isShown }: { isShown: boolean },
): Promise<RunStats> {
  const { collector, stats } = createJobStats(job);
  if (isShown) {
    for await (const { answers } of rowsWithAnswers((await openResults()).rows)) collector.add(answers);
  }
  return stats();
}

/** The rows of a job with their answers. */
async function* rowsWithAnswers(results: JobResults['rows'], findDuplicates = true): AsyncGenerator<RowsWithResults> {
  const answerTo = createJobAnswers({ findDuplicates });
  for await (const rows of results) yield { rows, answers: rows.map(answerTo) };
}
