import { dmarc } from './dmarc.js';
import type { RecordOutcome } from './record-check.js';
import { spf } from './spf.js';

/** Every record check, in the order shown. Evidence, wire format, schema, cards and `--fields` follow from this list. */
export const recordChecks = [spf, dmarc] as const;

type Check = (typeof recordChecks)[number];

type RecordName = Check['name'];

/** The outcome of each check. */
export type RecordEvidence = { [Name in RecordName]: RecordOutcome };

/** The fields of `details`. */
export type RecordFields = { [Field in Check['field']]: boolean };

const notAsked: RecordOutcome = Object.freeze({ state: 'skipped', reason: 'not_asked' });

/** The outcome of checks that were never asked. */
export const recordsNotAsked: RecordEvidence = Object.freeze(
  Object.fromEntries(recordChecks.map(({ name }) => [name, notAsked])) as RecordEvidence,
);

/** A value for each field of `details`. */
export function mapRecordFields<Value>(value: (check: Check) => Value): { [Field in Check['field']]: Value } {
  return Object.fromEntries(recordChecks.map((check) => [check.field, value(check)])) as {
    [Field in Check['field']]: Value;
  };
}
