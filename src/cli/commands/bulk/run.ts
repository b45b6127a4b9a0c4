import { exitNotAllValid, Failure } from '../../../model/failure.js';
import type { BulkAnswer } from '../../../model/result.js';
import { openRows } from '../../../rows/open-rows.js';
import type { RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import type { ListWishes } from '../../flags/list-flags.js';
import type { Format, OutputWishes } from '../../flags/output-flags.js';
import { openRowRenderer } from '../../render/rows/open-renderer.js';
import type { ListLayout, RunSummary } from '../../render/rows/rows.js';
import { renderSummary } from '../../render/rows/summary.js';
import { checkOutput, type Output, openOutput, writeThrough } from '../../terminal/output.js';
import { openProgress } from '../../terminal/progress.js';
import { ClosedPipe, type Sink } from '../../terminal/terminal.js';
import {
  earlierAnswers,
  openPaidService,
  type PaidBulkOptions,
  refuseDearList,
  runDryRun,
  stopNote,
  unansweredNote,
} from './paid.js';
import { openPairing, wantedOf } from './pair-rows.js';
import { countAnswer, countOf, emptySummary } from './summary.js';

export interface BulkOptions {
  /** Null for stdin. */
  path: string | null;
  output: OutputWishes;
  list: ListWishes;
  failOn: ReadonlySet<string>;
  remote: PaidBulkOptions;
}

/** Vets a list as it streams by; 1 where a status of `--fail-on` occurred. */
export async function runBulk(context: Context, options: BulkOptions): Promise<number> {
  refuseRemoteFlags(context, options.remote);
  const { path } = options;
  if (path === null && context.terminal.stdin.isTty) {
    throw new Failure('usage', 'There is no list to read.', {
      hint: 'Name a file (mailvet bulk list.csv), or pipe one in.',
    });
  }
  await checkOutput(context, options.output, path);
  if (options.remote.dryRun) return runDryRun(context, options, () => openList(context, options));
  if (options.remote.maxCredits !== undefined && path !== null) {
    await refuseDearList(context, options, () => openList(context, options));
  }
  const source = await openList(context, options);
  let summary: RunSummary;
  let format: Format;
  try {
    const output = await openOutput(context, options.output, 'ndjson');
    ({ format } = output);
    summary = await writeThrough(context, output, () => vetRows(context, source, output, options));
  } finally {
    await source.close();
  }
  sayWhatWasRead(context, source, format);
  await sayWhatCameOut(context, summary, format);
  const failed = [...options.failOn].some((status) => countOf(summary, status) > 0);
  return failed ? exitNotAllValid : 0;
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

/** Lists without a header get one with the columns that are added. A mark at its beginning is not for a screen. */
function layoutFor(source: RowSource, { isTty }: Sink): ListLayout {
  if (source.format !== 'csv') return { ...source, hasHeader: true };
  return isTty ? { ...source, opening: source.opening?.replace('\ufeff', '') ?? '' } : source;
}

function openList(context: Context, { path, list }: BulkOptions): Promise<RowSource> {
  const { raw: _, ...open } = list;
  return openRows(path === null ? { stream: context.terminal.stdin.stream } : { path }, {
    ...open,
    // A pipe may well have nothing to give; a file that somebody names should hold something.
    mayBeEmpty: path === null,
    signal: context.signal,
  });
}

async function vetRows(
  context: Context,
  source: RowSource,
  { sink, format }: Output,
  options: BulkOptions,
): Promise<RunSummary> {
  const { only, fields } = options.output;
  const service = await openPaidService(context, options.remote);
  const earlier = await earlierAnswers(context, options);
  const renderer = await openRowRenderer(format, { ...sink, fields, raw: options.list.raw });
  const progress = openProgress(context, source, sink.isTty);
  const summary = emptySummary();
  const pairing = openPairing();
  const write = async (chunk: readonly BulkAnswer[]): Promise<void> => {
    for (const answer of chunk) countAnswer(summary, answer);
    const { rows, answers } = wantedOf(pairing.take(chunk), only);
    await sink.write(renderer.rows(rows, answers));
    progress.update(summary.total);
  };
  try {
    await sink.write(renderer.begin(layoutFor(source, sink)));
    const emails = pairing.emails(source.chunks);
    for await (const chunk of service.validateMany(emails, { signal: context.signal, ...earlier })) await write(chunk);
    // Rows without an address may stand behind the last one.
    await write([]);
    const { empty } = source.figures();
    if (empty > 0) summary.empty_count = empty;
    if (context.signal.aborted) throw new Failure('interrupted', 'Interrupted.');
    await sink.write(renderer.end(summary));
    return summary;
  } catch (thrown) {
    if (!(thrown instanceof ClosedPipe)) {
      if (isRemote(context)) summary.unanswered_count = (summary.unanswered_count ?? 0) + pairing.left();
      await sink.write(renderer.end({ ...summary, incomplete: true })).catch(() => {});
      context.note(stopNote(summary));
    }
    throw thrown;
  } finally {
    await progress.close();
  }
}

function isRemote(context: Context): boolean {
  return context.settings().mode === 'remote';
}

function refuseRemoteFlags(context: Context, remote: PaidBulkOptions): void {
  const given = [
    remote.dryRun ? '--dry-run' : null,
    remote.maxCredits === undefined ? null : '--max-credits',
    remote.resume === undefined ? null : '--resume',
    remote.retryBillable ? '--retry-billable' : null,
  ].find((flag) => flag !== null);
  if (given === undefined || isRemote(context)) return;
  throw new Failure('usage', `${given} is for the remote service, and the bundled engine costs nothing.`, {
    hint: `Add --remote, or leave ${given} away.`,
  });
}
