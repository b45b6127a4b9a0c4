import { Readable } from 'node:stream';
import type { Caller } from '../../async/caller.js';
import { createSemaphore } from '../../async/semaphore.js';
import { type TimeSlices, timeSlicesFor } from '../../async/time-slicer.js';
import type { JobResultRow, JobResults } from '../../model/job.js';
import type { Layout } from '../../rows/rows.js';
import { addedColumnsOf, createPartJoiner, placeVerdict, verdictCells } from '../../rows/table/verdict-columns.js';
import {
  encodeResultHead,
  encodeResultRow,
  type ResultFormat,
  resultFormats,
  resultLinesType,
  resultObjectEncoder,
} from '../../wire/results-codec.js';

interface Renderer {
  begin: string;
  row(row: JobResultRow, first: boolean): string;
  end(): string;
  /** UTF-8 by default. */
  toBytes?(text: string): Uint8Array;
}

interface BodyFormat {
  /** Without the charset, which is UTF-8. */
  mediaType: string;
  open(results: JobResults, added: readonly string[]): Renderer | Promise<Renderer>;
}

/** All formats of a job's rows. `objects` is for downloads by users: an object per row, and no header. */
const bodyFormats: Record<ResultFormat | 'objects', BodyFormat> = {
  csv: {
    mediaType: 'text/csv',
    open: async ({ columns, layout = { hasHeader: true, delimiter: ',' } }, added) => {
      const { delimiterOfFile, RecordWriter } = await import('../../rows/write/write-record.js');
      const delimiter = delimiterOfFile('.csv', layout.delimiter);
      const list: Layout = { columns, ...layout };
      const writer = new RecordWriter(list, added, { delimiter, guards: true });
      const joinParts = createPartJoiner();
      return {
        begin: writer.head(),
        row: (row) => {
          const cells = joinParts(row, verdictCells(row.verdict));
          return cells === null ? '' : writer.record(row, () => cells);
        },
        end: () => writer.tail(),
        toBytes: (text) => list.charset?.toBytes(text) ?? Buffer.from(text),
      };
    },
  },
  json: {
    mediaType: 'application/json',
    open: ({ columns }) => {
      const encode = resultObjectEncoder(columns);
      return { begin: '[', row: (row, first) => `${first ? '' : ','}${encode(row)}`, end: () => ']' };
    },
  },
  ndjson: {
    mediaType: resultLinesType,
    open: (results) => ({ begin: encodeResultHead(results), row: encodeResultRow, end: () => '' }),
  },
  objects: {
    mediaType: resultLinesType,
    open: ({ columns }) => {
      const encode = resultObjectEncoder(columns);
      return { begin: '', row: (row) => `${encode(row)}\n`, end: () => '' };
    },
  },
};

type BodyFormatName = keyof typeof bodyFormats;

export function contentTypeOf(format: BodyFormatName): string {
  return `${bodyFormats[format].mediaType}; charset=utf-8`;
}

const chunkChars = 16 * 1024;

/** The format of the parameter, else the one that Accept prefers, else CSV. */
export function chooseFormat(parameter: string | undefined, accept = ''): BodyFormatName {
  if (parameter !== undefined && parameter in bodyFormats) return parameter as BodyFormatName;
  let best: { format: ResultFormat; quality: number } | null = null;
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const format = type === 'text/*' || type === '*/*' ? 'csv' : formatOf(type);
    const quality = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1);
    if (format !== undefined && quality > (best?.quality ?? 0)) best = { format, quality };
  }
  return best?.format ?? 'csv';
}

function formatOf(mediaType: string): ResultFormat | undefined {
  return resultFormats.find((format) => bodyFormats[format].mediaType === mediaType);
}

/** Limits concurrent downloads, whose half-rendered texts are held in memory. */
const renderSlots = createSemaphore(4);

/** Runs `work` when a download slot is free. */
export async function withRenderSlot<Done>(caller: Caller, work: () => Promise<Done>): Promise<Done> {
  await renderSlots.acquire(caller);
  try {
    return await work();
  } finally {
    renderSlots.release();
  }
}

export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** A job's rows as a stream of bytes, with the added columns of a table. */
export function streamResults(
  format: BodyFormatName | 'xlsx',
  results: JobResults,
  caller: Caller,
  added = addedColumnsOf(results),
): Readable {
  const slices = timeSlicesFor(caller);
  const pieces =
    format === 'xlsx' ? renderWorkbook(results, added, slices) : renderResults(format, results, added, slices);
  const text = Readable.from(withRenderSlots(pieces, caller), { objectMode: false });
  // Closes the file of a client that disconnects before the first row.
  text.once('close', () => void results.close?.());
  return text;
}

async function* withRenderSlots(pieces: AsyncGenerator<Uint8Array>, caller: Caller): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { value, done } = await withRenderSlot(caller, () => pieces.next());
      if (done === true) return;
      yield value;
    }
  } finally {
    await pieces.return(undefined);
  }
}

async function* renderResults(
  format: BodyFormatName,
  results: JobResults,
  added: readonly string[],
  { maybeYield }: TimeSlices,
): AsyncGenerator<Uint8Array> {
  const { begin, row: render, end, toBytes = Buffer.from } = await bodyFormats[format].open(results, added);
  let text = begin;
  let isFirst = true;
  for await (const rows of results.rows) {
    for (const row of rows) {
      text += render(row, isFirst);
      isFirst = false;
      const pause = maybeYield();
      if (pause !== null) await pause;
    }
    rows.length = 0;
    if (text.length < chunkChars) continue;
    // As bytes: a string made of pieces keeps them all alive.
    yield toBytes(text);
    text = '';
  }
  yield toBytes(text + end());
}

async function* renderWorkbook(
  results: JobResults,
  added: readonly string[],
  { maybeYield }: TimeSlices,
): AsyncGenerator<Uint8Array> {
  const { columns, merge } = placeVerdict(results.columns, added);
  const joinParts = createPartJoiner();
  async function* records(): AsyncGenerator<(readonly string[])[]> {
    for await (const rows of results.rows) {
      const batch: (readonly string[])[] = [];
      for (const row of rows) {
        const cells = joinParts(row, verdictCells(row.verdict));
        if (cells !== null) batch.push(merge(row.cells, cells));
        const pause = maybeYield();
        if (pause !== null) await pause;
      }
      rows.length = 0;
      yield batch;
    }
  }
  const { workbookBytes } = await import('../../rows/write/write-workbook.js');
  yield* workbookBytes([columns], records(), { addedColumns: added });
}
