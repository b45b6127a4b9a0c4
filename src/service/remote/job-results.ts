import type { Readable } from 'node:stream';
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
  if (contentType.includes(resultLinesType)) return decodeResultLines(linesOf(stream, maxBytes));
  if (/json/i.test(contentType)) return decodeResultList(parseJson(await wholeText(stream, maxBytes)));
  stream.destroy();
  throw new Failure('unsupported', 'The service hands out rows in a form that mailvet does not read.');
}

async function* linesOf(stream: Readable, maxBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > maxBytes) throw tooLarge(true);
      yield* lines;
    }
  } catch {
    throw cutOff();
  }
  if (rest !== '') yield rest;
}

async function wholeText(stream: Readable, maxBytes: number): Promise<string> {
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
