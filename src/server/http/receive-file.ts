import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { makeOwnFolder } from '../../disk/private-folder.js';
import { isGone, newIdentity } from '../../disk/process-identity.js';
import { storageFailure } from '../../disk/storage-failure.js';
import { Failure } from '../../model/failure.js';
import type { UploadFile } from '../../model/service.js';
import { uploadField } from '../../wire/api.js';

/** Length of the part before the process name. */
const idLength = 37;

/** Creates the folder for incoming files, and removes what a killed server left there. */
export async function openIncoming(folder: string): Promise<void> {
  try {
    makeOwnFolder(folder);
    for (const name of await readdir(folder)) {
      if (isGone(name.slice(idLength))) await rm(join(folder, name), { force: true });
    }
  } catch (error) {
    throw storageFailure(error, folder);
  }
}

/** Throws `storage` if no upload could be written. */
export async function checkIncoming(folder: string): Promise<void> {
  const path = join(folder, `${randomUUID()}-${newIdentity()}`);
  try {
    await writeFile(path, 'ready');
    await rm(path, { force: true });
  } catch (error) {
    throw storageFailure(error, folder);
  }
}

/** Streams the file of a multipart request to disk; the caller removes it. */
export async function receiveFile(request: FastifyRequest, folder: string, maxBytes: number): Promise<UploadFile> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + formBytes) throw tooLarge(maxBytes);
  const limits = { fileSize: maxBytes, files: 10, fields: 50, parts: 60, fieldSize: 64 * 1024, headerPairs: 100 };
  let file: UploadFile | null = null;
  let otherFiles = 0;
  // A late error without a listener would end the process.
  request.raw.on('error', () => {});
  try {
    for await (const part of partsOf(request, limits)) {
      if (part.type === 'file') endAtLimit(part, maxBytes);
      if (part.type === 'file' && part.fieldname === uploadField && file === null) {
        file = { path: join(folder, `${randomUUID()}.${newIdentity()}`), filename: displayName(part.filename) };
        await storeFile(part, file.path);
      } else if (part.type === 'file') {
        if (part.fieldname === uploadField) otherFiles++;
        part.file.resume();
      }
    }
    if (otherFiles > 0) throw severalFiles(otherFiles + 1);
  } catch (error) {
    if (file !== null) await rm(file.path, { force: true });
    throw isTooLarge(error) ? tooLarge(maxBytes) : isBroken(error) ? brokenForm(error) : error;
  }
  if (file !== null) return file;
  throw new Failure('bad_input', `The form has no file in the field ${uploadField}.`, {
    hint: `With curl: -F ${uploadField}=@list.csv`,
  });
}

type Limits = NonNullable<Parameters<FastifyRequest['parts']>[0]>['limits'];

/**
 * The parts of a form. The parser never ends on a part with unterminated headers; this does, once the request is
 * complete.
 */
async function* partsOf(request: FastifyRequest, limits: Limits): AsyncGenerator<Multipart> {
  const parts = request.parts(limits === undefined ? {} : { limits });
  for (;;) {
    const next = await unlessRequestEnded(parts.next(), request.raw);
    if (next.done === true) return;
    yield next.value;
  }
}

const lastPartMs = 500;

function unlessRequestEnded<Value>(work: Promise<Value>, request: IncomingMessage): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const startTimer = () => {
      timer = setTimeout(() => reject(brokenForm(null)), lastPartMs);
    };
    if (request.readableEnded) startTimer();
    else request.once('end', startTimer);
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      request.off('end', startTimer);
    });
  });
}

/** Limit for the other parts and the separators. */
const formBytes = 4 * 1024 * 1024;

/** Fails the file at its limit. The parser would read and drop the rest. */
function endAtLimit({ file }: MultipartFile, maxBytes: number): void {
  if (file.truncated) throw tooLarge(maxBytes);
  file.once('limit', () => file.destroy(tooLarge(maxBytes)));
}

async function storeFile(part: MultipartFile, path: string): Promise<void> {
  try {
    await pipeline(part.file, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  } catch (error) {
    // A full disk, as against a client that disconnected.
    const { syscall = '' } = error as NodeJS.ErrnoException;
    throw ['open', 'write', 'fsync', 'close'].includes(syscall) ? storageFailure(error, path) : error;
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === 'FST_REQ_FILE_TOO_LARGE';
}

/** The parser has no error codes; "needle" is the boundary. */
function isBroken(error: unknown): boolean {
  return error instanceof Error && /multipart|boundary|needle/i.test(error.message) && !('code' in error);
}

function brokenForm(cause: unknown): Failure {
  return new Failure('usage', 'The form is malformed or incomplete.', { cause });
}

function severalFiles(count: number): Failure {
  return new Failure('bad_input', `The form has ${count} files in the field ${uploadField}; a job has one.`, {
    hint: 'Upload them one by one.',
  });
}

function tooLarge(maxBytes: number): Failure {
  return new Failure('too_large', `The file is larger than ${Math.round(maxBytes / 1024 / 1024)} MB.`, {
    hint: 'Split it into several files.',
  });
}

/** A name to show: no path, one line, bounded. Browsers send a quotation mark as %22 (HTML, "multipart form data"). */
function displayName(filename: string | undefined): string {
  const name = (filename ?? '').replaceAll('%22', '"').replace(/^.*[\\/]/, '');
  const cleanName = name.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '');
  return cleanName.trim().slice(0, 255) || 'upload.csv';
}
