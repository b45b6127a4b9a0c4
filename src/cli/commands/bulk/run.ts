import { exitNotAllValid, Failure } from '../../../model/failure.js';
import type { BulkAnswer } from '../../../model/result.js';
import { openRows } from '../../../rows/open-rows.js';
import type { InputFormat, Row, RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import type { Format, OutputWishes } from '../../flags/output-flags.js';
import { openRowRenderer } from '../../render/rows/open-renderer.js';
import type { RowRenderer, RunSummary } from '../../render/rows/rows.js';
import { renderSummary } from '../../render/rows/summary.js';
import { checkOutput, type Output, openOutput, writeThrough } from '../../terminal/output.js';
import { openProgress } from '../../terminal/progress.js';
import { ClosedPipe } from '../../terminal/terminal.js';
import {
  earlierAnswers,
  openPaidService,
  type PaidBulkOptions,
  refuseDearList,
  runDryRun,
  stopNote,
  unansweredNote,
} from './paid.js';
import { countAnswer, countOf, emptySummary } from './summary.js';

export interface BulkOptions {
  /** Null for stdin. */
  path: string | null;
  output: OutputWishes;
  input: InputFormat | undefined;
  column: string | undefined;
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
  for (const text of source.notes()) context.note(text);
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

function openList(context: Context, { path, input, column }: BulkOptions): Promise<RowSource> {
  return openRows(path === null ? { stream: context.terminal.stdin.stream } : { path }, {
    ...(input === undefined ? {} : { format: input }),
    ...(column === undefined ? {} : { column }),
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
  const renderer = await openRowRenderer(format, { ...sink, fields });
  const progress = openProgress(context, source, sink.isTty);
  const summary = emptySummary();
  const pending: Row[][] = [];
  const rows = rowTaker(pending);
  try {
    await sink.write(renderer.begin(source.format === 'csv' ? source : { ...source, hasHeader: true, delimiter: ',' }));
    const answers = service.validateMany(emailsOf(source.chunks, pending), { signal: context.signal, ...earlier });
    for await (const chunk of answers) {
      for (const answer of chunk) countAnswer(summary, answer);
      await sink.write(renderChunk(renderer, rows.take(chunk.length), chunk, only));
      progress.update(summary.total);
    }
    if (context.signal.aborted) throw new Failure('interrupted', 'Interrupted.');
    await sink.write(renderer.end(summary));
    return summary;
  } catch (thrown) {
    if (!(thrown instanceof ClosedPipe)) {
      if (isRemote(context)) summary.unanswered_count = (summary.unanswered_count ?? 0) + rows.left();
      await sink.write(renderer.end({ ...summary, incomplete: true })).catch(() => {});
      context.note(stopNote(summary));
    }
    throw thrown;
  } finally {
    await progress.close();
  }
}

async function* emailsOf(chunks: AsyncIterable<Row[]>, pending: Row[][]): AsyncGenerator<string[]> {
  for await (const rows of chunks) {
    pending.push(rows);
    yield rows.map((row) => row.email);
  }
}

/** Gives the rows that belong to the next answers; chunks in and out need not align. */
function rowTaker(pending: Row[][]): { take(count: number): readonly Row[]; left(): number } {
  let used = 0;
  const take = (count: number): readonly Row[] => {
    const first = pending[0];
    if (used === 0 && first !== undefined && first.length === count) return pending.shift() ?? [];
    const taken: Row[] = [];
    while (taken.length < count) {
      const rows = pending[0];
      if (rows === undefined) throw new Error('The back end gave more answers than there were addresses.');
      const end = Math.min(rows.length, used + count - taken.length);
      for (let index = used; index < end; index++) taken.push(rows[index] as Row);
      used = end;
      if (used === rows.length) {
        pending.shift();
        used = 0;
      }
    }
    return taken;
  };
  return { take, left: () => pending.reduce((sum, rows) => sum + rows.length, -used) };
}

function renderChunk(
  renderer: RowRenderer,
  rows: readonly Row[],
  answers: readonly BulkAnswer[],
  only: ReadonlySet<string> | null,
): string {
  if (only === null && !answers.some(({ unanswered }) => unanswered)) return renderer.rows(rows, answers);
  const keptRows: Row[] = [];
  const kept: BulkAnswer[] = [];
  for (let index = 0; index < answers.length; index++) {
    const answer = answers[index];
    const row = rows[index];
    if (answer === undefined || row === undefined || answer.unanswered) continue;
    if (only !== null && !only.has(answer.result.status)) continue;
    keptRows.push(row);
    kept.push(answer);
  }
  return renderer.rows(keptRows, kept);
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
