import { readProblem, readSmallFile } from '../../../disk/own-file.js';
import { formatNumber } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import {
  type ListInUse,
  listsFolder,
  listsInUse,
  resetLists,
  updateLists,
} from '../../../service/lists/update-lists.js';
import { lockWork } from '../../../service/work-lock.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { renderFittingGrid } from '../../render/style/grid.js';
import { printRecords } from '../../results/print-records.js';

const defaultTimeoutMs = 60_000;

/** Prints every list in use. */
export async function runListsShow(context: Context, flags: FormatFlags): Promise<number> {
  await showLists(context, flags, listsInUse(listsFolder(context.settings().dataDir)));
  return 0;
}

/** Checks and installs a package of lists. */
export async function runListsUpdate(
  context: Context,
  flags: FormatFlags & { from: string; key?: string },
): Promise<number> {
  const { dataDir } = context.settings();
  const folder = listsFolder(dataDir);
  const { from, key } = flags;
  const unlock = lockWork(dataDir, 'lists', 'the lists');
  if (from === 'bundled') {
    const hadUpdate = await resetLists(folder).finally(unlock);
    context.note(hadUpdate ? 'The bundled lists are in use again.' : 'The bundled lists are in use.');
    await showLists(context, flags, listsInUse(folder));
    return 0;
  }
  if (key === undefined) {
    unlock();
    throw new Failure('usage', 'A package of lists is only installed if its signature is good.', {
      hint: 'Give the public key of its publisher with --key.',
    });
  }
  const updated = await updateLists({
    folder,
    from,
    key,
    readSource: (source, maxBytes) => readSource(context, source, maxBytes),
  }).finally(unlock);
  if (updated === null) context.note('The lists are up to date.');
  else context.note('The lists are installed. Restart running services and workers to use them.');
  await showLists(context, flags, updated ?? listsInUse(folder));
  return 0;
}

async function readSource(context: Context, source: string, maxBytes: number): Promise<Buffer> {
  if (/^https?:\/\//i.test(source)) {
    const { download } = await import('../../../service/remote/download.js');
    const { timeoutMs, httpsProxy, httpProxy, noProxy } = context.settings();
    const proxy = { https: httpsProxy ?? undefined, http: httpProxy ?? undefined, none: noProxy ?? undefined };
    const options = { maxBytes, proxy, signal: context.signal, userAgent: `mailvet/${__VERSION__}` };
    return download(source, { ...options, timeoutMs: timeoutMs ?? defaultTimeoutMs });
  }
  try {
    return readSmallFile(source, maxBytes);
  } catch (cause) {
    throw new Failure('bad_input', `${source} cannot be read: ${readProblem(cause)}.`, {
      cause,
      hint: 'The signature must be beside the package, with .minisig appended to its name.',
    });
  }
}

function showLists(context: Context, flags: FormatFlags, lists: readonly ListInUse[]): Promise<void> {
  const rows = lists.map(({ file, entries, generated, origin }) => [file, formatNumber(entries), generated, origin]);
  const { stdout } = context.terminal;
  const screen = (): string => renderFittingGrid(['LIST', 'ENTRIES', 'DATE', 'ORIGIN'], rows, stdout);
  return printRecords(context, flags, { rows: lists, document: { lists }, screen });
}
