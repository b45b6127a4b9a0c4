import type { Caller } from '../async/caller.js';
import type { ParsedAddress } from '../model/address.js';
import type { Failure } from '../model/failure.js';
import type { BulkAnswer, BulkItem, ValidationResult } from '../model/result.js';
import type { BulkOptions, ValidationService } from '../model/service.js';

/** An address of a list, with whatever travels along: a row of a file, a place in a job. */
export interface Item {
  /** Empty if the row has no address. */
  email: string;
  /** Asked even if it is empty. */
  isAddress?: true;
  /** On a suppression list: not asked. */
  isSuppressed?: true;
  /** The index of this address among several of one row, from 0, and their number. */
  part?: { index: number; of: number };
  /** Set if it is known whether the mailbox occurred earlier in the list. */
  duplicate?: boolean;
  /** An answer of an earlier start. */
  answer?: BulkAnswer;
  /** Its host said "try later" in an earlier start. */
  wait?: Wait;
}

/** A host said "try later": in ms since 1970. */
export interface Wait {
  /** When it first said so. */
  refusedAt: number;
  retryAt: number;
}

/** Items and their answers, by index. A row with several addresses is never taken apart. */
export interface Answered<Row extends Item> {
  rows: readonly Row[];
  answers: readonly BulkAnswer[];
}

/** A list that is read once. */
export interface Source<Row extends Item> {
  items: AsyncIterable<readonly Row[]>;
  /** Opens the list again at an item, counted from 0; null for a pipe. */
  from: ((item: number) => Promise<Source<Row>>) | null;
  close(): Promise<void>;
}

/** Where answered items go. */
export interface Sink<Row extends Item> {
  /** By default that of the input. In any order nothing waits, and what was not answered at the end is not written. */
  readonly order?: 'any';
  write(batch: Answered<Row>): Promise<void>;
  /** Rows whose host said "try later", with its last answer. */
  defer?(rows: readonly Row[], result: Result, wait: Wait): void;
}

/** A question to a back end. Two with equal keys have one answer. */
export interface Question {
  email: string;
  key: string;
  parsed: ParsedAddress;
}

export type Result = BulkItem | ValidationResult;

/** An answer, final or with the time of a retry. */
export interface Reply {
  question: Question;
  result: Result;
  /** False: the service did not charge for it. */
  charged?: false;
  /** The service answered the request, but not for this address. */
  leftOut?: true;
  /** Not asked again, whatever its host says. */
  final?: true;
}

export interface AskCall {
  /** Its signal stops the work; a service is given time for open requests, which it charges. */
  caller: Caller;
  /** Awaited before a request leaves that costs credits. */
  beforePaying(questions: readonly Question[]): Promise<void>;
  /** Called for questions of such a request that were not paid after all. */
  notPaid(questions: readonly Question[]): void;
  /** Whether the list asks the question again, since its host said "try later". Then it needs no reply now. */
  defer(question: Question, result: Result): boolean;
  /** No more questions are taken once it is aborted, and those that are open are answered. */
  stop?: AbortSignal | undefined;
  /** How many questions may be open at a time; absent: as many as the back end takes. */
  maxOpen?(): number;
}

/** Something that the user of a list is told. */
type ListNote = 'waiting_for_greylists' | 'wait_too_short' | 'too_many_to_remember';

/** A back end for lists. */
export interface Asker {
  /** What its answers are kept under: back end, key and level. */
  readonly scope: string;
  /** Answers cost credits, so spellings of one mailbox are asked once. */
  readonly isPaid: boolean;
  /** How many questions it takes at a time. */
  readonly capacity: number;
  /** Answers without waiting, where no network is needed. */
  readonly judge?: (email: string, parsed: ParsedAddress) => Result | Promise<Result>;
  /** How long an address is asked again whose host said "try later"; 0: the first answer stands. */
  readonly greylistWaitMs: number;
  /** Whether an address is on a suppression list: no earlier answer is reused for it. */
  isSuppressed?(email: string): boolean;
  onNote?(note: ListNote): void;
  /** Why nothing could be sent to the service that answers the rest; null if something was. */
  unsent?(): Failure | null;
  /** Whether the last answers show that the resolver is down; absent for a service. */
  isResolverDown?(): boolean;
  /** Replies in any order. Those before a failure stand. */
  ask(questions: AsyncIterable<readonly Question[]>, call: AskCall): AsyncIterable<readonly Reply[]>;
}

/** How a list is asked. */
export interface AskerOptions extends Pick<BulkOptions, 'explain' | 'level' | 'deadlineMs'> {
  /** The verdicts are enough: results may lack details. */
  verdictsOnly?: boolean | undefined;
}

/** A back end with its half of the pipeline. */
export interface ListService extends ValidationService {
  asker(options?: AskerOptions): Promise<Asker>;
}
