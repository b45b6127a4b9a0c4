import { formatNumber } from '../../model/amount.js';
import type { RunStats } from '../../report/run-stats.js';
import type { Context } from '../context.js';
import type { NextStep, Written } from '../render/final-summary.js';
import type { OutputFile } from './output-files.js';
import { showsSummary, type WrittenResult } from './write-list.js';

/** How a run ended. */
interface EndedRun {
  stats: RunStats;
  result: WrittenResult;
  statsFiles: readonly Written[];
  isRejected: boolean;
  /** The list, for a log; null for a pipe. */
  name: string | null;
  next: NextStep | null;
  /** By a job, whose duration is not that of writing the rows. */
  isVettedBefore?: boolean;
}

/** The end of a run: a summary for readers, or one line in a log. */
export async function reportRun(context: Context, files: readonly OutputFile[], run: EndedRun): Promise<void> {
  const { stats, result, statsFiles, isRejected, name, isVettedBefore = false } = run;
  if (stats.summary.total === 0) {
    const { suppressed_count: suppressed, unanswered_count: unanswered } = stats.summary;
    const isWhole = stats.list.part == null && suppressed === 0;
    if (!isRejected && unanswered === 0)
      context.note(isWhole ? 'The list has no addresses.' : 'No address was vetted.');
    return;
  }
  const { stderr } = context.terminal;
  const { renderClosingLine, renderFinalSummary } = await import('../render/final-summary.js');
  const written = isRejected ? statsFiles : [...result.written, ...statsFiles];
  const next = isRejected ? null : run.next;
  const summary = { stats, stdoutRows: result.stdoutRows, written, next, isVettedBefore };
  if (showsSummary(context, files))
    await stderr.write(`${result.written.length === 0 ? '\n' : ''}${renderFinalSummary(summary, stderr)}`);
  else if (!stderr.isTty) context.note(`${name === null ? '' : `${name}: `}${renderClosingLine(summary)}`);
}

/** The same command again, for the addresses that are unknown; null if none is. */
export function askAgain({ args, commandWith }: Context, unknown: number): NextStep | null {
  if (unknown === 0) return null;
  const addresses = unknown === 1 ? 'the unknown one' : `the ${formatNumber(unknown)} unknown ones`;
  const hasAge = args.some((arg) => /^--max-age(?:=|$)/.test(arg));
  return { command: commandWith(...(hasAge ? [] : ['--max-age', '1d'])), description: `asks ${addresses} again` };
}
