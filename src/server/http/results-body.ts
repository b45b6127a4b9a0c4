import { Readable } from 'node:stream';
import type { Caller } from '../../async/caller.js';
import { createSemaphore } from '../../async/semaphore.js';
import { type TimeSlices, timeSlicesFor } from '../../async/time-slicer.js';
import type { JobResultRow, JobResults } from '../../model/job.js';
import { verdictCells, verdictColumns } from '../../rows/table/verdict-columns.js';
import { encodeResultHead, encodeResultRow, resultLinesType, resultObjectEncoder } from '../../wire/results-codec.js';

/** The media types that a job's rows are handed out in. */
export const resultTypes = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ndjson: `${resultLinesType}; charset=utf-8`,
  /** For people: each row an object of its own, and no head. */
  objects: `${resultLinesType}; charset=utf-8`,
} as const;

type ResultFormat = keyof typeof resultTypes;

const chunkChars = 16 * 1024;

/** By the parameter, else what the Accept header likes best of what there is, else CSV. */
export function chooseFormat(parameter: string | undefined, accept = ''): ResultFormat {
  if (parameter !== undefined && parameter in resultTypes) return parameter as ResultFormat;
  let best: { format: ResultFormat; quality: number } | null = null;
  for (const wish of accept.split(',')) {
    const [type = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase());
    const format = formatOf(type);
    const quality = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1);
    if (format !== null && quality > (best?.quality ?? 0)) best = { format, quality };
  }
  return best?.format ?? 'csv';
}

function formatOf(type: string): ResultFormat | null {
  if (type === resultLinesType) return 'ndjson';
  if (type === 'application/json') return 'json';
  return type === 'text/csv' || type === 'text/*' || type === '*/*' ? 'csv' : null;
}

/** Downloads that are rendered at a time: what hundreds hold of half-made texts would pile up beside them. */
const renderSlots = createSemaphore(() => 4);

/** Work on a download, when it is its turn. */
export async function inTurn<Done>(share: Caller, work: () => Promise<Done>): Promise<Done> {
  await renderSlots.acquire(share);
  try {
    return await work();
  } finally {
    renderSlots.release();
  }
}

/** A job's rows as text for whoever takes it, at his pace. */
export function streamResults(format: ResultFormat, results: JobResults, share: Caller): Readable {
  const text = Readable.from(inTurns(renderResults(format, results, timeSlicesFor(share)), share), {
    objectMode: false,
  });
  // Of a caller who goes before the first row is read, nothing else closes the file.
  text.once('close', () => void results.close?.());
  return text;
}

async function* inTurns(pieces: AsyncGenerator<Buffer>, share: Caller): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const { value, done } = await inTurn(share, () => pieces.next());
      if (done === true) return;
      yield value;
    }
  } finally {
    await pieces.return(undefined);
  }
}

/** A job's rows as text, some at a time, however many there are. */
async function* renderResults(
  format: ResultFormat,
  results: JobResults,
  { maybeYield }: TimeSlices,
): AsyncGenerator<Buffer> {
  const { begin, row: render, end } = await renderers[format](results);
  let text = begin;
  let first = true;
  for await (const rows of results.rows) {
    for (const row of rows) {
      text += render(row, first);
      first = false;
      const rest = maybeYield();
      if (rest !== null) await rest;
    }
    rows.length = 0;
    if (text.length < chunkChars) continue;
    // As bytes: a text is held with all the pieces that it was made of, which take ten times its length.
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + end);
}

interface Renderer {
  begin: string;
  row(row: JobResultRow, first: boolean): string;
  end: string;
}

const renderers: Record<ResultFormat, (results: JobResults) => Renderer | Promise<Renderer>> = {
  csv: async ({ columns, layout = { hasHeader: true, delimiter: ',' } }) => {
    const { createRecordWriter } = await import('../../rows/write/write-record.js');
    const writer = createRecordWriter({ columns, ...layout }, verdictColumns);
    return {
      begin: writer.opening(),
      row: (row) => writer.record(row, () => verdictCells(row.verdict)),
      end: '',
    };
  },
  json: ({ columns }) => {
    const encode = resultObjectEncoder(columns);
    return { begin: '[', row: (row, first) => `${first ? '' : ','}${encode(row)}`, end: ']' };
  },
  ndjson: ({ columns }) => ({ begin: encodeResultHead(columns), row: encodeResultRow, end: '' }),
  objects: ({ columns }) => {
    const encode = resultObjectEncoder(columns);
    return { begin: '', row: (row) => `${encode(row)}\n`, end: '' };
  },
};
