import type { RunProgress } from '../../../model/service.js';
import type { StatsCollector } from '../../../report/run-stats.js';
import type { RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { renderProgress } from '../../render/progress.js';
import type { OutputFile } from '../../results/output-files.js';
import { openProgressLine } from '../../terminal/progress.js';

const sampleIntervalMs = 250;

/** The progress of a list on stderr, and its rate over time for the statistics. */
export function openListProgress(
  context: Context,
  files: readonly OutputFile[],
  rows: RowSource,
  limit: number | undefined,
  collector: StatsCollector,
) {
  const isOnScreen = files.some(({ output }) => output.sink.isTty);
  const line = openProgressLine(context, {
    hidden: isOnScreen && context.json,
    belowRows: isOnScreen,
    isPlain: files.some(({ output }) => output.sink.isPipe === true),
  });
  let progress: RunProgress | null = null;
  const show = (): void =>
    line.show((elapsedMs, withBar) => {
      const state = {
        answered: progress?.answered() ?? 0,
        ...(progress !== null && { counts: progress.counts() }),
        reused: progress?.reused() ?? 0,
        waiting: progress?.waiting() ?? 0,
        nextAt: progress?.nextAt() ?? null,
        ...expectedTotal(rows, limit),
      };
      return renderProgress(state, elapsedMs, context.terminal.stderr, { withBar });
    });
  const sample = (): void =>
    collector.recordProgress((progress?.answered() ?? 0) - (progress?.reused() ?? 0), Date.now());
  const timer = setInterval(sample, sampleIntervalMs);
  timer.unref();
  // The first answers may take long, so progress is shown from the start.
  if (isOnScreen || context.settings().mode === 'remote') show();
  return {
    show: (reported: RunProgress): void => {
      progress = reported;
      show();
      // The line below a table counts answers that are not in the table yet.
      if (isOnScreen && progress.waiting() > 0) {
        context.note('Rows after a waiting address are shown once it is answered; Ctrl-C shows them at once.');
      }
    },
    waiting: (): number => progress?.waiting() ?? 0,
    close: async (): Promise<void> => {
      clearInterval(timer);
      sample();
      await line.close();
    },
  };
}

/** The number of addresses, estimated by the bytes read so far; null for a pipe. `maxRows`: of `--limit`. */
function expectedTotal(rows: RowSource, maxRows: number | undefined): { total: number | null; isEstimate: boolean } {
  const { totalBytes, emailColumns } = rows;
  const { addresses } = rows.stats();
  const read = rows.bytesRead();
  // The whole file may be in the sample before a row was taken.
  if (totalBytes === null || read === 0 || addresses === 0) return { total: null, isEstimate: false };
  const isRead = read >= totalBytes;
  const total = isRead ? addresses : Math.round((addresses * totalBytes) / read);
  if (maxRows !== undefined && maxRows <= total) return { total: maxRows, isEstimate: emailColumns.length > 1 };
  return { total, isEstimate: !isRead };
}
