import { type Input, openBytes } from './byte-source.js';
import { createDecoder } from './decode-text.js';
import { sniffEncoding } from './sniff-encoding.js';

/** An input as text, with its beginning at hand for guessing. */
export interface TextSource {
  name: string;
  totalBytes: number | null;
  bytesRead(): number;
  /** The beginning of the text. */
  sample: string;
  /** Whether the sample is the whole text. */
  complete: boolean;
  /** What follows the sample, piece by piece; null at the end. */
  read(): Promise<string | null>;
  /** True once bytes were met that are no text. */
  lossy(): boolean;
  close(): Promise<void>;
}

const sampleBytes = 64 * 1024;
/** A pipe that has given a line and then pauses this long gets its answer, rather than waiting for a full sample. */
const quietMs = 50;

/** Opens an input, decodes it, and reads its beginning. */
export async function openText(input: Input, signal?: AbortSignal): Promise<TextSource> {
  const bytes = await openBytes(input, signal);
  try {
    const { head, complete, pending } = await readHead(bytes.read);
    const decoder = createDecoder(sniffEncoding(head, bytes.name));
    let waiting = pending;
    let ended = complete;
    const finish = (text: string) => {
      ended = true;
      return text + decoder.end();
    };
    return {
      name: bytes.name,
      totalBytes: bytes.totalBytes,
      bytesRead: bytes.bytesRead,
      sample: complete ? finish(decoder.decode(head)) : decoder.decode(head),
      complete,
      async read() {
        if (ended) return null;
        const piece = await (waiting ?? bytes.read());
        waiting = null;
        return piece === null ? finish('') : decoder.decode(piece);
      },
      lossy: decoder.lossy,
      close: bytes.close,
    };
  } catch (thrown) {
    await bytes.close();
    throw thrown;
  }
}

type Piece = Promise<Uint8Array | null>;

interface Head {
  head: Buffer;
  complete: boolean;
  /** The read that was under way when the input paused. */
  pending: Piece | null;
}

async function readHead(read: () => Piece): Promise<Head> {
  const parts: Buffer[] = [];
  let length = 0;
  let hasLine = false;
  while (length < sampleBytes) {
    const pending: Piece = read();
    const piece: Uint8Array | null | 'quiet' = hasLine ? await unlessQuiet(pending) : await pending;
    if (piece === 'quiet') {
      // Its failure is heard when the next read waits for it.
      pending.catch(() => {});
      return { head: Buffer.concat(parts), complete: false, pending };
    }
    if (piece === null) return { head: Buffer.concat(parts), complete: true, pending: null };
    parts.push(Buffer.from(piece));
    length += piece.length;
    hasLine ||= piece.includes(10) || piece.includes(13);
  }
  return { head: Buffer.concat(parts), complete: false, pending: null };
}

async function unlessQuiet(pending: Piece): Promise<Uint8Array | null | 'quiet'> {
  let timer: NodeJS.Timeout | undefined;
  const quiet = new Promise<'quiet'>((resolve) => {
    timer = setTimeout(resolve, quietMs, 'quiet');
  });
  try {
    return await Promise.race([pending, quiet]);
  } finally {
    clearTimeout(timer);
  }
}
