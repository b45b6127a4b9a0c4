import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowsWithVerdicts } from '../../../src/jobs/results/job-results.js';
import type { JobFiles } from '../../../src/jobs/store/files.js';
import type { JobRecord, JobStore } from '../../../src/jobs/store/store.js';
import type { JobResultRow, RowVerdict } from '../../../src/model/job.js';
import type { Row } from '../../../src/rows/rows.js';
import { createMailboxVerdicts } from '../../../src/service/dedupe/run-verdicts.js';
import { verdict } from '../../contract/store/store-lab.js';
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
  const readVerdicts: JobStore['readVerdicts'] = async (id) => {
    const verdicts = addressesOfPart(Number(id)).map(verdictOf);
    return { rows: [...verdicts.keys()], verdicts: verdicts, next: null };
  };
  async function* emailLists(id: string): ReturnType<JobFiles['emailLists']> {
    const emailsOfPart = addressesOfPart(Number(id));
    for (let first = 0; first < emailsOfPart.length; first += 3) yield emailsOfPart.slice(first, first + 3);
  }
  const dependencies = {
    store: { readVerdicts } as JobStore,
    files: { emailLists } as JobFiles,
    canonical,
    createMailboxVerdicts: createMailboxVerdicts,
  };
  return {
    jobs,
    read: async (now: readonly Row[], asked = jobs): Promise<JobResultRow[]> => {
      const rows: JobResultRow[] = [];
      const list = { chunks: inChunks(now), columns: ['email'], emailColumns: [0] };
      for await (const some of rowsWithVerdicts(dependencies, asked, list)) rows.push(...some);
      return rows;
    },
  };
}

const rowsOf = (emails: readonly string[]): Row[] => emails.map((email) => ({ cells: [email], email }));
async function* inChunks(rows: readonly Row[]): AsyncGenerator<Row[]> {
  for (let first = 0; first < rows.length; first += 4) yield rows.slice(first, first + 4);
}
const describeRow = ({ email, verdict: got, unpaired }: JobResultRow): string =>
  `${email} ${got?.sub_status ?? '-'} ${unpaired ?? ''}`.trim();

describe('rows and the verdicts on them', () => {
  const email = fc.constantFrom('', 'a@x', 'A@x', 'b@x', 'c@x', 'd@x', 'e@x', 'f@x');
  const emails = fc.array(email, { maxLength: 20 });

  test('after any change of a list, each row has the verdict on its own address, and none is lost', async () => {
    const held = async (before: string[], now: string[], perJob: number): Promise<void> => {
      const rows = await recorded(before, perJob).read(rowsOf(now));
      const known = new Set(before.map(canonical));
      expect(rows.slice(0, now.length).map(({ cells }) => cells[0])).toEqual(now);
      for (const row of rows) {
        const isKnown = row.email === '' || known.has(canonical(row.email));
        expect(row.verdict).toEqual(isKnown ? { ...verdictOf(row.email), ...row.verdict } : null);
        expect(row.verdict?.sub_status ?? '').toBe(isKnown ? canonical(row.email) : '');
      }
      const addresses = rows.map((row) => canonical(row.email));
      expect([...known].filter((key) => key !== '' && !addresses.includes(key))).toEqual([]);
      const isNew = ({ unpaired }: JobResultRow): boolean => unpaired === 'not_vetted';
      expect(rows.filter(isNew)).toEqual(rows.filter((row) => row.verdict === null));
      const ends = rows.slice(now.length);
      expect(ends.every(({ unpaired }) => unpaired === 'not_in_list')).toBe(true);
      expect(new Set(ends.map((row) => canonical(row.email))).size).toBe(ends.length);
    };
    await fc.assert(fc.asyncProperty(emails, emails, fc.integer({ min: 1, max: 7 }), held), { numRuns: 150 });
  });

  test('100,000 rows with one address or none keep their verdicts in another order', async () => {
    const before = Array.from({ length: 100_000 }, (_, index) => (index % 2 === 0 ? 'a@x' : ''));
    const rows = await recorded(before, 50_000).read(rowsOf(before.slice(1).reverse()));
    expect(rows.map(describeRow)).toEqual(before.slice(1).map((_, at) => (at % 2 === 0 ? '' : 'a@x a@x')));
  });

  test('a part keeps its own rows, even if the list has a new row before it', async () => {
    const { jobs, read } = recorded(['a@x', 'b@x', 'c@x', 'd@x', 'b@x', 'e@x'], 2);
    const now = rowsOf(['new@x', 'a@x', 'b@x', 'c@x', 'd@x', 'b@x', 'e@x']);
    const part = async (number: number) => (await read(now, jobs.slice(number, number + 1))).map(describeRow);
    expect(await part(0)).toEqual(['a@x a@x', 'b@x b@x']);
    expect(await part(1)).toEqual(['c@x c@x', 'd@x d@x']);
    expect(await part(2)).toEqual(['b@x b@x', 'e@x e@x']);
  });

  test('a part whose rows are missing loses no verdict', async () => {
    const { jobs, read } = recorded(['a@x', 'b@x', 'c@x', 'd@x'], 2);
    const rows = await read(rowsOf(['a@x', 'd@x']), jobs.slice(1));
    expect(rows.map(describeRow)).toEqual(['c@x c@x not_in_list', 'd@x d@x not_in_list']);
  });

  test('addresses of one row stay together', async () => {
    const { jobs, read } = recorded(['a@x', 'b@x', 'c@x', 'd@x'], 2);
    const pair = (one: string, other: string): Row[] =>
      [one, other].map((each, index) => ({ cells: [one, other], email: each, part: { index, of: 2 } }));
    const now = [...pair('n@x', 'm@x'), ...pair('a@x', 'b@x'), ...pair('c@x', 'new@x')];
    const rows = await read(now, jobs.slice(1));
    expect(rows.map(describeRow)).toEqual(['c@x c@x', 'new@x - not_vetted', 'd@x d@x not_in_list']);
  });
});
