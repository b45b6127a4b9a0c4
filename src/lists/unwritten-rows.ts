import { emptyVerdict, suppressedVerdict } from '../model/job.js';
import type { BulkAnswer, BulkItem } from '../model/result.js';
import type { Answered, Item } from './pipeline.js';

/** A row that waits to be written, and its answer once it is known. */
export interface Place<Row extends Item> {
  row: Row;
  answer: BulkAnswer | null;
  duplicate: boolean;
}

/** The longest batch that is written at once: a list may have a million rows without an address. */
const maxBatch = 5_000;

const emptyAnswer: BulkAnswer = {
  result: { email: '', is_valid: false, ...emptyVerdict } as BulkItem,
  duplicate: false,
  empty: true,
};

/** The answer to a row that is not asked; null for one that is. */
export function answerWithoutAsking({ email, isSuppressed, isAddress }: Item): BulkAnswer | null {
  if (email === '' && isAddress !== true) return emptyAnswer;
  if (isSuppressed !== true) return null;
  return {
    result: { email, is_valid: false, ...suppressedVerdict } as BulkItem,
    duplicate: false,
    suppressed: true,
  };
}

/** The rows between the first unanswered one and the last one read. */
export class UnwrittenRows<Row extends Item> {
  private places: Place<Row>[] = [];
  private head = 0;

  get size(): number {
    return this.places.length - this.head;
  }

  add(place: Place<Row>): void {
    this.places.push(place);
  }

  /** The answered rows at the front; null if there are none. */
  takeAnswered(): Answered<Row> | null {
    let end = this.head;
    let complete = this.head;
    for (const limit = Math.min(this.places.length, this.head + maxBatch); end < limit; end++) {
      const place = this.places[end];
      if (place === undefined || place.answer === null) break;
      if (isLastPart(place.row)) complete = end + 1;
    }
    // A row with more addresses than a batch is taken as a whole, too.
    if (complete === this.head) return null;
    const taken = this.places.slice(this.head, complete);
    this.head = complete;
    if (this.head > maxBatch && this.head * 2 > this.places.length) {
      this.places = this.places.slice(this.head);
      this.head = 0;
    }
    return toAnswered(taken);
  }

  /** The rest, when no more answers come: `answerOf` stands in. */
  takeRest(answerOf: (place: Place<Row>) => BulkAnswer): Answered<Row> {
    const rest = this.places.slice(this.head);
    this.head = this.places.length;
    for (const place of rest) place.answer ??= answerOf(place);
    return toAnswered(rest);
  }
}

function isLastPart(row: Item | undefined): boolean {
  return row?.part === undefined || row.part.index === row.part.of - 1;
}

function toAnswered<Row extends Item>(places: readonly Place<Row>[]): Answered<Row> {
  return {
    rows: places.map(({ row }) => row),
    answers: places.flatMap(({ answer }) => answer ?? []),
  };
}
