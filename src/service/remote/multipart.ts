import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Failure } from '../../model/failure.js';
import type { UploadFile } from '../../model/service.js';
import { uploadField } from '../../wire/routes.js';

/** A stretch of a file, with the header row put before it. */
export interface FilePart {
  header: Uint8Array;
  /** Byte offsets; `end` is exclusive. */
  start: number;
  end: number;
}

/** A form with one file, streamed from disk each time `body` is called. */
export interface MultipartForm {
  contentType: string;
  body(): { body: AsyncIterable<Uint8Array>; contentLength: number };
}

/** The form that uploads a file, or one part of it (RFC 7578). */
export async function openMultipart(file: UploadFile, part?: FilePart): Promise<MultipartForm> {
  const boundary = `mailvet-${randomUUID()}`;
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="${uploadField}"; filename="${escaped(file.filename)}"\r\n` +
      'Content-Type: text/csv\r\n\r\n',
  );
  const foot = Buffer.from(`\r\n--${boundary}--\r\n`);
  const size = await sizeOf(file);
  const { header, start, end } = part ?? { header: new Uint8Array(0), start: 0, end: size };
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: () => ({
      body: pieces(file, [head, header], { start, end }, foot),
      contentLength: head.length + header.length + (end - start) + foot.length,
    }),
  };
}

async function* pieces(
  file: UploadFile,
  before: readonly Uint8Array[],
  { start, end }: { start: number; end: number },
  foot: Uint8Array,
): AsyncGenerator<Uint8Array> {
  yield* before;
  if (end > start) {
    try {
      yield* createReadStream(file.path, { start, end: end - 1, highWaterMark: 256 * 1_024 });
    } catch (error) {
      throw unreadable(file, error);
    }
  }
  yield foot;
}

async function sizeOf(file: UploadFile): Promise<number> {
  try {
    const found = await stat(file.path);
    if (found.isFile()) return found.size;
  } catch (error) {
    throw unreadable(file, error);
  }
  throw new Failure('bad_input', `${file.filename} is not a file.`);
}

function unreadable(file: UploadFile, cause: unknown): Failure {
  return new Failure('bad_input', `${file.filename} cannot be read.`, {
    cause,
    hint: 'Check that it exists and is yours to read.',
  });
}

/** As browsers escape a file name in a form (WHATWG HTML, multipart/form-data encoding). */
function escaped(filename: string): string {
  const name = filename.replace(/[\\/]/g, '_').replace(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f]/g, '');
  return name.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
}
