import type { Readable } from 'node:stream';
import { Failure } from '../../model/failure.js';

const maxLineLength = 64 * 1024;

/** Streams non-empty lines in chunks, trimmed unless blanks are kept. Throws on a line over the limit. */
export async function* readLines(
  stream: Readable,
  signal?: AbortSignal,
  { keepBlanks = false } = {},
): AsyncGenerator<readonly string[]> {
  const trim = (line: string): string => (keepBlanks ? line : line.trim());
  const stop = (): void => void stream.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  const decoder = new TextDecoder();
  let unfinished = '';
  try {
    for await (const chunk of stream) {
      unfinished += typeof chunk === 'string' ? chunk : decoder.decode(chunk as Uint8Array, { stream: true });
      const lines = unfinished.split(/\r\n|\n|\r(?!$)/);
      if (lines.some((line) => line.length > maxLineLength)) {
        throw new Failure('bad_input', `A line of the input is longer than ${maxLineLength} characters.`, {
          hint: 'Give one address per line, or use "mailvet bulk" for other formats.',
        });
      }
      unfinished = lines.pop() ?? '';
      const texts = lines.map(trim).filter((line) => line !== '');
      if (texts.length > 0) yield texts;
    }
    unfinished += decoder.decode();
    if (trim(unfinished) !== '') yield [trim(unfinished)];
  } catch (thrown) {
    if (signal?.aborted) throw new Failure('interrupted', 'Interrupted.', { cause: thrown });
    throw thrown;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
