import { stat } from 'node:fs/promises';
import { openTable } from '../../../rows/open-rows.js';
import type { Context } from '../../context.js';
import { shownId } from '../../render/job-words.js';
import { sanitize } from '../../terminal/sanitize.js';
import type { DynamicKind } from './completion-points.js';

const jobsListed = 30;
/** Whoever presses Tab waits. */
const patienceMs = 2_000;

/** Prints what may be completed, a line each, with a word about it behind a tab; nothing where it cannot be found out. */
export async function runComplete(context: Context, kind: DynamicKind, words: readonly string[]): Promise<number> {
  const lines = await (kind === 'jobs' ? jobLines(context) : columnLines(words)).catch(() => []);
  await context.terminal.stdout.write(lines.map((line) => `${line.map(sanitize).join('\t')}\n`).join(''));
  return 0;
}

/** The jobs of this machine: to complete a word, nobody else is asked. */
async function jobLines(context: Context): Promise<string[][]> {
  const settings = { ...context.settings(), mode: 'local' as const };
  await stat(settings.dataDir);
  const service = await context.openService(settings);
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const { jobs } = await service.listJobs({ skip: 0, limit: jobsListed }, { signal });
    const ids = new Map(
      jobs.map(({ id, group_id, status, filename = '' }) => [group_id ?? id, `${status} ${filename}`]),
    );
    const lines = [...ids].map(([id, about]) => [shownId(id), about.trim()]);
    return lines.length === 0 ? [] : [['latest', 'the newest one'], ...lines];
  } finally {
    await service.close();
  }
}

/** The columns of the file that is named among the words. */
async function columnLines(words: readonly string[]): Promise<string[][]> {
  for (const path of words) {
    const isFile = (await stat(path).catch(() => null))?.isFile() === true;
    if (!isFile) continue;
    const table = await openTable({ path });
    await table.close();
    return table.columns.map((name) => [name]);
  }
  return [];
}
