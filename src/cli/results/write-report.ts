import type { RunStats } from '../../report/run-stats.js';
import type { Context } from '../context.js';

/** Writes the report of a run to a file, which appears only once it is whole. */
export async function writeReport(context: Context, path: string, figures: RunStats): Promise<void> {
  const [{ renderReport }, { writeWholeFile }] = await Promise.all([
    import('../../report/render-report.js'),
    import('./write-whole-file.js'),
  ]);
  const { html } = renderReport(figures);
  await writeWholeFile(context, '--report', path, html);
}
