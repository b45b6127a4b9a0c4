import { emptyVerdict } from '../../../model/job.js';
import type { BulkAnswer, BulkItem } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import type { RowsWithResults } from '../../results/rows-with-results.js';

/** Brings the answers to addresses back together with the rows they came from. */
interface Pairing {
  /** The addresses of the rows, to be asked for. Rows without one wait for their turn. */
  emails(chunks: AsyncIterable<Row[]>): AsyncGenerator<string[]>;
  /** The rows that are answered now, in order; chunks in and out need not align. A row of several addresses comes whole. */
  take(answers: readonly BulkAnswer[]): RowsWithResults;
  /** How many addresses wait for an answer. */
  left(): number;
}

const emptyAnswer: BulkAnswer = {
  result: { email: '', is_valid: false, ...emptyVerdict } as BulkItem,
  duplicate: false,
  empty: true,
};

export function createRowPairing(): Pairing {
  /** A plain chunk has one address in each of its rows. */
  const pending: { rows: Row[]; isPlain: boolean }[] = [];
  let used = 0;
  /** Answers that wait for their row to be whole, and which of them is next. */
  let early: readonly BulkAnswer[] = [];
  let next = 0;
  let asked = 0;
  let answered = 0;

  const takeRows = (rows: readonly Row[], batch: { rows: Row[]; answers: BulkAnswer[] }): boolean => {
    while (used < rows.length) {
      const first = rows[used];
      if (first === undefined) return false;
      if (first.part === undefined) {
        if (hasAddress(first) && next === early.length) return false;
        batch.rows.push(first);
        batch.answers.push((hasAddress(first) ? early[next++] : null) ?? emptyAnswer);
        used++;
        continue;
      }
      const group = rows.slice(used, used + first.part.of);
      if (group.filter(hasAddress).length > early.length - next) return false;
      for (const row of group) {
        const answer = hasAddress(row) ? early[next++] : emptyAnswer;
        batch.rows.push(row);
        batch.answers.push(answer ?? emptyAnswer);
      }
      used += group.length;
    }
    return true;
  };

  return {
    async *emails(chunks) {
      for await (const rows of chunks) {
        const isPlain = rows.every((row) => hasAddress(row) && row.part === undefined);
        pending.push({ rows, isPlain });
        const emails = (isPlain ? rows : rows.filter(hasAddress)).map((row) => row.email);
        asked += emails.length;
        yield emails;
      }
    },
    take(answers) {
      answered += answers.length;
      const first = pending[0];
      const end = used + answers.length;
      if (first?.isPlain && early.length === next && end > used && end <= first.rows.length) {
        const rows = first.rows.slice(used, end);
        used = end === first.rows.length ? 0 : end;
        if (used === 0) pending.shift();
        return { rows, answers };
      }
      early = next === early.length ? answers : [...early.slice(next), ...answers];
      next = 0;
      const batch = { rows: [], answers: [] };
      for (let chunk = pending[0]; chunk !== undefined && takeRows(chunk.rows, batch); chunk = pending[0]) {
        pending.shift();
        used = 0;
      }
      if (pending.length === 0 && early.length > next) {
        throw new Error('The back end gave more answers than there were addresses.');
      }
      return batch;
    },
    left: () => asked - answered,
  };
}

function hasAddress({ email }: Row): boolean {
  return email !== '';
}
