import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { formatAmount } from '../../../model/amount.js';
import { Failure } from '../../../model/failure.js';
import { workbookTooLarge } from './read-failure.js';
import type { UnreadSheet } from './workbook-csv.js';
import type { WorkbookReply, WorkbookTask } from './workbook-worker.js';

/** The heap of the thread. Bytes are outside of the heap, and have limits of their own. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** A sheet of a workbook as CSV in UTF-8, and what the user should know about the others. */
export interface WorkbookText {
  warnings: string[];
  read(): Promise<Uint8Array | null>;
  close(): Promise<void>;
}

/** Converts the sheet of that name, or the first, as it is read, in a thread of its own. Null for another archive. */
export async function readWorkbook(
  archive: Uint8Array<ArrayBuffer>,
  name: string,
  sheet: string | undefined,
): Promise<WorkbookText | null> {
  const workerData: WorkbookTask = { archive, sheet };
  const transferList = [archive.buffer];
  const worker = new Worker(__WORKBOOK_WORKER__, { eval: true, workerData, transferList, resourceLimits });
  const ask = async (): Promise<WorkbookReply> => {
    // A thread that waits does not keep the process alive.
    worker.ref();
    worker.postMessage(null);
    const [{ limit, problem, ...reply }] = (await once(worker, 'message').catch((error) => [
      error?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { limit: 'more than fits into memory' } : { problem: 'damaged' },
    ])) as [WorkbookReply];
    worker.unref();
    if (limit !== undefined) throw workbookTooLarge(name, limit);
    if (problem === 'no sheet') throw noSheet(name, sheet);
    if (problem === 'damaged') throw damaged(name);
    return reply;
  };
  const close = async (): Promise<void> => void (await worker.terminate());
  try {
    const { unread } = await ask();
    if (unread === undefined) await close();
    else return { warnings: unreadWarning(unread), read: async () => (await ask()).piece ?? null, close };
  } catch (error) {
    await close();
    throw error;
  }
  return null;
}

function noSheet(name: string, sheet: string | undefined): Failure {
  return new Failure('usage', `There is no sheet ${JSON.stringify(sheet)} in ${name}.`, {
    hint: 'Check the name at the bottom of the spreadsheet program, or leave out --sheet for the first one.',
  });
}

function damaged(name: string): Failure {
  return new Failure('bad_input', `The workbook ${name} cannot be read; it is damaged, or protected by a password.`, {
    hint: 'Open it in a spreadsheet program and save it as CSV (UTF-8).',
  });
}

function unreadWarning(sheets: readonly UnreadSheet[]): string[] {
  const [first, ...others] = sheets;
  if (first === undefined) return [];
  const names = sheets.slice(0, 5).map(({ name, rows }) => `${JSON.stringify(name)} (${formatAmount(rows, 'row')})`);
  if (sheets.length > names.length) names.push(`${sheets.length - names.length} more`);
  const which = others.length === 0 ? 'A sheet that was not read has' : 'Sheets that were not read have';
  return [`${which} addresses, too: ${names.join(', ')}. --sheet ${JSON.stringify(first.name)} reads it.`];
}
