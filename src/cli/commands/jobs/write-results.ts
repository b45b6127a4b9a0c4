import { exitNotAllValid } from '../../../model/failure.js';
import type { Job, JobResults } from '../../../model/job.js';
import type { Context } from '../../context.js';
import { type Guards, trippedGuards } from '../../flags/guard-flags.js';
import type { JobOutput, OutputWishes } from '../../flags/output-flags.js';
import { type ChangeWishes, changeColumn } from '../../flags/review-flags.js';
import { type JobRow, openJobRenderer } from '../../render/rows/job-rows.js';
import type { RunSummary } from '../../render/rows/rows.js';
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
  const rows = changes === null ? results.rows : withChanges(results, changes, wanted.onlyChanged, job);
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
  await writeJobFigures(context, job, wishes, changes);
  return rejected.length > 0 ? exitNotAllValid : 0;
}

/** The figures of a job, for those who want no rows as well. */
export async function writeJobFigures(
  context: Context,
  job: Job,
  { guards, changes: { summary: path } }: ResultWishes,
  changes: Changes | null = null,
): Promise<void> {
  if (path === undefined) return;
  const { writeFigures } = await import('../bulk/figures.js');
  const summary = summaryOf(job);
  const ranMs = Date.parse(job.finished_at ?? '') - Date.parse(job.created_at ?? '');
  await writeFigures(context, path, {
    summary: changes === null ? summary : { ...summary, changes: changes.counts() },
    subStatuses: new Map(Object.entries(job.sub_status_counts ?? {})),
    rejected: trippedGuards(guards, summary),
    startedAt: performance.now() - (Number.isNaN(ranMs) ? 0 : ranMs),
  });
}

/** The counts of a job as those of any list; what a service does not count is none. Rows without an address are not in the total. */
export function summaryOf(job: Job): RunSummary {
  const { total = 0, empty_count = 0, valid_count = 0, invalid_count = 0, risky_count = 0, unknown_count = 0 } = job;
  const { duplicate_count = 0, credits_used = 0 } = job;
  const counts = { valid_count, invalid_count, risky_count, unknown_count, duplicate_count, credits_used };
  return { total: total - empty_count, ...counts, ...(empty_count > 0 && { empty_count }) };
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
