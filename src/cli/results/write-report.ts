import type { RunFigures } from '../../report/run-figures.js';
import type { Context } from '../context.js';
import { writeWholeFile } from './write-whole-file.js';

/** Writes the report of a run to a file, which appears only once it is whole. */
export async function writeReport(context: Context, path: string, figures: RunFigures): Promise<void> {
  const { renderReport } = await import('../../report/render-report.js');
  const { html } = renderReport(figures);
  await writeWholeFile(context, '--report', path, html);
}
