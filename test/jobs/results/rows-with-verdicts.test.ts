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

/** A list that was recorded in parts of this many rows, all completed. */
function recorded(emails: readonly string[], rowsPerJob: number) {
  const parts = Math.max(1, Math.ceil(emails.length / rowsPerJob));
  const addressesOfPart = (part: number): string[] => emails.slice(part * rowsPerJob, (part + 1) * rowsPerJob);
  const jobs = Array.from({ length: parts }, (_, part) => {
    const known: Partial<JobRecord> = { id: String(part), part, parts, firstRow: part * rowsPerJob };
    return {
      ...known,
      total: addressesOfPart(part).length,
      owner: 'local',
      processed: 0,
      finishedAt: null,
    } as JobRecord;
  });
  async function* readResults(id: string): ReturnType<JobStore['readResults']> {
    yield addressesOfPart(Number(id)).map((email, row) => result(row, { verdict: verdictOf(email) }));
  }
  async function* emailLists(id: string): ReturnType<JobFiles['emailLists']> {
    const emailsOfPart = addressesOfPart(Number(id));
    for (let first = 0; first < emailsOfPart.length; first += 3) yield emailsOfPart.slice(first, first + 3);
  }
  const dependencies = { store: { readResults } as JobStore, files: { emailLists } as JobFiles };
  return {
    jobs,
    read: async (now: readonly Row[], asked = jobs): Promise<JobResultRow[]> => {
      const rows: JobResultRow[] = [];
      const list = { chunks: inChunks(now) };
      for await (const some of rowsWithVerdicts(dependencies, jobs, list, asked)) rows.push(...some);
      return rows;
    },
  };
}

const rowsOf = (emails: readonly string[]): Row[] => emails.map((email) => ({ cells: [email], email }));
async function* inChunks(rows: readonly Row[]): AsyncGenerator<Row[]> {
  for (let first = 0; first < rows.length; first += 4) yield rows.slice(first, first + 4);
}

describe('rows and the verdicts on them', () => {
  const email = fc.constantFrom('', 'a@x', 'A@x', 'b@x', 'c@x', 'd@x', 'e@x', 'f@x');
  const emails = fc.array(email, { maxLength: 20 });

  test('each row of each part has the verdict on its own address', async () => {
    const held = async (list: string[], perJob: number): Promise<void> => {
      const { jobs, read } = recorded(list, perJob);
      const whole = await read(rowsOf(list));
      expect(whole.map(({ cells, verdict: got }) => [cells[0], got?.sub_status])).toEqual(
        list.map((each) => [each, verdictOf(each).sub_status]),
      );
      for (const [part, job] of jobs.entries()) {
        const rows = await read(rowsOf(list), [job]);
        expect(rows.map((row) => row.email)).toEqual(list.slice(part * perJob, (part + 1) * perJob));
      }
    };
    await fc.assert(fc.asyncProperty(emails, fc.integer({ min: 1, max: 7 }), held), { numRuns: 150 });
  });

  test('a list that changed gives no address the verdict on another one', async () => {
    const held = async (before: string[], now: string[], perJob: number): Promise<void> => {
      const { read } = recorded(before, perJob);
      if (before.join() === now.join()) return;
      await expect(read(rowsOf(now))).rejects.toMatchObject({ code: 'storage', hint: expect.any(String) });
    };
    await fc.assert(fc.asyncProperty(emails, emails, fc.integer({ min: 1, max: 7 }), held), { numRuns: 150 });
  });
});
