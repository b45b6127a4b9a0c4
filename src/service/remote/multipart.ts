import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Failure } from '../../model/failure.js';
import type { UploadFile } from '../../model/service.js';
import { uploadField } from '../../wire/api.js';

/** The upload form (RFC 7578). */
export async function openMultipart(file: UploadFile) {
  const boundary = `mailvet-${randomUUID()}`;
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="${uploadField}"; filename="${escapeFilename(file.filename)}"\r\n` +
      'Content-Type: text/csv\r\n\r\n',
  );
  const foot = Buffer.from(`\r\n--${boundary}--\r\n`);
  const size = await sizeOf(file);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: () => ({
      body: pieces(file, head, size, foot),
      contentLength: head.length + size + foot.length,
    }),
  };
}

async function* pieces(file: UploadFile, head: Buffer, size: number, foot: Buffer): AsyncGenerator<Uint8Array> {
  yield head;
  // A file that grows must not exceed the announced length.
  if (size > 0) {
    try {
      yield* createReadStream(file.path, { end: size - 1, highWaterMark: 256 * 1_024 });
    } catch (error) {
      throw unreadable(file, error);
    }
  }
  yield foot;
}

async function sizeOf(file: UploadFile): Promise<number> {
  try {
    const stats = await stat(file.path);
    if (stats.isFile()) return stats.size;
  } catch (error) {
    throw unreadable(file, error);
  }
  throw new Failure('bad_input', `${file.filename} is not a file.`);
}

function unreadable(file: UploadFile, cause: unknown): Failure {
  return new Failure('bad_input', `${file.filename} cannot be read.`, {
    cause,
    hint: 'Check that it exists and that you may read it.',
  });
}

/** Escapes a file name as browsers do (WHATWG HTML, multipart/form-data encoding). */
function escapeFilename(filename: string): string {
  const name = filename.replace(/[\\/]/g, '_').replace(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f]/g, '');
  return name.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
}
