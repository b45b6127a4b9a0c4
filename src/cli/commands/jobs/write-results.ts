import { exitNotAllValid } from '../../../model/failure.js';
import type { Job, JobResults } from '../../../model/job.js';
import type { RunFigures } from '../../../report/run-figures.js';
import { openJobFigures, summaryOf } from '../../../service/job-figures.js';
import type { Context } from '../../context.js';
import { type Guards, trippedGuards } from '../../flags/guard-flags.js';
import type { JobOutput, OutputWishes } from '../../flags/output-flags.js';
import { type ChangeWishes, changeColumn } from '../../flags/review-flags.js';
import { type JobRow, openJobRenderer } from '../../render/rows/job-rows.js';
import { type Output, openOutput, writeThrough } from '../../terminal/output.js';
import type { Changes } from '../bulk/changes.js';

/** What is done with the results of a job. */
export interface ResultWishes {
  output: JobOutput;
  guards: Guards;
  changes: ChangeWishes;
}

const rowsAtOnce = 500;

/**
 * Writes results in input order, and the rest to the file for rejects; each file is put in place only when it is whole and there is
 * no reason against it. Gives the exit status: 1 where there is one.
 */
export async function writeJobResults(
  context: Context,
  results: JobResults,
  job: Job,
  wishes: ResultWishes,
): Promise<number> {
  const { output, changes: wanted } = wishes;
  const rejected = trippedGuards(wishes.guards, summaryOf(job));
  const changes = wanted.since === undefined ? null : await changesSince(context, wanted.since, job);
  const watch = openJobFigures(job);
  const watched = { ...results, rows: watch.watch(results.rows) };
  const rows = changes === null ? watched.rows : withChanges(watched, changes, wanted.onlyChanged, job);
  const outcome = { ...results, rows };
  const kept = await openOutput(context, output.wishes, 'csv');
  const reasons = (): readonly string[] => rejected;
  const writeKept = async (): Promise<void> => {
    const added = changes === null ? [] : [changeColumn];
    if (output.rejects === null) return writeRows(outcome, output.wishes, added, kept, null);
    const rest = await openOutput(context, output.rejects, 'csv');
    const only = output.wishes.only ?? new Set(['valid']);
    const sorted = { ...output.wishes, only };
    return writeThrough(context, rest, () => writeRows(outcome, sorted, added, kept, rest), reasons);
  };
  await writeThrough(context, kept, writeKept, reasons);
  const figures = watch.figures();
  Object.assign(figures.summary, changes?.counts());
  await writeJobFigures(context, figures, wishes);
  return rejected.length > 0 ? exitNotAllValid : 0;
}

/** Writes the figures where `--summary` asks for them, also for those who want no rows. */
export async function writeJobFigures(
  context: Context,
  figures: RunFigures,
  { guards, changes: { summary: path } }: ResultWishes,
): Promise<void> {
  if (path === undefined) return;
  const { writeFigures } = await import('../bulk/figures.js');
  await writeFigures(context, path, figures, trippedGuards(guards, figures.summary));
}

async function changesSince(context: Context, since: string, { email_column }: Job): Promise<Changes> {
  const { openChanges } = await import('../bulk/changes.js');
  return openChanges(context, since, email_column);
}

/** The rows with what changed; with `onlyChanged` nothing else, and behind them those that are gone. */
async function* withChanges(
  { rows, columns }: JobResults,
  changes: Changes,
  onlyChanged: boolean,
  { email_column }: Job,
): AsyncGenerator<JobRow> {
  for await (const row of rows) {
    const change = changeOf(changes, row);
    if (!onlyChanged || (change !== 'same' && change !== '')) yield { ...row, added: { [changeColumn]: change } };
  }
  for await (const { email } of changes.gone()) {
    if (!onlyChanged) continue;
    const cells = columns.map((column) => (column === email_column ? email : ''));
    yield { cells, email, verdict: null, added: { [changeColumn]: 'gone' } };
  }
}

function changeOf(changes: Changes, { email, verdict }: JobRow): string {
  if (email === '') return '';
  if (verdict !== null) return changes.of({ email, status: verdict.status });
  changes.pass(email);
  return '';
}

async function writeRows(
  results: JobResults & { rows: AsyncIterable<JobRow> },
  { only, fields }: OutputWishes,
  added: readonly string[],
  kept: Output,
  rest: Output | null,
): Promise<void> {
  const good = openPen(openJobRenderer(kept.format, results, fields, added), kept);
  const bad = rest === null ? null : openPen(openJobRenderer(rest.format, results, fields, added), rest);
  await good.begin();
  await bad?.begin();
  for await (const row of results.rows) {
    const wanted = only === null || (row.verdict !== null && only.has(row.verdict.status));
    await (wanted ? good : bad)?.row(row);
  }
  await good.end();
  await bad?.end();
}

/** Gathers some rows for each write. */
function openPen(renderer: ReturnType<typeof openJobRenderer>, { sink }: Output) {
  let text = '';
  let rows = 0;
  const flush = async (): Promise<void> => {
    const ready = text;
    text = '';
    await sink.write(ready);
  };
  return {
    begin: () => sink.write(renderer.begin()),
    row: async (row: JobRow): Promise<void> => {
      text += renderer.row(row, rows++);
      if (rows % rowsAtOnce === 0) await flush();
    },
    end: async (): Promise<void> => {
      await flush();
      await sink.write(renderer.end(rows));
    },
  };
}
