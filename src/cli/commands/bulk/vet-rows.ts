import { Failure } from '../../../model/failure.js';
import type { BulkAnswer } from '../../../model/result.js';
import type { RunProgress, BulkOptions as ServiceWishes } from '../../../model/service.js';
import { createStatsCollector, type StatsCollector } from '../../../report/run-stats.js';
import type { RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { renderProgress } from '../../render/progress.js';
import type { OutputFile } from '../../results/output-files.js';
import { createListWriter, needsStats, type WrittenResult } from '../../results/write-list.js';
import { openProgressLine } from '../../terminal/progress.js';
import { ClosedPipe } from '../../terminal/terminal.js';
import type { BulkOptions } from './bulk-options.js';
import { openPaidService, stopNote } from './credits.js';
import { createRowPairing } from './rows-with-results.js';

/** What a list came to. */
export interface ListResult extends WrittenResult {
  stats: StatsCollector;
}

/** Vets the rows of a list and writes them as they are answered. What was finished is written also where the run stops early. */
export async function vetRows(
  context: Context,
  source: RowSource,
  files: readonly OutputFile[],
  options: BulkOptions,
  earlier: Pick<ServiceWishes, 'answered' | 'journal'>,
): Promise<ListResult> {
  const { signal } = context;
  const { output, list, review } = options;
  const service = await openPaidService(context, options);
  const figures = createStatsCollector(Date.now(), {
    countsOnly: !needsStats(context, review, files),
    keepBad: review.report !== undefined,
  });
  const { summary } = figures;
  const writer = await createListWriter(context, files, {
    // Lists without a header get one with the columns that are added.
    layout: source.format === 'csv' ? source : { ...source, hasHeader: true },
    ...{ fields: output.fields, raw: list.raw, review, column: list.column, service, stats: figures },
    subject: 'list',
    keepUnanswered: false,
  });
  const progress = openProgressLine(context, { hidden: files.some(({ output }) => output.sink.isTty) });
  // A back end that does not tell shows at least what has come out.
  let run: RunProgress = { answered: () => summary.total, waiting: () => 0, nextAt: () => null };
  const showProgress = (): void =>
    progress.show((elapsedMs, withBar) =>
      renderProgress(
        {
          ...{ answered: run.answered(), waiting: run.waiting(), nextAt: run.nextAt() },
          ...{ total: totalOf(source), counts: summary },
        },
        elapsedMs,
        context.terminal.stderr,
        { withBar },
      ),
    );
  const stopMarking = startMarking(() => figures.mark(run.answered(), Date.now()));
  const pairing = createRowPairing();
  const write = async (chunk: readonly BulkAnswer[]): Promise<void> => {
    await writer.write(pairing.take(chunk));
    showProgress();
  };
  try {
    await writer.begin();
    const onProgress = (told: RunProgress): void => {
      run = told;
      showProgress();
    };
    const wishes = { ...earlier, signal, needsNetwork: true, onProgress };
    for await (const chunk of service.validateMany(pairing.emails(source.chunks), wishes)) await write(chunk);
    // Rows without an address may stand behind the last one.
    await write([]);
    if (signal.aborted) throw new Failure('interrupted', 'Interrupted.');
    return { stats: figures, ...(await writer.end()) };
  } catch (thrown) {
    if (!(thrown instanceof ClosedPipe)) {
      if (context.settings().mode === 'remote')
        summary.unanswered_count = (summary.unanswered_count ?? 0) + pairing.left();
      await writer.stop().catch(() => {});
      context.note(stopNote(summary));
    }
    throw thrown;
  } finally {
    stopMarking();
    await progress.close();
  }
}

const markEveryMs = 250;

/** Calls `mark` now and then, and once more at the end. */
function startMarking(mark: () => void): () => void {
  const timer = setInterval(mark, markEveryMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    mark();
  };
}

/** How many addresses the list holds, as far as its beginning tells; null for a pipe. */
function totalOf(source: RowSource): number | null {
  const { addresses } = source.stats();
  const read = source.bytesRead();
  if (source.totalBytes === null || source.totalBytes === 0 || read === 0) return null;
  return read >= source.totalBytes ? addresses : Math.round((addresses * source.totalBytes) / read);
}
