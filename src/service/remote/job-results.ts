import type { Readable } from 'node:stream';
import { areGeneratedNames } from '../../model/distinct-names.js';
import { Failure } from '../../model/failure.js';
import type { JobResults } from '../../model/job.js';
import { parseJson } from '../../wire/fields.js';
import { decodeResultLines, decodeResultList, resultLinesType } from '../../wire/results-codec.js';
import type { HttpResponse } from './http.js';

/** Far longer than any row. */
const maxLineChars = 16 * 1_024 * 1_024;

/** The rows of a job. A list that was uploaded without a header has none here either. */
export async function readJobResults(answer: HttpResponse, maxBytes: number): Promise<JobResults> {
  const results = await decodeResults(answer, maxBytes);
  if (!areGeneratedNames(results.columns)) return results;
  return { ...results, layout: { delimiter: ',', ...results.layout, hasHeader: false } };
}

/** Streamed lines, or one JSON document. */
async function decodeResults(answer: HttpResponse, maxBytes: number): Promise<JobResults> {
  const { stream, contentType } = answer;
  if (stream === null) return decodeResultList(parseJson(answer.text));
  if (contentType.includes(resultLinesType)) return decodeResultLines(linesOf(stream));
  if (/json/i.test(contentType)) return decodeResultList(parseJson(await wholeText(stream, maxBytes)));
  stream.destroy();
  throw new Failure('unsupported', 'The service sent rows in an unsupported format.');
}

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let unfinished = '';
  try {
    for await (const chunk of stream) {
      const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
      // Appended and not searched again: a line in many chunks stays linear.
      unfinished += first;
      if (unfinished.length > maxLineChars) throw tooLarge('row');
      const last = more.pop();
      if (last === undefined) continue;
      yield unfinished;
      yield* more;
      unfinished = last;
    }
  } catch (error) {
    throw error instanceof Failure ? error : incompleteFailure();
  }
  unfinished += decoder.decode();
  if (unfinished !== '') yield unfinished;
}

async function wholeText(stream: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge('response');
      chunks.push(Buffer.from(chunk));
    }
  } catch (error) {
    throw error instanceof Failure ? error : incompleteFailure();
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(what: 'row' | 'response'): Failure {
  return new Failure('bad_answer', `The service sent a ${what} that is too large.`);
}

function incompleteFailure(): Failure {
  return new Failure('network', 'The service stopped sending rows before the end.', { hint: 'Ask for them again.' });
}
