import { parentPort, workerData } from 'node:worker_threads';
import { convertWorkbook, type UnreadSheet } from './workbook-csv.js';
import { LimitExceeded } from './workbook-xml.js';

/** What the thread is started with. */
export interface WorkbookTask {
  archive: Uint8Array;
  sheet: string | undefined;
}

/** The first reply has the sheets that are not read; each later one has a piece of CSV, null at the end. */
export interface WorkbookReply {
  unread?: UnreadSheet[];
  piece?: Uint8Array | null;
  problem?: 'other archive' | 'no sheet' | 'damaged';
  limit?: string;
}

async function* replies({ archive, sheet }: WorkbookTask): AsyncGenerator<WorkbookReply, undefined> {
  try {
    const workbook = await convertWorkbook(archive, sheet);
    if (workbook === null) yield { problem: 'other archive' };
    else if (workbook === 'no sheet') yield { problem: workbook };
    else {
      yield { unread: workbook.unread };
      for await (const piece of workbook.csv) yield { piece };
      yield { piece: null };
    }
  } catch (error) {
    yield error instanceof LimitExceeded ? { limit: error.message } : { problem: 'damaged' };
  }
}

const answers = replies(workerData);
parentPort?.on('message', async () => parentPort?.postMessage((await answers.next()).value));
