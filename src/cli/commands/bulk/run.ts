import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { localCallerWith } from '../../../async/caller.js';
import { askList } from '../../../lists/ask-list.js';
import type { Asker } from '../../../lists/pipeline.js';
import { formatAmount } from '../../../model/amount.js';
import { namesAt } from '../../../model/distinct-names.js';
import { exitNotAllValid, exitStatuses, Failure } from '../../../model/failure.js';
import { rowKinds } from '../../../model/row-kind.js';
import { createStatsCollector, type ListShape, type RunStats, type StatsCollector } from '../../../report/run-stats.js';
import { countOf } from '../../../report/shown-stats.js';
import type { RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { jobFields } from '../../flags/field-names.js';
import { refuseRemoteFlag } from '../../flags/flags.js';
import { trippedGuards } from '../../flags/guards.js';
import type { NextStep, Written } from '../../render/final-summary.js';
import { runWithOutput } from '../../results/output.js';
import {
  asOneOutput,
  checkOutputTargets,
  type OutputFile,
  type OutputTargets,
  openOutputFiles,
  primaryPath,
  replacesOutput,
} from '../../results/output-files.js';
import { askAgain, reportRun } from '../../results/report-run.js';
import { writeStatsFiles } from '../../results/stats-files.js';
import { createListWriter, needsStats, showsSummary, type WrittenResult } from '../../results/write-list.js';
import { ClosedPipe } from '../../terminal/terminal.js';
import { refuseCostlyList, stopNote, unansweredReasons } from './credits.js';
import { type BulkList, openBulkList } from './list-source.js';
import { type BulkOptions, reportInput } from './open-list.js';
import { openListProgress } from './progress.js';
import { type ListMemory, openListMemory } from './run-memory.js';

/** Vets a list as a stream. Returns the exit status: 1 if a guard rejects the output. */
export async function runBulk(context: Context, options: BulkOptions): Promise<number> {
  if (context.settings().mode === 'local') refuseRemoteFlag('--max-credits', options.run.maxCredits !== undefined);
  requireList(context, options);
  const targets: OutputTargets = {
    output: options.output,
    review: options.review,
    list: options.paths[0] ?? null,
  };
  // Refuses outputs that cannot work before the list is read.
  await checkOutputTargets(context, targets, options.paths.length === 0 ? [null] : options.paths);
  if (options.dryRun) return (await import('./dry-run.js')).runDryRun(context, options);
  await refuseCostlyList(context, options);
  const list = await openBulkList(context, options);
  try {
    return await new BulkRun(context, options, targets, list).run();
  } finally {
    await list.source.close();
  }
}

/** "bulk $LIST -o vetted.csv" must not replace a good file if the variable is empty. */
function requireList({ terminal: { stdin } }: Context, { paths, namesStdin }: BulkOptions): void {
  if (paths.length > 0 || !(stdin.isTty || (stdin.isNullDevice && !namesStdin))) return;
  throw new Failure('usage', 'There is no list to read.', {
    hint: 'Name a file (mailvet bulk list.csv), or pipe one in.',
  });
}

/** One run: asks and writes the list, puts the outputs in place, and reports. */
class BulkRun {
  private readonly rows: RowSource;
  /** Whether there was an output before this run. */
  private readonly replaces: boolean;
  private collector: StatsCollector = createStatsCollector(Date.now());
  private asker: Asker | null = null;
  private memory: ListMemory | null = null;
  private files: OutputFile[] = [];
  /** Addresses that waited for a retry when the run stopped. */
  private waiting = 0;
  /** Addresses that an interrupted run sent to the service, without an answer. */
  private inDoubt = 0;

  constructor(
    private readonly context: Context,
    private readonly options: BulkOptions,
    private readonly targets: OutputTargets,
    private readonly list: BulkList,
  ) {
    this.rows = list.rows;
    this.replaces = replacesOutput(targets);
  }

  async run(): Promise<number> {
    const { context, options } = this;
    this.files = await openOutputFiles(context, this.targets, 'ndjson');
    const reasons = (): string[] => this.rejections();
    let written: WrittenResult;
    try {
      written = await runWithOutput(context, asOneOutput(this.files), () => this.askAndWrite(), reasons);
      // Only a run whose outputs are in place is complete, or that can learn no more: --max-age asks what is in doubt.
      if (reasons().length === (this.inDoubt > 0 ? 1 : 0)) await this.memory?.finish();
      else await this.memory?.close();
    } catch (thrown) {
      await this.memory?.close().catch(() => {});
      throw this.withContinuation(thrown);
    }
    const rejected = reasons();
    const stats = this.collector.stats(this.shape(), Date.now());
    const statsFiles = await writeStatsFiles(context, options, stats, rejected);
    await this.report(stats, written, statsFiles, rejected.length > 0);
    if (stats.summary.left_out_count > 0 || this.inDoubt > 0) return exitStatuses.bad_answer;
    // Nothing could be sent to the service that was to answer the unknown ones.
    const isCutOff = options.guards.maxUnknown !== null && this.asker?.unsent?.() != null;
    if (isCutOff) return exitStatuses.network;
    return rejected.length > 0 ? exitNotAllValid : 0;
  }

  /** Why the output is not put in place. */
  private rejections(): string[] {
    const { summary } = this.collector;
    const guards = trippedGuards(this.options.guards, summary, { replacesOutput: this.replaces });
    return [...unansweredReasons(summary, this.inDoubt), ...guards];
  }

  private async askAndWrite(): Promise<WrittenResult> {
    const { context, options, files, rows } = this;
    const { output, review, paths } = options;
    const service = await context.service({ maxCredits: options.run.maxCredits });
    const needsDetails = needsResultDetails(files, options);
    const asker = await service.asker({ verdictsOnly: !needsDetails });
    this.asker = asker;
    this.memory = await openListMemory(context, {
      ...{ asker, run: options.run, needsDetails, paths, digest: this.list.digest },
      ...{ output: primaryPath(this.targets), limit: options.list.limit },
    });
    this.collector = createStatsCollector(Date.now(), { countsOnly: !needsStats(context, review, files) });
    const writer = await createListWriter(context, files, {
      // Lists without a header get one with the columns that are added.
      layout: rows.format === 'csv' ? rows : { ...rows, hasHeader: true },
      ...{ fields: output.fields, review, subject: 'list', keepUnanswered: false, stats: this.collector },
      tellsSpellings: !asker.isPaid && asker.judge === undefined,
    });
    const progress = openListProgress(context, files, rows, options.list.limit, this.collector);
    try {
      await writer.begin();
      const run = { asker, caller: localCallerWith(context.signal), memory: this.memory, needsNetwork: true };
      const sink = { write: writer.write };
      ({ inDoubt: this.inDoubt } = await askList(this.list.source, { ...run, sink, onProgress: progress.show }));
      if (context.signal.aborted) throw new Failure('interrupted', 'Interrupted.');
      if (paths.length === 0) requireInput(rows, primaryPath(this.targets));
      return await writer.end();
    } catch (thrown) {
      if (!(thrown instanceof ClosedPipe)) {
        await writer.stop().catch(() => {});
        this.waiting = progress.waiting();
        context.note(stopNote(this.collector.summary, this.waiting, rows.emailColumns.length));
      }
      throw thrown;
    } finally {
      await progress.close();
    }
  }

  /** An interruption or a full disk, with how to go on. */
  private withContinuation(thrown: unknown): unknown {
    const { context, options } = this;
    if (thrown instanceof ClosedPipe) return thrown;
    const isFull = thrown instanceof Failure && thrown.message.includes('the disk is full');
    const isPaid = thrown instanceof Failure && thrown.code === 'no_credits' && this.collector.summary.total > 0;
    if (!context.signal.aborted && !isFull && !isPaid) return thrown;
    const again = options.paths.length === 0 ? 'Pipe the list in again: the same command' : 'The same command';
    const done = this.waiting === 0 ? '' : ' With --greylist-wait 0 it writes what is known, and waits no more.';
    const goesOn = this.memory === null ? `${again} starts again.` : `${again} goes on with what was answered.${done}`;
    if (context.signal.aborted) return new Failure('interrupted', 'Interrupted.', { hint: goesOn, cause: thrown });
    const { code, message, hint } = thrown as Failure;
    if (isPaid && hint?.includes('same command')) return thrown;
    return new Failure(code, message, { hint: `${isPaid ? hint : 'Free some space.'} ${goesOn}`, cause: thrown });
  }

  private shape(): ListShape {
    const { rows, options } = this;
    return {
      name: options.paths.length === 0 ? null : options.paths.map((path) => basename(path)).join(', '),
      columns: rows.columns.length > 1 ? namesAt(rows.columns, rows.emailColumns) : [],
      otherColumns: rows.otherColumns?.() ?? [],
      skippedLines: rows.skippedLines(),
      part: rows.part?.() ?? null,
    };
  }

  /** Notes, the summary and the next step. */
  private async report(
    stats: RunStats,
    result: WrittenResult,
    statsFiles: readonly Written[],
    isRejected: boolean,
  ): Promise<void> {
    const { context, options, rows, files } = this;
    const { summary } = stats;
    const hasSummary = showsSummary(context, files) && summary.total > 0;
    reportInput(context, rows, files[0]?.output.format ?? 'csv', { hasSummary });
    // Each row of the list is in a file, so a newsletter would be sent twice.
    const duplicates = formatAmount(summary.duplicate_count, 'duplicate');
    if (options.review.clean && !options.review.dedupe && summary.duplicate_count > 0)
      context.note(`The files have ${duplicates}; --dedupe keeps only the first row of each mailbox.`);
    const next = nextStep(context, options, stats, result.written);
    await reportRun(context, files, { stats, result, statsFiles, isRejected, name: stats.list.name, next });
  }
}

/** A pipe without a byte may come from an export that failed, so it replaces no output. */
function requireInput(rows: RowSource, output: string | null): void {
  const isEmpty = rows.format === 'lines' && rows.stats().rows + rows.skippedLines() === 0;
  if (!isEmpty || output === null || !existsSync(output)) return;
  throw new Failure('bad_input', `The standard input is empty, so ${output} stays as it is.`, {
    hint: 'Check the command that writes the list.',
  });
}

/** Whether an output, or its statistics, have more of a result than its verdict. */
function needsResultDetails(files: readonly OutputFile[], { output: { fields } }: BulkOptions): boolean {
  if (fields !== null && !fields.every((field) => jobFields.includes(field))) return true;
  return files.some(({ output: { format } }) => format === 'ndjson' || format === 'table');
}

/** Reasons that come from this machine or its network rather than from the list. */
const localReasons = ['outbound_port_blocked', 'dns_error', 'needs_reverse_dns'];

/** The command to suggest at the end; null if there is none. */
function nextStep(
  context: Context,
  options: BulkOptions,
  { summary, reasons }: RunStats,
  written: readonly Written[],
): NextStep | null {
  const unknown = summary.unknown_count - countOf(reasons, 'several_addresses');
  const localCount = reasons.names.reduce((sum, { name, total }) => sum + (localReasons.includes(name) ? total : 0), 0);
  if (unknown > 0 && localCount * 2 >= unknown) {
    return { command: 'mailvet doctor', description: 'shows what is in the way, and what to do about it' };
  }
  const { paths, output, list } = options;
  if (unknown > 0 && paths.length > 0 && context.settings().level !== 'syntax') return askAgain(context, unknown);
  if (paths.length === 0 || written.length > 0 || output.format !== null || output.only !== null) return null;
  // A part of the list was a trial; sorted into files, it would be taken for the whole.
  if (list.limit !== undefined) return null;
  const extensions = rowKinds.map((kind) => `.${kind}.csv`).join(', ');
  return {
    command: context.commandWith('--clean'),
    description: `sorts the rows into three files (${extensions})`,
  };
}
