import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress, createGunzip, createInflate, gunzip, inflate } from 'node:zlib';
import { codeOf, NoAnswer, tooLarge } from './no-answer.js';

const decoders = {
  gzip: { whole: promisify(gunzip), stream: createGunzip },
  'x-gzip': { whole: promisify(gunzip), stream: createGunzip },
  deflate: { whole: promisify(inflate), stream: createInflate },
  br: { whole: promisify(brotliDecompress), stream: createBrotliDecompress },
};

function decoderOf(encoding: string | null): (typeof decoders)['gzip'] | null {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return null;
  if (Object.hasOwn(decoders, name)) return decoders[name as keyof typeof decoders] as (typeof decoders)['gzip'];
  throw new NoAnswer('garbled', true, 'The answer is packed in a way nobody asked for.', '');
}

/** Decompresses a response; one that exceeds the limit is refused. */
export async function unpacked(bytes: Buffer, encoding: string | null, maxOutputLength: number): Promise<Buffer> {
  const decoder = bytes.length === 0 ? null : decoderOf(encoding);
  if (decoder === null) return bytes;
  try {
    return await decoder.whole(bytes, { maxOutputLength });
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(true);
    throw new NoAnswer('garbled', true, 'The answer is packed, and damaged.', codeOf(error));
  }
}

export function unpackedStream(stream: Readable, encoding: string | null): Readable {
  const decoder = decoderOf(encoding);
  return decoder === null ? stream : pipeline(stream, decoder.stream(), () => {});
}
