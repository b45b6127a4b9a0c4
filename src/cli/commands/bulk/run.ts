import { basename } from 'node:path';
import { exitNotAllValid, Failure } from '../../../model/failure.js';
import type { RunSummary } from '../../../model/result.js';
import type { ListShape, RunFigures } from '../../../report/run-figures.js';
import type { RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { type Guards, trippedGuards } from '../../flags/guard-flags.js';
import type { ListWishes } from '../../flags/list-flags.js';
import type { Format, OutputWishes } from '../../flags/output-flags.js';
import { type PickWishes, type ReviewWishes, refusePaidFix } from '../../flags/review-flags.js';
import { renderSummary } from '../../render/rows/summary.js';
import { checkPlaces, openPens, type Places, together } from '../../results/pens.js';
import { writeReport } from '../../results/write-report.js';
import { writeThrough } from '../../terminal/output.js';
import { writeFigures } from './figures.js';
import { openList } from './open-list.js';
import { earlierAnswers, type PaidBulkOptions, refuseCostlyList, runDryRun, unansweredNote } from './paid.js';
import { openResume, type Resume } from './resume.js';
import { vetRows } from './vet-rows.js';

export interface BulkOptions {
  /** The lists, in order; none for stdin. */
  paths: readonly string[];
  output: OutputWishes;
  list: ListWishes;
  guards: Guards;
  review: ReviewWishes & PickWishes;
  /** What `--resume` names. */
  resume: string | undefined;
  remote: PaidBulkOptions;
}

/** Vets a list as it streams by; 1 where a guard tripped. */
export async function runBulk(context: Context, options: BulkOptions): Promise<number> {
  refuseFlags(context, options);
  const { paths, output, remote, review } = options;
  if (paths.length === 0 && context.terminal.stdin.isTty) {
    throw new Failure('usage', 'There is no list to read.', {
      hint: 'Name a file (mailvet bulk list.csv), or pipe one in.',
    });
  }
  const places: Places = {
    wishes: output,
    clean: review.clean ? { of: paths[0] ?? null } : null,
    summary: review.summary,
    report: review.report,
  };
  await checkPlaces(context, places, paths.length === 0 ? [null] : paths);
  if (remote.dryRun) return runDryRun(context, options, () => openList(context, options));
  if (remote.maxCredits !== undefined && paths.length > 0) {
    await refuseCostlyList(context, options, () => openList(context, options));
  }
  const source = await openList(context, options);
  const rejects = ({ summary }: Pick<RunFigures, 'summary'>): string[] => trippedGuards(options.guards, summary);
  let figures: RunFigures;
  let format: Format;
  try {
    const resume = await resumeFor(context, options);
    const pens = await openPens(context, places, 'ndjson');
    format = pens[0]?.output.format ?? 'csv';
    const gathered = await writeThrough(
      context,
      together(pens),
      () => vetRows(context, source, pens, options, resume.wishes),
      rejects,
    );
    figures = gathered.figures(shapeOf(source, paths), Date.now());
    await resume.finished();
  } finally {
    await source.close();
  }
  const rejected = rejects(figures);
  if (review.summary !== undefined) await writeFigures(context, review.summary, figures, rejected);
  if (review.report !== undefined) await writeReport(context, review.report, figures);
  sayWhatWasRead(context, source, format);
  await sayWhatCameOut(context, figures.summary, format);
  return rejected.length > 0 ? exitNotAllValid : 0;
}

function shapeOf(source: RowSource, paths: readonly string[]): ListShape {
  const columns = source.columns.length > 1 ? source.emailColumns.map((at) => source.columns[at] ?? '') : [];
  const name = paths.length === 0 ? null : paths.map((path) => basename(path)).join(', ');
  return { name, columns, otherColumns: source.otherColumns?.() ?? [] };
}

/** The totals, for whoever looks: at a terminal, or at a table wherever it goes. */
async function sayWhatCameOut({ terminal, quiet, note }: Context, summary: RunSummary, format: Format): Promise<void> {
  const { stderr } = terminal;
  if (summary.unanswered_count) note(unansweredNote(summary));
  else if (summary.total === 0) note('The list holds no addresses.');
  else if (!quiet && (stderr.isTty || format === 'table')) await stderr.write(renderSummary(summary, stderr));
}

/** Accounts for every row, and for all that was odd in them. */
function sayWhatWasRead({ note, warn }: Context, source: RowSource, format: Format): void {
  for (const text of source.warnings()) warn(text);
  if (format === 'csv') for (const text of source.columnWarnings?.() ?? []) warn(text);
  for (const text of source.notes()) note(text);
  const account = source.account();
  if (account !== null && source.figures().rows > 0) note(account);
}

function resumeFor(context: Context, options: BulkOptions): Promise<Resume> {
  const { resume, list, output } = options;
  if (isRemote(context)) {
    return earlierAnswers(context, options).then((wishes) => ({ wishes, finished: async () => {} }));
  }
  return openResume(context, { resume, output: output.path, column: list.column });
}

function isRemote(context: Context): boolean {
  return context.settings().mode === 'remote';
}

function refuseFlags(context: Context, { remote, review, paths, output }: BulkOptions): void {
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
