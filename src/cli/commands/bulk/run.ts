import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { formatAmount, formatNumber } from '../../../model/amount.js';
import { namesAt } from '../../../model/distinct-names.js';
import { exitNotAllValid, Failure } from '../../../model/failure.js';
import { rowKinds } from '../../../model/row-kind.js';
import { countSeveralAddresses, type ListShape, type RunStats } from '../../../report/run-stats.js';
import type { RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { refuseRemoteFlags } from '../../flags/flags.js';
import { comparesWithItself, resolveEarlierOutput, trippedGuards } from '../../flags/guards.js';
import type { NextStep, Written } from '../../render/final-summary.js';
import { type Format, formatKind } from '../../render/rows/formats.js';
import { runWithOutput } from '../../results/output.js';
import {
  asOneOutput,
  checkOutputTargets,
  type OutputTargets,
  openOutputFiles,
  primaryPath,
  replacesOutput,
} from '../../results/output-files.js';
import { writeStatsFiles } from '../../results/stats-files.js';
import type { BulkOptions } from './bulk-options.js';
import { isEmptyFile, withContinuation } from './continuation.js';
import { noteLowBalance, refuseCostlyList, requireAllAnswers } from './credits.js';
import { openList, reportInput } from './open-list.js';
import { openLocalResume, openRemoteResume } from './resume.js';
import { type ListResult, vetRows } from './vet-rows.js';

/** Vets a list as a stream. Returns the exit status: 1 if a guard rejects the output. */
export async function runBulk(context: Context, options: BulkOptions): Promise<number> {
  refuseFlags(context, options);
  const { paths, output, remote, review } = options;
  const { stdin } = context.terminal;
  // "bulk $LIST -o vetted.csv" must not replace a good file if the variable is empty.
  if (paths.length === 0 && (stdin.isTty || (stdin.isNullDevice && !options.namesStdin))) {
    throw new Failure('usage', 'There is no list to read.', {
      hint: 'Name a file (mailvet bulk list.csv), or pipe one in.',
    });
  }
  const targets: OutputTargets = { output: { main: output, rejects: null }, review, list: paths[0] ?? null };
  // Refuses flags that cannot work before the list is read.
  resolveEarlierOutput(review, options.guards, output);
  await checkOutputTargets(context, targets, paths.length === 0 ? [null] : paths);
  if (remote.dryRun) return (await import('./dry-run.js')).runDryRun(context, options);
  // A pipe can be read only once.
  const canReadTwice = paths.length > 0 && (await Promise.all(paths.map(isRegularFile))).every(Boolean);
  if (remote.maxCredits !== undefined && canReadTwice) {
    await refuseCostlyList(context, options, remote.maxCredits);
  } else if (isRemote(context) && canReadTwice && options.resume === undefined) {
    await noteLowBalance(context, options);
  }
  const source = await openList(context, options);
  const replaces = { replacesOutput: replacesOutput(targets) };
  const rejects = ({ collector }: ListResult): string[] => trippedGuards(options.guards, collector.summary, replaces);
  let result: ListResult;
  let format: Format;
  try {
    const openResume = isRemote(context) ? openRemoteResume : openLocalResume;
    // Notes on how the run starts wait until no other process writes the output.
    const notes: string[] = [];
    const quietContext = { ...context, note: (text: string) => void notes.push(text) };
    const resume = await openResume(quietContext, options, primaryPath(targets));
    const files = await openOutputFiles(context, targets, 'ndjson');
    for (const text of notes) context.note(text);
    format = files[0]?.output.format ?? 'csv';
    const startedEmpty = isEmptyFile(files[0]?.output.sink.descriptor);
    const vet = async (): Promise<ListResult> => {
      const vetted = await vetRows(context, source, files, options, resume.options);
      if (paths.length === 0) requireInput(source, primaryPath(targets));
      requireAllAnswers(vetted.collector.summary);
      return vetted;
    };
    result = await runWithOutput(context, asOneOutput(files), vet, rejects).catch((thrown) => {
      throw withContinuation(context, options, { files, journal: resume.options.journal, startedEmpty }, thrown);
    });
    await resume.finish();
  } finally {
    await source.close();
  }
  const stats = result.collector.stats(shapeOf(source, paths), Date.now());
  const rejected = rejects(result);
  const statsFiles = await writeStatsFiles(context, options, stats, rejected);
  const isRejected = rejected.length > 0;
  const showsSummary =
    !context.quiet && !context.json && (context.terminal.stderr.isTty || formatKind(format) === 'screen');
  reportInput(context, source, format, {
    hasSummary: showsSummary && stats.summary.total > 0,
  });
  if (review.clean && !review.dedupe) noteDuplicates(context, stats.summary.duplicate_count);
  if (stats.summary.total === 0 && !isRejected) {
    const isWhole = options.list.limit === undefined && !stats.summary.suppressed_count;
    context.note(isWhole ? 'The list has no addresses.' : 'No address was vetted.');
  } else if (showsSummary && stats.summary.total > 0)
    await showFinalSummary(context, options, stats, { ...result, statsFiles, isRejected });
  return isRejected ? exitNotAllValid : 0;
}

/** A pipe without a byte may come from an export that failed, so it replaces no output. */
function requireInput(source: RowSource, output: string | null): void {
  const isEmpty = source.format === 'lines' && source.stats().rows + source.skippedLines() === 0;
  if (!isEmpty || output === null || !existsSync(output)) return;
  throw new Failure('bad_input', `The standard input is empty, so ${output} stays as it is.`, {
    hint: 'Check the command that writes the list.',
  });
}

/** Each row of the list is in a file, so a newsletter would be sent twice. */
function noteDuplicates({ note }: Context, count: number): void {
  if (count === 0) return;
  note(`The files have ${formatAmount(count, 'duplicate')}; --dedupe keeps only the first row of each mailbox.`);
}

function isRegularFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

function shapeOf(source: RowSource, paths: readonly string[]): ListShape {
  const columns = source.columns.length > 1 ? namesAt(source.columns, source.emailColumns) : [];
  const name = paths.length === 0 ? null : paths.map((path) => basename(path)).join(', ');
  const part = source.part?.() ?? null;
  return { name, columns, otherColumns: source.otherColumns?.() ?? [], skippedLines: source.skippedLines(), part };
}

async function showFinalSummary(
  context: Context,
  options: BulkOptions,
  stats: RunStats,
  outcome: ListResult & { statsFiles: readonly Written[]; isRejected: boolean },
): Promise<void> {
  const { written, since, stdoutRows, statsFiles, isRejected } = outcome;
  const { renderFinalSummary } = await import('../../render/final-summary.js');
  const { stderr } = context.terminal;
  const summary = isRejected
    ? { stats, since, stdoutRows, written: statsFiles, next: null }
    : {
        ...{ stats, since, stdoutRows, written: [...written, ...statsFiles] },
        next: nextStep(context, options, stats, written),
      };
  await stderr.write(`${written.length === 0 ? '\n' : ''}${renderFinalSummary(summary, stderr)}`);
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
  const unknown = summary.unknown_count - countSeveralAddresses(reasons);
  const localCount = reasons.names.reduce((sum, { name, total }) => sum + (localReasons.includes(name) ? total : 0), 0);
  if (unknown > 0 && localCount * 2 >= unknown) {
    return { command: 'mailvet doctor', description: 'shows what is in the way, and what to do about it' };
  }
  const resumable = resumableOutput(options, written);
  if (unknown > 0 && resumable !== null && !comparesWithItself(options.review.since, resumable) && !isRemote(context)) {
    const resume = options.resume === undefined ? ['--resume', resumable] : [];
    const only = options.onlyUnknown ? [] : ['--only-unknown'];
    const addresses = unknown === 1 ? 'the unknown one' : `the ${formatNumber(unknown)} unknown ones`;
    return { command: context.commandWith(...resume, ...only), description: `asks ${addresses} again` };
  }
  if (options.paths.length === 0 || written.length > 0 || options.output.format !== null) return null;
  // Unchanged rows would be missing in the files, and --only is refused with them.
  if (options.review.onlyChanged || options.output.only !== null) return null;
  // A part of the list was a trial; sorted into files, it would be taken for the whole.
  if (options.list.limit !== undefined) return null;
  const extensions = rowKinds.map((kind) => `.${kind}.csv`).join(', ');
  return {
    command: context.commandWith('--clean'),
    description: `sorts the rows into three files (${extensions})`,
  };
}

/** The output, if it contains all addresses with their verdicts in a format that can be read back. */
function resumableOutput({ output, review, paths }: BulkOptions, written: readonly Written[]): string | null {
  const isFiltered = output.only !== null || review.onlyChanged;
  if (isFiltered || output.fields !== null || paths.length === 0 || written.length === 0) return null;
  const kind = formatKind(output.format);
  if (output.path !== null && (kind === 'screen' || kind === 'text')) return null;
  return primaryPath({ output: { main: output, rejects: null }, review, list: paths[0] ?? null });
}

function isRemote(context: Context): boolean {
  return context.settings().mode === 'remote';
}

function refuseFlags(context: Context, options: BulkOptions): void {
  const { remote, resume, onlyUnknown } = options;
  if (onlyUnknown && resume === undefined) {
    throw new Failure('usage', '--only-unknown needs an earlier output.', { hint: 'Add --resume FILE.' });
  }
  if (!isRemote(context)) {
    refuseRemoteFlags([
      ['--max-credits', remote.maxCredits !== undefined],
      ['--retry-billable', remote.retryBillable],
      ['--send-invalid', remote.sendInvalid],
    ]);
  }
}
