import { createInterface } from 'node:readline';
import { Failure } from '../../model/failure.js';
import type { JobResults } from '../../model/job.js';
import { parseJson } from '../../wire/json.js';
import { decodeResultLines, decodeResultList, resultLinesType } from '../../wire/results-codec.js';
import type { HttpAnswer } from './http.js';
import { tooLarge } from './no-answer.js';

/** The rows of a job out of an answer: lines as they come, or one JSON document. */
export async function readJobResults(answer: HttpAnswer, maxBytes: number): Promise<JobResults> {
  const { stream, contentType } = answer;
  if (stream === null) return decodeResultList(parseJson(answer.text));
  if (contentType.includes(resultLinesType)) return decodeResultLines(linesOf(stream));
  if (/json/i.test(contentType)) return decodeResultList(parseJson(await wholeText(stream, maxBytes)));
  stream.destroy();
  throw new Failure('unsupported', 'The service hands out rows in a form that mailvet does not read.');
}

async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  // The line reader does not pass on what its input throws.
  const broken = new Promise<never>((_, reject) => stream.once('error', () => reject(cutOff())));
  broken.catch(() => {});
  const iterator = lines[Symbol.asyncIterator]();
  try {
    for (;;) {
      const line = await Promise.race([iterator.next(), broken]);
      if (line.done) return;
      yield line.value;
    }
  } finally {
    lines.close();
  }
}

async function wholeText(stream: NodeJS.ReadableStream, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(true);
      chunks.push(Buffer.from(chunk));
    }
  } catch {
    throw cutOff();
  }
  return Buffer.concat(chunks).toString('utf8');
}

function cutOff(): Failure {
  return new Failure('network', 'The rows broke off before their end.', { hint: 'Ask for them again.' });
}
