import { amount } from '../../../model/amount.js';
import { dnsTroubleOf } from '../../../model/dns-trouble.js';
import { exitNotAllValid } from '../../../model/failure.js';
import { type Job, type JobResults, type Unpaired, unpairedKinds } from '../../../model/job.js';
import type { ValidationService } from '../../../model/service.js';
import type { RunStats } from '../../../report/run-stats.js';
import { createJobAnswers, createJobStats } from '../../../service/job-stats.js';
import type { Context } from '../../context.js';
import { type Guards, trippedGuards } from '../../flags/guard-flags.js';
import type { JobOutput } from '../../flags/output-flags.js';
import { protectedOutput, type ReviewOptions } from '../../flags/review-flags.js';
import type { FinalSummary } from '../../render/final-summary.js';
import { nextForRows } from '../../render/job-card.js';
import { runWithOutput } from '../../results/output.js';
import { asOneOutput, type OutputTargets, openOutputFiles } from '../../results/output-files.js';
import type { RowsWithResults } from '../../results/rows-with-results.js';
import { createListWriter, needsStats } from '../../results/write-list.js';
import { writeReport } from '../../results/write-whole-file.js';

/** What is done with the results of a job. */
export interface ResultOptions {
  output: JobOutput;
  guards: Guards;
  review: ReviewOptions;
  /** No cell is changed, not even one that a spreadsheet would run. */
  raw: boolean;
}

/** Where the rows of a job go; `list` is the file that it was made from, where that is at hand. */
export function targetsOf({ output, review }: ResultOptions, list: string | null): OutputTargets {
  const { main, rejects } = output;
  const { summary, report } = review;
  return {
    main,
    rejects,
    clean: review.clean ? { of: list } : null,
    summary,
    report,
    comparedWith: protectedOutput(review),
  };
}

/**
 * Writes the results of a job as those of any list; each file is put in place only when it is whole and there is no reason against it.
 * Gives the exit status: 1 where there is one.
 */
export async function writeJobResults(
  context: Context,
  service: Pick<ValidationService, 'validate'>,
  results: JobResults,
  job: Job,
  { list, ...wishes }: ResultOptions & { list: string | null },
): Promise<number> {
  const { output, review, raw } = wishes;
  const { columns, layout = { hasHeader: true, delimiter: ',' } } = results;
  const emailColumns = results.emailColumns ?? [Math.max(0, columns.indexOf(job.email_column ?? ''))];
  const files = await openOutputFiles(context, targetsOf(wishes, list), 'csv');
  const countsOnly = !needsStats(context, review, files);
  const { collector: gatherer, stats: figures } = createJobStats(job, {
    keepBad: review.report !== undefined,
    countsOnly,
  });
  // The job has counted its repeats itself; they are told again only for who does something with them.
  const findDuplicates = !countsOnly || review.dedupe || review.fix || job.duplicate_count === undefined;
  const write = async (): Promise<JobOutcome> => {
    const writer = await createListWriter(context, files, {
      layout: { ...layout, columns, emailColumns },
      ...{ fields: output.main.fields, raw, review, service, stats: gatherer, column: job.email_column },
      subject: 'job',
      keepUnanswered: true,
    });
    await writer.begin();
    for await (const batch of pairedRows(context, results.rows, findDuplicates)) await writer.write(batch);
    const trouble = dnsTroubleOf(job);
    if (trouble !== null) {
      await writer.stop();
      throw trouble;
    }
    const written = await writer.end();
    return { ...written, stats: findDuplicates ? figures(gatherer.summary) : figures() };
  };
  const rejects = (outcome: JobOutcome): string[] => trippedGuards(wishes.guards, outcome.stats.summary);
  const outcome = await runWithOutput(context, asOneOutput(files), write, rejects);
  await writeJobStats(context, outcome.stats, wishes);
  const isRejected = rejects(outcome).length > 0;
  await showFinalSummary(context, job, isRejected ? { ...outcome, written: [] } : outcome);
  return isRejected ? exitNotAllValid : 0;
}

type JobOutcome = Omit<FinalSummary, 'next'>;

/** For whoever looks on while the rows go elsewhere. */
async function showFinalSummary(
  { terminal: { stderr, stdout }, quiet }: Context,
  job: Job,
  outcome: JobOutcome,
): Promise<void> {
  const { stats: figures, written } = outcome;
  if (quiet || !stderr.isTty || figures.summary.total === 0 || (written.length === 0 && stdout.isTty)) return;
  const { renderFinalSummary } = await import('../../render/final-summary.js');
  await stderr.write(renderFinalSummary({ ...outcome, next: nextForRows(job) }, stderr));
}

/** The figures of a job for those who want no rows; a report, and an ending for people, take a look at each of them all the same. */
export async function readJobStats(
  context: Context,
  job: Job,
  { report }: ReviewOptions,
  openResults: () => Promise<JobResults>,
  { isShown }: { isShown: boolean },
): Promise<RunStats> {
  if (report === undefined && !isShown) return createJobStats(job).stats();
  const { collector: gatherer, stats: figures } = createJobStats(job, { keepBad: report !== undefined });
  for await (const { answers } of pairedRows(context, (await openResults()).rows)) gatherer.add(answers);
  return figures();
}

/** Writes the figures where `--summary` and `--report` ask for them, also for those who want no rows. */
export async function writeJobStats(
  context: Context,
  figures: RunStats,
  { guards, review: { summary: path, report } }: ResultOptions,
): Promise<void> {
  if (report !== undefined) await writeReport(context, report, figures);
  if (path === undefined) return;
  const { writeStats } = await import('../bulk/write-stats.js');
  await writeStats(context, path, figures, trippedGuards(guards, figures.summary));
}

/** The exit status for those who want no rows: 1 where a guard tripped, and why is said. */
export function statusByGuards(context: Context, guards: Guards, { summary }: RunStats): number {
  const reasons = trippedGuards(guards, summary);
  for (const text of reasons) context.warn(text);
  return reasons.length > 0 ? exitNotAllValid : 0;
}

/** The rows of a job with their verdicts as answers; behind the last, what could not be paired is said. */
async function* pairedRows(
  { warn }: Pick<Context, 'warn'>,
  results: JobResults['rows'],
  findDuplicates = true,
): AsyncGenerator<RowsWithResults> {
  const answerTo = createJobAnswers({ findDuplicates });
  const unpaired: Record<Unpaired, number> = { not_vetted: 0, not_in_list: 0 };
  for await (const rows of results) {
    for (const row of rows) if (row.unpaired !== undefined) unpaired[row.unpaired]++;
    yield { rows, answers: rows.map(answerTo) };
  }
  for (const kind of unpairedKinds) if (unpaired[kind] > 0) warn(unpairedWarning(kind, unpaired[kind]));
}

/** Both come of a list that is read otherwise than when its job was made. */
function unpairedWarning(kind: Unpaired, count: number): string {
  const one = count === 1;
  if (kind === 'not_in_list') {
    return `${amount(count, 'vetted address', 'vetted addresses')} ${one ? 'is' : 'are'} not in the list as it is read now. ${one ? 'It is' : 'They are'} written at the end with the verdict, without the other columns.`;
  }
  return `${amount(count, 'address', 'addresses')} in the list ${one ? 'has' : 'have'} no verdict: this version of mailvet reads the list differently from the one that made the job, or the stored copy was changed. Upload the list again to vet ${one ? 'it' : 'them'}; --max-age 30d reuses the verdicts that are known.`;
}
