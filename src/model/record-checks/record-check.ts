import type { Outcome } from '../outcome.js';

export type RecordReason = 'absent' | 'ambiguous' | 'malformed' | 'no_answer' | 'not_asked';

/** `passed` has the text of the record. */
export type RecordOutcome = Outcome<string, RecordReason>;

type TxtAnswer = { state: 'found'; records: string[] } | { state: 'absent' | 'failed' };

/** The lookups of a check. They throw only when aborted. */
export interface RecordLookup {
  /** The TXT records of a name; each record's strings joined. */
  txt(name: string): Promise<TxtAnswer>;
  /** The registrable domain by the public suffix list, null for a public suffix; without it, names are queried up to the root. */
  registrableDomain?: (domain: string) => string | null;
}

/** A policy record that a domain publishes in DNS: how it is looked up, and the names of its outcome in every output. */
export interface RecordCheck {
  /** Its property of the evidence. */
  name: string;
  /** The name for display. */
  label: string;
  /** Its field of `details` in a result. */
  field: `has_${string}`;
  /** What `true` means, for the documentation and the OpenAPI schema. */
  description: string;
  /** The reason that a result carries when there was no answer. */
  noAnswer: { reason: string; sentence: string };
  check(domain: string, lookup: RecordLookup): Promise<RecordOutcome>;
}

/** The one record that `isRecord` accepts; two or more void each other. */
export function singleRecord(answer: TxtAnswer, isRecord: (text: string) => boolean): RecordOutcome {
  if (answer.state === 'failed') return { state: 'unknown', reason: 'no_answer' };
  const [record, second] = answer.state === 'found' ? answer.records.filter(isRecord) : [];
  if (record === undefined) return { state: 'failed', reason: 'absent' };
  return second === undefined ? { state: 'passed', detail: record } : { state: 'failed', reason: 'ambiguous' };
}
