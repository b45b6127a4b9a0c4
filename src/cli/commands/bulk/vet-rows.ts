import { formatAmount } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import type { BulkAnswer } from '../../../model/result.js';
import type { RunProgress } from '../../../model/service.js';
import { createStatsCollector, type StatsCollector } from '../../../report/run-stats.js';
import type { RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { resolveEarlierOutput } from '../../flags/guards.js';
import { jobFields } from '../../flags/status-and-field-lists.js';
import { createRateMeter, doneShare, renderProgress } from '../../render/progress.js';
import type { OutputFile } from '../../results/output-files.js';
import type { RowsWithResults } from '../../results/rows-with-results.js';
import { createListWriter, needsStats, type WrittenResult } from '../../results/write-list.js';
import { openProgressLine } from '../../terminal/progress.js';
import { ClosedPipe } from '../../terminal/terminal.js';
import type { BulkOptions } from './bulk-options.js';
import { openPaidService, stopNote } from './credits.js';
import type { OpenedList } from './open-list.js';
import type { Resume } from './resume.js';
import { RowMatcher } from './row-matcher.js';

/** The outcome of a list. */
export interface ListResult extends WrittenResult {
  collector: StatsCollector;
}

/** Vets the rows of a list and writes them as they are answered, also if the run stops early. */
export async function vetRows(
  context: Context,
  source: OpenedList,
  files: readonly OutputFile[],
  options: BulkOptions,
  earlier: Resume['options'],
): Promise<ListResult> {
  const { signal } = context;
  const { output, list, review } = options;
  const service = await openPaidService(context, options);
  const collector = createStatsCollector(Date.now(), {
    countsOnly: !needsStats(context, review, files),
    keepBad: review.report !== undefined,
  });
  const { summary } = collector;
  const writer = await createListWriter(context, files, {
    // Lists without a header get one with the columns that are added.
    layout: source.format === 'csv' ? source : { ...source, hasHeader: true },
    fields: output.fields,
    review,
    earlier: resolveEarlierOutput(review, options.guards, output),
    column: list.column,
    stats: collector,
    subject: 'list',
    keepUnanswered: false,
    isPart: list.limit !== undefined,
  });
  const isOnScreen = files.some(({ output }) => output.sink.isTty);
  const line = openProgressLine(context, {
    hidden: isOnScreen && context.json,
    belowRows: isOnScreen,
    isPlain: files.some(({ output }) => output.sink.isPipe === true),
  });
  let reusable = 0;
  // The default for a back end that reports no progress.
  let progress: RunProgress = {
    answered: () => summary.total,
    counts: () => summary,
    reused: () => {
      const count = summary.reused_count;
      return { count, of: Math.max(count, reusable) };
    },
    waiting: () => 0,
    nextAt: () => null,
  };
  // A service answers in large batches: until there were some, the average is closer.
  const measureRate = createRateMeter(undefined, { minChanges: 6 });
  let rate: number | null = null;
  const showProgress = (): void =>
    line.show((elapsedMs, withBar) => {
      const state = {
        answered: progress.answered(),
        counts: progress.counts(),
        reused: progress.reused(),
        waiting: progress.waiting(),
        nextAt: progress.nextAt(),
        rate,
        ...expectedTotal(source, list.limit),
      };
      const text = renderProgress(state, elapsedMs, context.terminal.stderr, { withBar });
      return { line: text, share: doneShare(state) };
    });
  const stopSampling = startProgressSampling(() => {
    const answered = progress.answered() - progress.reused().count;
    collector.recordProgress(answered, Date.now());
    rate = measureRate(answered);
  });
  const matcher = new RowMatcher();
  let withoutDetails = 0;
  const write = async (answers: readonly BulkAnswer[]): Promise<void> => {
    for (let batch = matcher.match(answers); batch.rows.length > 0; batch = matcher.match([])) {
      withoutDetails += countMissingDetails(batch, output.fields);
      await writer.write(batch);
    }
    showProgress();
  };
  try {
    await writer.begin();
    const onProgress = (reported: RunProgress): void => {
      progress = reported;
      showProgress();
      // The line below a table counts answers that are not in the table yet.
      if (isOnScreen && progress.waiting() > 0) {
        context.note('Rows after a waiting address are shown once it is answered; Ctrl-C shows them at once.');
      }
    };
    // The first answers may take long, so progress is shown from the start.
    if (isOnScreen || context.settings().mode === 'remote') showProgress();
    const emails = matcher.emails(source.chunks);
    const onReusable = (count: number): void => {
      reusable = count;
    };
    const hooks = { onProgress, onReusable, verdictsOnly: !needsDetails(files, options) };
    const answers = service.validateMany(emails, { ...earlier, signal, needsNetwork: true, ...hooks });
    for await (const chunk of answers) await write(chunk);
    // Writes rows without an address after the last answer.
    await write([]);
    if (signal.aborted) throw new Failure('interrupted', 'Interrupted.');
    const written = await writer.end();
    if (withoutDetails > 0) noteMissingDetails(context, files, withoutDetails);
    return { collector, ...written };
  } catch (thrown) {
    if (!(thrown instanceof ClosedPipe)) {
      if (context.settings().mode === 'remote')
        summary.unanswered_count = (summary.unanswered_count ?? 0) + matcher.unansweredCount;
      await writer.stop().catch(() => {});
      context.note(stopNote(summary, progress.waiting(), source.emailColumns.length));
    }
    throw thrown;
  } finally {
    stopSampling();
    await line.close();
  }
}

/** Whether an output, or its statistics, have more of a result than its verdict. */
function needsDetails(files: readonly OutputFile[], { output: { fields }, review }: BulkOptions): boolean {
  const isVerdict = (field: string): boolean => jobFields.includes(field);
  if (review.report !== undefined || (fields !== null && !fields.every(isVerdict))) return true;
  return files.some(({ output: { format } }) => format === 'ndjson' || format === 'table');
}

/** The reused answers without details. Objects of a JSON list, and fields of a verdict, are written without them anyway. */
function countMissingDetails({ rows, answers }: RowsWithResults, fields: readonly string[] | null): number {
  if (fields?.every((field) => jobFields.includes(field))) return 0;
  return answers.filter(
    ({ reused, result }, index) =>
      reused && !('details' in result) && (fields !== null || rows[index]?.json === undefined),
  ).length;
}

/** NDJSON has all details of an answer, which other formats of an earlier output do not have. */
function noteMissingDetails({ note, settings }: Context, files: readonly OutputFile[], count: number): void {
  if (settings().mode !== 'local' || !files.some(({ output }) => output.format === 'ndjson')) return;
  note(`${formatAmount(count, 'reused answer has its', 'reused answers have their')} verdict only, no details.`);
}

const sampleIntervalMs = 250;

function startProgressSampling(sample: () => void): () => void {
  const timer = setInterval(sample, sampleIntervalMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    sample();
  };
}

/** The number of addresses, estimated by the bytes read so far; null for a pipe. `maxRows`: of `--limit`. */
function expectedTotal(source: RowSource, maxRows: number | undefined): { total: number | null; isEstimate: boolean } {
  const { totalBytes, emailColumns } = source;
  const { addresses } = source.stats();
  const read = source.bytesRead();
  // The whole file may be in the sample before a row was taken.
  if (totalBytes === null || read === 0 || addresses === 0) return { total: null, isEstimate: false };
  const isRead = read >= totalBytes;
  const total = isRead ? addresses : Math.round((addresses * totalBytes) / read);
  if (maxRows !== undefined && maxRows <= total) return { total: maxRows, isEstimate: emailColumns.length > 1 };
  return { total, isEstimate: !isRead };
}
