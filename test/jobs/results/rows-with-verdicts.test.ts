import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowsWithVerdicts } from '../../../src/jobs/results/job-results.js';
import type { JobFiles } from '../../../src/jobs/store/files.js';
import type { JobRecord } from '../../../src/jobs/store/job-record.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import type { JobResultRow, RowVerdict } from '../../../src/model/job.js';
import type { Row } from '../../../src/rows/rows.js';
import { result, verdict } from '../../contract/store/store-lab.js';
import { canonical } from '../../fakes/job-lab.js';

/** The verdict of a job on an address, which identifies the address. */
const verdictOf = (email: string): RowVerdict =>
  email === '' ? { ...verdict, status: 'empty' } : { ...verdict, sub_status: canonical(email) };

/** A list that was recorded, and completed. */
function recorded(emails: readonly string[]) {
  const known: Partial<JobRecord> = { id: 'job', owner: 'local', total: emails.length, processed: 0, finishedAt: null };
  async function* readResults(): ReturnType<JobStore['readResults']> {
    yield emails.map((email, row) => result(row, { verdict: verdictOf(email) }));
  }
  async function* readEmails(): ReturnType<JobFiles['readEmails']> {
    for (let first = 0; first < emails.length; first += 3) yield emails.slice(first, first + 3);
  }
  const [store, files]: [Partial<JobStore>, Partial<JobFiles>] = [{ readResults }, { readEmails }];
  const dependencies = { store: store as JobStore, files: files as JobFiles };
  return async (now: readonly Row[]): Promise<JobResultRow[]> => {
    const rows: JobResultRow[] = [];
    const list = { chunks: inChunks(now) };
    for await (const some of rowsWithVerdicts(dependencies, known as JobRecord, list)) rows.push(...some);
    return rows;
  };
}

const rowsOf = (emails: readonly string[]): Row[] => emails.map((email) => ({ cells: [email], email }));
async function* inChunks(rows: readonly Row[]): AsyncGenerator<Row[]> {
  for (let first = 0; first < rows.length; first += 4) yield rows.slice(first, first + 4);
}

describe('rows and the verdicts on them', () => {
  const email = fc.constantFrom('', 'a@x', 'A@x', 'b@x', 'c@x', 'd@x', 'e@x', 'f@x');
  const emails = fc.array(email, { maxLength: 20 });

  test('each row has the verdict on its own address', async () => {
    const held = async (list: string[]): Promise<void> => {
      const rows = await recorded(list)(rowsOf(list));
      expect(rows.map(({ cells, verdict: got }) => [cells[0], got?.sub_status])).toEqual(
        list.map((each) => [each, verdictOf(each).sub_status]),
      );
    };
    await fc.assert(fc.asyncProperty(emails, held), { numRuns: 150 });
  });

  test('a list that changed gives no address the verdict on another one', async () => {
    const held = async (before: string[], now: string[]): Promise<void> => {
      if (before.join() === now.join()) return;
      const changed = { code: 'storage', hint: expect.any(String) };
      await expect(recorded(before)(rowsOf(now))).rejects.toMatchObject(changed);
    };
    await fc.assert(fc.asyncProperty(emails, emails, held), { numRuns: 150 });
  });
});
