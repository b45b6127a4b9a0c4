import { Failure } from '../../../model/failure.js';
import type { BulkAnswer, RunSummary } from '../../../model/result.js';
import type { RunProgress, BulkOptions as ServiceWishes } from '../../../model/service.js';
import { type FigureGatherer, openRunFigures } from '../../../report/run-figures.js';
import type { Row, RowSource } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import type { ListWishes } from '../../flags/list-flags.js';
import type { OutputWishes } from '../../flags/output-flags.js';
import { changeColumn, fixedColumn, type ReviewWishes } from '../../flags/review-flags.js';
import { renderProgress } from '../../render/progress.js';
import { openRowRenderer } from '../../render/rows/open-renderer.js';
import type { ListLayout } from '../../render/rows/rows.js';
import { openProgressLine } from '../../terminal/progress.js';
import { ClosedPipe, type Sink } from '../../terminal/terminal.js';
import type { Changes } from './changes.js';
import { fixRows } from './fix.js';
import type { Pen } from './outputs.js';
import { openPaidService, type PaidBulkOptions, stopNote } from './paid.js';
import { openPairing, type Paired, wantedOf } from './pair-rows.js';

export interface VetWishes {
  output: OutputWishes;
  list: ListWishes;
  review: ReviewWishes;
  remote: PaidBulkOptions;
}

/** Vets the rows of a list and writes them as they are answered; gives the figures. What was finished is written also where the run stops early. */
export async function vetRows(
  context: Context,
  source: RowSource,
  pens: readonly Pen[],
  options: VetWishes,
  earlier: Pick<ServiceWishes, 'answered' | 'journal'>,
): Promise<FigureGatherer> {
  const { signal } = context;
  const { review } = options;
  const service = await openPaidService(context, options.remote);
  const changes = await changesSince(context, options);
  const writers = await openWriters(pens, source, options);
  const progress = openProgressLine(context, { hidden: pens.some(({ output }) => output.sink.isTty) });
  const figures = openRunFigures(Date.now(), { countsAlone: !wantsFigures(context, review) });
  const { summary } = figures;
  // A back end that does not tell shows at least what has come out.
  let run: RunProgress = { answered: () => summary.total, waiting: () => 0, nextAt: () => null };
  const showProgress = (): void =>
    progress.show((elapsedMs) =>
      renderProgress(
        { answered: run.answered(), total: totalOf(source), waiting: run.waiting(), nextAt: run.nextAt() },
        elapsedMs,
        context.terminal.stderr.unicode,
      ),
    );
  const stopMarking = startMarking(() => figures.mark(run.answered(), Date.now()));
  const pairing = openPairing();
  const write = async (chunk: readonly BulkAnswer[]): Promise<void> => {
    const taken = pairing.take(chunk);
    const paired = review.fix ? await fixRows(service, taken, source.emailColumn, signal) : taken;
    figures.add(paired.answers);
    await writers.write(review.since === undefined ? paired : withChanges(paired, changes));
    showProgress();
  };
  try {
    await writers.begin();
    const onProgress = (told: RunProgress): void => {
      run = told;
      showProgress();
    };
    const wishes = { ...earlier, signal, needsNetwork: true, onProgress };
    for await (const chunk of service.validateMany(pairing.emails(source.chunks), wishes)) await write(chunk);
    // Rows without an address may stand behind the last one.
    await write([]);
    const { empty } = source.figures();
    if (empty > 0) summary.empty_count = empty;
    if (signal.aborted) throw new Failure('interrupted', 'Interrupted.');
    if (changes !== null) Object.assign(summary, await writeGone(changes, writers, review.onlyChanged, source));
    await writers.end(summary);
    return figures;
  } catch (thrown) {
    if (!(thrown instanceof ClosedPipe)) {
      if (context.settings().mode === 'remote')
        summary.unanswered_count = (summary.unanswered_count ?? 0) + pairing.left();
      await writers.end({ ...summary, incomplete: true }).catch(() => {});
      context.note(stopNote(summary));
    }
    throw thrown;
  } finally {
    stopMarking();
    await progress.close();
  }
}

/** Whether somebody will look at more than the counts. */
function wantsFigures({ terminal, quiet }: Context, { summary }: ReviewWishes): boolean {
  return summary !== undefined || (terminal.stderr.isTty && !quiet);
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
  const { addresses } = source.figures();
  const read = source.bytesRead();
  if (source.totalBytes === null || source.totalBytes === 0 || read === 0) return null;
  return read >= source.totalBytes ? addresses : Math.round((addresses * source.totalBytes) / read);
}

async function changesSince(context: Context, { review: { since }, list }: VetWishes): Promise<Changes | null> {
  if (since === undefined) return null;
  const { openChanges } = await import('./changes.js');
  return openChanges(context, since, list.column);
}

interface Writers {
  begin(): Promise<void>;
  write(paired: Paired): Promise<void>;
  end(summary: RunSummary): Promise<void>;
}

/** Writes each row wherever it is wanted. */
async function openWriters(pens: readonly Pen[], source: RowSource, options: VetWishes): Promise<Writers> {
  const { review, output, list } = options;
  const added = [...(review.fix ? [fixedColumn] : []), ...(review.since === undefined ? [] : [changeColumn])];
  const opened = await Promise.all(
    pens.map(async ({ output: { sink, format }, wants }) => ({
      sink,
      renderer: await openRowRenderer(format, { ...sink, fields: output.fields, raw: list.raw }),
      wants: wanted(wants, review),
    })),
  );
  return {
    begin: async () => {
      for (const { sink, renderer } of opened) await sink.write(renderer.begin({ ...layoutFor(source, sink), added }));
    },
    write: async (paired) => {
      for (const { sink, renderer, wants } of opened) {
        const { rows, answers } = wantedOf(paired, wants);
        await sink.write(renderer.rows(rows, answers));
      }
    },
    end: async (summary) => {
      for (const { sink, renderer } of opened) await sink.write(renderer.end(summary));
    },
  };
}

function wanted(wants: Pen['wants'], { dedupe, onlyChanged }: ReviewWishes): Pen['wants'] {
  if (!dedupe && !onlyChanged) return wants;
  return (answer) =>
    (wants === null || wants(answer)) &&
    !(dedupe && answer.duplicate) &&
    !(onlyChanged && (answer.added?.[changeColumn] ?? 'same') === 'same');
}

/** Lists without a header get one with the columns that are added. A mark at its beginning is not for a screen. */
function layoutFor(source: RowSource, { isTty }: Sink): ListLayout {
  if (source.format !== 'csv') return { ...source, hasHeader: true };
  return isTty ? { ...source, opening: source.opening?.replace('\ufeff', '') ?? '' } : source;
}

function withChanges({ rows, answers }: Paired, changes: Changes | null): Paired {
  const marked = answers.map((answer) => {
    if (changes === null || answer.empty || answer.unanswered) return answer;
    return { ...answer, added: { ...answer.added, [changeColumn]: changes.of(answer.result) } };
  });
  return { rows, answers: marked };
}

/** What is gone is counted; as rows it comes only to those who want nothing but changes, for the list does not hold it. */
async function writeGone(
  changes: Changes,
  writers: Writers,
  asRows: boolean,
  { columns, emailColumn }: RowSource,
): Promise<Pick<RunSummary, 'changes' | 'moves'>> {
  for await (const { email } of changes.gone()) {
    if (!asRows) continue;
    const row: Row = { cells: columns.map((_, index) => (index === emailColumn ? email : '')), email };
    const result = { email, status: '', is_valid: false, confidence: 0 };
    await writers.write({
      rows: [row],
      answers: [{ result, duplicate: false, empty: true, added: { [changeColumn]: 'gone' } }],
    });
  }
  return changes.counts();
}
