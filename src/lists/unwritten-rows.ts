import { emptyVerdict, itemOf, suppressedVerdict } from '../model/job.js';
import type { BulkAnswer } from '../model/result.js';
import type { Answered, Item } from './pipeline.js';

/** A row that waits to be written, and its answer once it is known. */
export interface Place<Row extends Item> {
  row: Row;
  answer: BulkAnswer | null;
  duplicate: boolean;
}

/** The longest batch that is written at once: a list may have a million rows without an address. */
const maxBatch = 5_000;

const emptyAnswer: BulkAnswer = { result: itemOf('', emptyVerdict), duplicate: false, empty: true };

/** The answer to a row that is not asked; null for one that is. */
export function answerWithoutAsking({ email, isSuppressed, isAddress, answer }: Item): BulkAnswer | null {
  if (answer !== undefined) return answer;
  if (email === '' && isAddress !== true) return emptyAnswer;
  if (isSuppressed !== true) return null;
  return { result: itemOf(email, suppressedVerdict), duplicate: false, suppressed: true };
}

/** Rows that wait to be written. */
export type RowsToWrite<Row extends Item> = UnwrittenRows<Row> | AnsweredRows<Row>;

/** Answered rows, for a sink that takes them in any order. */
export class AnsweredRows<Row extends Item> {
  private ready: Place<Row>[] = [];

  get size(): number {
    return this.ready.length;
  }

  add(place: Place<Row>): void {
    if (place.answer !== null) this.ready.push(place);
  }

  answered(place: Place<Row>): void {
    this.ready.push(place);
  }

  takeAnswered(): Answered<Row> | null {
    return this.ready.length === 0 ? null : toAnswered(this.ready.splice(0, maxBatch));
  }

  takeRest(_answerOf: unknown): Answered<Row> {
    return toAnswered(this.ready.splice(0));
  }
}

/** The rows between the first unanswered one and the last one read, in the order of the input. */
export class UnwrittenRows<Row extends Item> {
  private places: Place<Row>[] = [];
  private head = 0;

  get size(): number {
    return this.places.length - this.head;
  }

  add(place: Place<Row>): void {
    this.places.push(place);
  }

  /** Called for a row whose answer was not known when it was added. */
  answered(_place: Place<Row>): void {}

  /** The answered rows at the front; null if there are none. */
  takeAnswered(): Answered<Row> | null {
    let end = this.head;
    let complete = this.head;
    for (const limit = Math.min(this.places.length, this.head + maxBatch); end < limit; end++) {
      const place = this.places[end];
      if (place === undefined || place.answer === null) break;
      const { part } = place.row;
      if (part === undefined || part.index === part.of - 1) complete = end + 1;
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

function toAnswered<Row extends Item>(places: readonly Place<Row>[]): Answered<Row> {
  return {
    rows: places.map(({ row }) => row),
    answers: places.flatMap(({ answer }) => answer ?? []),
  };
}
