import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asFailure } from '../../src/model/failure.js';
import type { BulkAnswer } from '../../src/model/result.js';
import type { ValidationService } from '../../src/model/service.js';
import { resultOf } from '../fakes/service.js';

/** A back end that must fulfill the contract. */
export interface Subject {
  service: ValidationService;
  /** Stops the server. The service is closed first. */
  stop(): Promise<void>;
  /** An address that the back end reports as valid. */
  goodAddress: string;
}

/** The contract of every ValidationService. */
export function contract(name: string, open: () => Promise<Subject>): void {
  describe(`contract: ${name}`, () => {
    let subject: Subject;
    let service: ValidationService;
    const folder = mkdtempSync(join(tmpdir(), 'mailvet-contract-'));
    beforeAll(async () => {
      subject = await open();
      service = subject.service;
    });
    afterAll(async () => {
      await service.close();
      await subject.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    describe('validate', () => {
      test('answers with every documented field, in its documented type', async () => {
        const result = await service.validate(subject.goodAddress);
        expect(result).toMatchObject(typesOf(documented));
        expect(result.email).toBe(subject.goodAddress);
        expect(result.is_valid).toBe(result.status === 'valid');
        expect(result.confidence).toBeGreaterThanOrEqual(0);
        expect(result.confidence).toBeLessThanOrEqual(1);
      });

      test('a broken address is a result, not an error', async () => {
        const result = await service.validate('no-at-sign');
        expect(result).toMatchObject({ status: 'invalid', is_valid: false, safe_to_send: false });
      });

      test('an interruption ends the call', async () => {
        const failing = service.validate(subject.goodAddress, { signal: AbortSignal.abort() });
        expect(await codeOf(failing)).toBe('interrupted');
      });
    });

    describe('validateMany', () => {
      test('returns one answer for each address, in input order, with the address as it was written', async () => {
        const emails = ['no-at-sign', subject.goodAddress, 'also@broken@twice', subject.goodAddress.toUpperCase()];
        const answers = await all(service.validateMany([emails.slice(0, 1), [], emails.slice(1)]));
        expect(answers.map(({ result }) => result.email)).toEqual(emails);
        expect(answers.map(({ result }) => result.is_valid)).toEqual(
          answers.map(({ result }) => result.status === 'valid'),
        );
      });

      test('marks duplicates, and repeats their verdict', async () => {
        const [first, other, again] = await all(
          service.validateMany(chunked([subject.goodAddress, 'no-at-sign', subject.goodAddress.toUpperCase()])),
        );
        expect([first?.duplicate, other?.duplicate, again?.duplicate]).toEqual([false, false, true]);
        expect(again?.result.status).toBe(first?.result.status);
        expect(again?.result.confidence).toBe(first?.result.confidence);
      });

      test('accepts more addresses than fit in one request', async () => {
        const emails = Array.from({ length: 2_345 }, (_, index) => `broken.${index}`);
        const answers = await all(service.validateMany(chunked(emails, 100)));
        expect(answers.map(({ result }) => result.email)).toEqual(emails);
        expect(answers.every(({ result }) => result.status === 'invalid')).toBe(true);
      });

      test('an empty input returns no answers', async () => expect(await all(service.validateMany([]))).toEqual([]));

      test('an interruption ends the call', async () => {
        const failing = all(service.validateMany([['no-at-sign']], { signal: AbortSignal.abort() }));
        expect(await codeOf(failing)).toBe('interrupted');
      });
    });

    describe('uploads and jobs', () => {
      const path = join(folder, 'people "1".csv');
      writeFileSync(path, 'name,email\nAda,ada@example.invalid\nBob,no-at-sign\n');
      const file = { path, filename: 'people.csv' };

      test('a preview names the file, its columns and the one with the addresses', async () => {
        const preview = await service.previewUpload(file);
        expect(preview).toMatchObject({
          upload_id: expect.any(String),
          filename: 'people.csv',
          columns: ['name', 'email'],
          suggested_email_column: 'email',
        });
      });

      test('confirming creates a job, and confirming again returns the same one', async () => {
        const { upload_id } = await service.previewUpload(file);
        const job = await service.confirmUpload(upload_id, 'email');
        expect(job).toMatchObject({ id: expect.any(String), status: expect.any(String) });
        expect((await service.confirmUpload(upload_id, 'email')).id).toBe(job.id);
        expect((await service.getJob(job.id)).id).toBe(job.id);
      });

      const missing = { path: join(folder, 'none.csv'), filename: 'none.csv' };
      test.each([
        ['a file that does not exist', () => service.previewUpload(missing), ['bad_input']],
        ['a job that does not exist', () => service.getJob('00000000-0000-4000-8000-00000000dead'), ['not_found']],
        ['a job id with a path', () => service.getJob('../../x'), ['not_found']],
        ['results of a job that does not exist', () => service.jobResults('nope'), ['not_found']],
        ['canceling a job that does not exist', () => service.cancelJob('nope'), ['not_found']],
        ['what was never uploaded', () => service.confirmUpload('nope', 'email'), ['not_found', 'bad_input']],
      ])('%s is a Failure', async (_name, run, want) => expect(want).toContain(await codeOf(run())));

      test('a column that does not exist is refused', async () => {
        const { upload_id } = await service.previewUpload(file);
        expect(['bad_input', 'usage']).toContain(await codeOf(service.confirmUpload(upload_id, 'phone')));
      });

      test('jobs are listed by page', async () => {
        for (let index = 0; index < 3; index++) {
          await service.confirmUpload((await service.previewUpload(file)).upload_id, 'email');
        }
        const all = await service.listJobs({ skip: 0, limit: 50 });
        const page = await service.listJobs({ skip: 1, limit: 2 });
        expect(page).toMatchObject({ skip: 1, limit: 2 });
        expect(page.jobs.map((job) => job.id)).toEqual(all.jobs.slice(1, 3).map((job) => job.id));
      });
    });
  });
}

/** An object whose fields have these types. */
function typesOf(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const isObject = typeof field === 'object' && !Array.isArray(field);
      return [name, isObject ? typesOf(field) : expect.any(Object(field).constructor)];
    }),
  );
}

const { did_you_mean: _, ...documented } = resultOf('ada@site.example', {
  // Their other fields may be null.
  catchall: { is_catchall: false } as never,
  ai_enhancement: { used: false } as never,
});

/** Every answer of a run. */
export async function all(chunks: AsyncIterable<readonly BulkAnswer[]>): Promise<BulkAnswer[]> {
  const answers: BulkAnswer[] = [];
  for await (const chunk of chunks) answers.push(...chunk);
  return answers;
}

/** A list in chunks, as a reader of files yields it. */
export async function* chunked(emails: readonly string[], size = 1): AsyncGenerator<readonly string[]> {
  for (let start = 0; start < emails.length; start += size) yield emails.slice(start, start + size);
}

/** The code of the Failure that a promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return asFailure(error).code;
  }
  return 'no failure';
}
