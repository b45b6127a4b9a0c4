import { stat } from 'node:fs/promises';
import { shortId } from '../../../model/text/short-id.js';
import { openTable } from '../../../rows/open-rows.js';
import { findFolders } from '../../../settings/folders.js';
import { defaultProfile, readSettingsFile } from '../../../settings/read-file.js';
import type { Context } from '../../context.js';
import { sanitize } from '../../terminal/sanitize.js';
import type { DynamicKind } from './completion-points.js';

const maxJobs = 30;
const timeoutMs = 2_000;

/** Prints one completion per line, with a description after a tab. Prints nothing on an error. */
export async function runComplete(context: Context, kind: DynamicKind, words: readonly string[]): Promise<number> {
  const readers = {
    jobs: () => jobLines(context),
    columns: () => columnLines(words),
    profiles: () => profileLines(context),
    keys: () => keyLines(context),
  };
  const lines = await readers[kind]().catch(() => []);
  await context.terminal.stdout.write(lines.map((line) => `${line.map(sanitize).join('\t')}\n`).join(''));
  return 0;
}

/** The jobs of this machine; no remote service is contacted. */
async function jobLines(context: Context): Promise<string[][]> {
  const settings = { ...context.settings(), mode: 'local' as const };
  await stat(settings.dataDir);
  const service = await context.openService(settings);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { jobs } = await service.listJobs({ skip: 0, limit: maxJobs }, { signal });
    const ids = new Map(
      jobs.map(({ id, group_id, status, filename = '' }) => [group_id ?? id, `${status} ${filename}`]),
    );
    const lines = [...ids].map(([id, description]) => [shortId(id), description.trim()]);
    return lines.length === 0 ? [] : [['latest', 'the newest one'], ...lines];
  } finally {
    await service.close();
  }
}

/** The keys that are not revoked. */
async function keyLines(context: Context): Promise<string[][]> {
  await stat(context.settings().dataDir);
  const keys = await (await context.keys()).list();
  return keys.filter(({ revoked_at }) => revoked_at === null).map(({ id, name }) => [shortId(id), name]);
}

async function profileLines({ environment }: Context): Promise<string[][]> {
  const { stored } = readSettingsFile(findFolders(environment).configFile);
  return [...new Set([defaultProfile, ...Object.keys(stored.profiles)])].map((name) => [name]);
}

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
