import { basename, resolve } from 'node:path';
import { exitNotAllValid, Failure } from '../../../model/failure.js';
import type { ListShape, RunStats } from '../../../report/run-stats.js';
import type { RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { trippedGuards } from '../../flags/guard-flags.js';
import { protectedOutput, refusePaidFix } from '../../flags/review-flags.js';
import { type Format, formatKind } from '../../render/rows/formats.js';
import { runWithOutput } from '../../results/output.js';
import { asOneOutput, checkOutputTargets, type OutputTargets, openOutputFiles } from '../../results/output-files.js';
import { writeReport } from '../../results/write-whole-file.js';
import type { BulkOptions } from './bulk-options.js';
import { earlierAnswers, refuseCostlyList, runDryRun, unansweredNote } from './credits.js';
import { nextStep } from './next-step.js';
import { openList } from './open-list.js';
import { nothingToResume, openResume, type Resume, withoutUnknown } from './resume.js';
import { type ListResult, vetRows } from './vet-rows.js';
import { writeStats } from './write-stats.js';

/** Vets a list as it streams by; 1 where a guard tripped. */
export async function runBulk(context: Context, options: BulkOptions): Promise<number> {
  refuseFlags(context, options);
  const { paths, output, remote, review } = options;
  const { stdin } = context.terminal;
  // "bulk $LIST -o vetted.csv" must not replace a good file where the variable is empty.
  if (paths.length === 0 && (stdin.isTty || (stdin.isNullDevice && !options.namesStdin))) {
    throw new Failure('usage', 'There is no list to read.', {
      hint: 'Name a file (mailvet bulk list.csv), or pipe one in.',
    });
  }
  const targets: OutputTargets = {
    main: output,
    clean: review.clean ? { of: paths[0] ?? null } : null,
    summary: review.summary,
    report: review.report,
    comparedWith: protectedOutput(review),
  };
  await checkOutputTargets(context, targets, paths.length === 0 ? [null] : paths);
  if (remote.dryRun) return runDryRun(context, options, () => openList(context, options));
  if (remote.maxCredits !== undefined && paths.length > 0) {
    await refuseCostlyList(context, options, () => openList(context, options));
  }
  const source = await openList(context, options);
  const rejects = ({ stats: { summary } }: ListResult): string[] => trippedGuards(options.guards, summary);
  let result: ListResult;
  let format: Format;
  try {
    const resume = await resumeFor(context, options);
    const files = await openOutputFiles(context, targets, 'ndjson');
    format = files[0]?.output.format ?? 'csv';
    result = await runWithOutput(
      context,
      asOneOutput(files),
      () => vetRows(context, source, files, options, resume.options),
      rejects,
    );
    await resume.finished();
  } finally {
    await source.close();
  }
  const rejected = rejects(result);
  const stats = result.stats.stats(shapeOf(source, paths), Date.now());
  if (review.summary !== undefined) await writeStats(context, review.summary, stats, rejected);
  if (review.report !== undefined) await writeReport(context, review.report, stats);
  const showsSummary = !context.quiet && (context.terminal.stderr.isTty || formatKind(format) === 'screen');
  reportInput(context, source, format, showsSummary && stats.summary.total > 0);
  if (stats.summary.unanswered_count) context.note(unansweredNote(stats.summary));
  else if (stats.summary.total === 0) context.note('The list holds no addresses.');
  else if (showsSummary) await showFinalSummary(context, options, stats, result, rejected.length > 0);
  return rejected.length > 0 ? exitNotAllValid : 0;
}

function shapeOf(source: RowSource, paths: readonly string[]): ListShape {
  const columns = source.columns.length > 1 ? source.emailColumns.map((at) => source.columns[at] ?? '') : [];
  const name = paths.length === 0 ? null : paths.map((path) => basename(path)).join(', ');
  return { name, columns, otherColumns: source.otherColumns?.() ?? [], passedOver: source.skippedLines() };
}

/** For whoever looks: at a terminal, or at a table wherever it goes. */
async function showFinalSummary(
  context: Context,
  options: BulkOptions,
  stats: RunStats,
  { written, since }: ListResult,
  isRejected: boolean,
): Promise<void> {
  const { renderFinalSummary } = await import('../../render/final-summary.js');
  const { stderr } = context.terminal;
  const summary = isRejected
    ? { stats, since, written: [], next: null }
    : { stats, since, written, next: nextStep(context, options, stats, written) };
  await stderr.write(`${written.length === 0 ? '\n' : ''}${renderFinalSummary(summary, stderr)}`);
}

/** Accounts for every row, unless the ending does, and for all that was odd in them. */
function reportInput({ note, warn }: Context, source: RowSource, format: Format, isTold: boolean): void {
  for (const text of source.warnings()) warn(text);
  if (formatKind(format) === 'cells') for (const text of source.columnWarnings?.() ?? []) warn(text);
  for (const text of source.notes()) note(text);
  const account = source.summarize();
  if (!isTold && account !== null && source.stats().rows > 0) note(account);
}

async function resumeFor(context: Context, options: BulkOptions): Promise<Resume> {
  const { resume, onlyUnknown, list, output } = options;
  if (isRemote(context)) {
    if (resume !== undefined && (await startsFresh(resume, output.path))) {
      context.note(nothingToResume(resume));
      return { options: {}, finished: async () => {} };
    }
    const { answered } = await earlierAnswers(context, options);
    const taken = answered === undefined || !onlyUnknown ? answered : withoutUnknown(answered);
    return { options: taken === undefined ? {} : { answered: taken }, finished: async () => {} };
  }
  return openResume(context, { resume, onlyUnknown, output: output.path, column: list.column });
}

/** Whether a run is to go on from its own output, of which there is nothing yet. */
async function startsFresh(resume: string, output: string | null): Promise<boolean> {
  if (output === null || resolve(resume) !== resolve(output)) return false;
  const { findEarlier } = await import('../../../service/remote/earlier-answers.js');
  return (await findEarlier(resume)).length === 0;
}

function isRemote(context: Context): boolean {
  return context.settings().mode === 'remote';
}

function refuseFlags(context: Context, options: BulkOptions): void {
  const { remote, review, paths, output, resume, onlyUnknown } = options;
  if (onlyUnknown && resume === undefined) {
    throw new Failure('usage', '--only-unknown needs an earlier output.', { hint: 'Add --resume FILE.' });
  }
  if (paths.length > 1 && output.inPlace === true) {
    throw new Failure('usage', '--in-place is for one list at a time.', {
      hint: 'Vet them one by one, or use -o FILE.',
    });
  }
  if (isRemote(context)) {
    refusePaidFix(review);
    return;
  }
  const given = [
    remote.dryRun ? '--dry-run' : null,
    remote.maxCredits === undefined ? null : '--max-credits',
    remote.retryBillable ? '--retry-billable' : null,
  ].find((flag) => flag !== null);
  if (given === undefined) return;
  throw new Failure('usage', `${given} only works with the remote service; the bundled engine costs nothing.`, {
    hint: `Add --remote, or leave out ${given}.`,
  });
}
