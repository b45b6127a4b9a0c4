import type { JobResults, RowVerdict } from '../model/job.js';
import type { Context } from './context.js';
import { type Output, openOutput, writeThrough } from './output.js';
import type { OutputWishes } from './output-flags.js';
import { openJobRenderer } from './render/job-results.js';

/** Where the results of a job go. */
export interface JobOutput {
  wishes: OutputWishes;
  /** A file for the rows that `--only` leaves out. */
  rejects: string | null;
}

const rowsAtOnce = 500;

/** Writes results in input order, and the rest to the file for rejects; each file is put in place only when it is whole. */
export async function writeJobResults(context: Context, results: JobResults, output: JobOutput): Promise<void> {
  const { wishes, rejects } = output;
  const kept = await openOutput(context, wishes, 'csv');
  await writeThrough(context, kept, async () => {
    if (rejects === null) return writeRows(results, wishes.only, kept, null);
    const rest = await openOutput(context, { ...wishes, path: rejects }, 'csv');
    return writeThrough(context, rest, () => writeRows(results, wishes.only ?? new Set(['valid']), kept, rest));
  });
}

async function writeRows(
  results: JobResults,
  only: ReadonlySet<string> | null,
  kept: Output,
  rest: Output | null,
): Promise<void> {
  const good = openPen(results, kept);
  const bad = rest === null ? null : openPen(results, rest);
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
function openPen(results: JobResults, { sink, format }: Output) {
  const renderer = openJobRenderer(format, results);
  let text = '';
  let rows = 0;
  const flush = async (): Promise<void> => {
    const ready = text;
    text = '';
    await sink.write(ready);
  };
  return {
    begin: () => sink.write(renderer.begin()),
    row: async (row: { cells: string[]; email: string; verdict: RowVerdict | null }): Promise<void> => {
      text += renderer.row(row, rows++);
      if (rows % rowsAtOnce === 0) await flush();
    },
    end: async (): Promise<void> => {
      await flush();
      await sink.write(renderer.end(rows));
    },
  };
}
