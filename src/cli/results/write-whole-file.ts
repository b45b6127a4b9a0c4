import { Failure } from '../../model/failure.js';
import type { RunStats } from '../../report/run-stats.js';
import type { Context } from '../context.js';
import { runWithOutput } from './output.js';

/** Writes a file for a flag such as `--report`, after the rows. It appears only when it is complete. */
export async function writeWholeFile(context: Context, flag: string, path: string, text: string): Promise<void> {
  const { openFileSink } = await import('../terminal/file-sink.js');
  try {
    const file = await openFileSink(path);
    await runWithOutput(context, file, () => file.sink.write(text));
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== 'storage') throw thrown;
    throw new Failure('storage', thrown.message, {
      hint: `Free some space, or give ${flag} another file. Everything else was written.`,
      cause: thrown,
    });
  }
}

/** Writes the HTML report of a run. */
export async function writeReport(context: Context, path: string, stats: RunStats): Promise<void> {
  const { renderReport } = await import('../../report/render-report.js');
  const { html } = renderReport(stats);
  await writeWholeFile(context, '--report', path, html);
}
