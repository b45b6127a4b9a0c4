import { emptyVerdict } from '../../../model/job.js';
import type { BulkAnswer, BulkItem } from '../../../model/result.js';
import type { Row } from '../../../rows/rows.js';
import { type RowsWithResults, suppressedAnswer } from '../../results/rows-with-results.js';

const emptyAnswer: BulkAnswer = {
  result: { email: '', is_valid: false, ...emptyVerdict } as BulkItem,
  duplicate: false,
  empty: true,
};

/** A list may have a million consecutive rows without an address. */
const maxBatchRows = 5_000;

/** Rows read ahead of the oldest unmatched one: in a list with few addresses, the answers do not bound them. */
const maxPendingRows = 100_000;

/** The answer to a row that is not vetted. */
function answerWithoutVetting({ email, isSuppressed }: Row): BulkAnswer {
  return isSuppressed ? suppressedAnswer(email) : emptyAnswer;
}

/** Matches answers with the rows whose addresses they belong to, in input order. */
export class RowMatcher {
  /** Chunks of rows without an answer yet; a plain one has exactly one address in each row. */
  readonly #pending: { rows: Row[]; isPlain: boolean }[] = [];
  #pendingCount = 0;
  #wakeReader = (): void => {};
  /** How many rows of the first chunk are answered. */
  #position = 0;
  /** Answers that are not matched yet, since a row is taken only with all its addresses. */
  #answers: readonly BulkAnswer[] = [];
  #nextAnswer = 0;
  #unansweredCount = 0;

  /** The number of addresses without an answer. */
  get unansweredCount(): number {
    return this.#unansweredCount;
  }

  /** The addresses of the rows, whose answers are passed to `match` in the same order; waits while too many rows are unmatched. */
  async *emails(chunks: AsyncIterable<Row[]>): AsyncGenerator<string[]> {
    for await (const rows of chunks) {
      const isPlain = rows.every((row) => hasAddress(row) && row.part === undefined);
      this.#pending.push({ rows, isPlain });
      this.#pendingCount += rows.length;
      const emails = (isPlain ? rows : rows.filter(hasAddress)).map((row) => row.email);
      this.#unansweredCount += emails.length;
      yield emails;
      while (this.#pendingCount >= maxPendingRows) {
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
      }
    }
  }

  /** Some rows that are complete with these answers, and rows without an address between them; call it until there are no more. */
  match(answers: readonly BulkAnswer[]): RowsWithResults {
    this.#unansweredCount -= answers.length;
    const batch = this.#takeBatch(answers);
    this.#pendingCount -= batch.rows.length;
    this.#wakeReader();
    return batch;
  }

  #takeBatch(answers: readonly BulkAnswer[]): RowsWithResults {
    const [first] = this.#pending;
    const end = this.#position + answers.length;
    const hasNoRest = this.#nextAnswer === this.#answers.length;
    // The common case needs no copies.
    if (first?.isPlain && hasNoRest && answers.length > 0 && end <= first.rows.length) {
      const rows = first.rows.slice(this.#position, end);
      this.#position = end;
      if (end === first.rows.length) this.#dropChunk();
      return { rows, answers };
    }
    this.#answers = hasNoRest ? answers : [...this.#answers.slice(this.#nextAnswer), ...answers];
    this.#nextAnswer = 0;
    const batch = { rows: [], answers: [] };
    for (let chunk = this.#pending[0]; chunk !== undefined; chunk = this.#pending[0]) {
      if (!this.#takeRows(chunk.rows, batch)) break;
      this.#dropChunk();
    }
    if (this.#pending.length === 0 && this.#answers.length > this.#nextAnswer) {
      throw new Error('The back end gave more answers than there were addresses.');
    }
    return batch;
  }

  #dropChunk(): void {
    this.#pending.shift();
    this.#position = 0;
  }

  /** Takes rows as long as all their addresses are answered; true at the end of the chunk. */
  #takeRows(rows: readonly Row[], batch: { rows: Row[]; answers: BulkAnswer[] }): boolean {
    while (this.#position < rows.length) {
      if (batch.rows.length >= maxBatchRows) return false;
      const end = Math.min(rows.length, this.#position + (rows[this.#position]?.part?.of ?? 1));
      let addressCount = 0;
      for (let index = this.#position; index < end; index++) if (hasAddress(rows[index])) addressCount++;
      if (addressCount > this.#answers.length - this.#nextAnswer) return false;
      for (; this.#position < end; this.#position++) {
        const row = rows[this.#position];
        if (row === undefined) continue;
        batch.rows.push(row);
        batch.answers.push((hasAddress(row) ? this.#answers[this.#nextAnswer++] : null) ?? answerWithoutVetting(row));
      }
    }
    return true;
  }
}

function hasAddress(row: Row | undefined): boolean {
  return row !== undefined && row.email !== '' && !row.isSuppressed;
}
