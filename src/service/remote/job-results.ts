import { Readable } from 'node:stream';
import { areGeneratedNames } from '../../model/distinct-names.js';
import { Failure } from '../../model/failure.js';
import type { JobResults } from '../../model/job.js';
import { decodeResultLines } from '../../wire/results-codec.js';
import type { HttpResponse } from './http.js';

/** Far longer than any row. */
const maxLineChars = 16 * 1_024 * 1_024;

/** The rows of a job, streamed as lines. A list that was uploaded without a header has none here either. */
export async function readJobResults({ stream }: HttpResponse): Promise<JobResults> {
  const results = await decodeResultLines(linesOf(stream ?? Readable.from([])));
  if (!areGeneratedNames(results.columns)) return results;
  return { ...results, layout: { delimiter: ',', ...results.layout, hasHeader: false } };
}

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let unfinished = '';
  try {
    for await (const chunk of stream) {
      const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
      // Appended and not searched again: a line in many chunks stays linear.
      unfinished += first;
      if (unfinished.length > maxLineChars)
        throw new Failure('bad_answer', 'The service sent a row that is too large.');
      const last = more.pop();
      if (last === undefined) continue;
      yield unfinished;
      yield* more;
      unfinished = last;
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('network', 'The service stopped sending rows before the end.', { hint: 'Ask for them again.' });
  }
  unfinished += decoder.decode();
  if (unfinished !== '') yield unfinished;
}
