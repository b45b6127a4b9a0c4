import { exitNotAllValid } from '../../../model/failure.js';
import type { JobResults, RowVerdict } from '../../../model/job.js';
import type { Context } from '../../context.js';
import type { JobOutput, OutputWishes } from '../../flags/output-flags.js';
import { openJobRenderer } from '../../render/rows/job-rows.js';
import { type Output, openOutput, writeThrough } from '../../terminal/output.js';

const rowsAtOnce = 500;

/**
 * Writes results in input order, and the rest to the file for rejects; each file is put in place only when it is whole and there is
 * no reason against it. Gives the exit status: 1 where there is one.
 */
export async function writeJobResults(
  context: Context,
  results: JobResults,
  output: JobOutput,
  reasons: readonly string[],
): Promise<number> {
  const { wishes, rejects } = output;
  const kept = await openOutput(context, wishes, 'csv');
  await writeThrough(
    context,
    kept,
    async () => {
      if (rejects === null) return writeRows(results, wishes, kept, null);
      const rest = await openOutput(context, rejects, 'csv');
      const only = wishes.only ?? new Set(['valid']);
      return writeThrough(
        context,
        rest,
        () => writeRows(results, { ...wishes, only }, kept, rest),
        () => reasons,
      );
    },
    () => reasons,
  );
  return reasons.length > 0 ? exitNotAllValid : 0;
}

async function writeRows(
  results: JobResults,
  { only, fields }: OutputWishes,
  kept: Output,
  rest: Output | null,
): Promise<void> {
  const good = openPen(results, kept, fields);
  const bad = rest === null ? null : openPen(results, rest, fields);
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
function openPen(results: JobResults, { sink, format }: Output, fields: readonly string[] | null) {
  const renderer = openJobRenderer(format, results, fields);
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
