import { parseAddress } from '../../engine/grammar/parse-address.js';
import { subStatusOfFault } from '../../engine/judge.js';
import type { BulkPlan } from '../../model/result.js';
import type { EmailChunks } from '../../model/service.js';
import { maxEmailsPerRequest } from '../../wire/api.js';
import { keyOfAddress } from '../dedupe/mailbox-key.js';
import type { RunVerdicts, VerdictItem } from '../dedupe/run-verdicts.js';

/** A section of the input, and the one request for what is new in it. */
export interface Unit {
  /** The addresses of the section, in order. */
  emails: string[];
  /** The index of each address in `batch`, or why it has none. */
  sources: number[];
  /** The entry of each address in the memory. */
  entries: number[];
  /** The addresses to send, unique over the whole input. */
  batch: string[];
  batchEntries: number[];
}

/** A source without an index: the answer is in the memory, or will be. */
export const knownSource = -1;
export const duplicateSource = -2;
export const reusedSource = -3;

// Bounds the memory while a long run of duplicates does not fill a batch.
const maxUnitLength = 50_000;
// Longer than any address (RFC 5321 §4.5.3.1): not worth a credit.
const maxAddressLength = 1_000;

/** Cuts the input into units: a partial one when `orPaused` finds that the input pauses, an empty one for an empty chunk. */
export async function* readUnits(
  emails: EmailChunks,
  memory: RunVerdicts,
  sendInvalid: boolean,
  orPaused: <T>(next: Promise<T>) => Promise<T | 'paused'>,
): AsyncGenerator<Unit> {
  const chunks = Symbol.asyncIterator in emails ? emails[Symbol.asyncIterator]() : emails[Symbol.iterator]();
  let unit = emptyUnit();
  try {
    for (;;) {
      const reading = Promise.resolve(chunks.next());
      let chunk = unit.emails.length === 0 ? await reading : await orPaused(reading);
      if (chunk === 'paused') {
        yield unit;
        unit = emptyUnit();
        chunk = await reading;
      }
      if (chunk.done) break;
      // Rows without an address need not wait for others.
      if (chunk.value.length === 0 && unit.emails.length === 0) yield emptyUnit();
      for (const text of chunk.value) {
        addToUnit(text, unit, memory, sendInvalid);
        // Known answers do not wait for the first request.
        if (unit.batch.length === 1 && unit.sources.at(-1) === 0 && unit.emails.length > 1) yield takeKnown(unit);
        if (unit.batch.length < maxEmailsPerRequest && unit.emails.length < maxUnitLength) continue;
        yield unit;
        unit = emptyUnit();
      }
    }
    if (unit.emails.length > 0) yield unit;
  } finally {
    await chunks.return?.();
  }
}

function emptyUnit(): Unit {
  return { emails: [], sources: [], entries: [], batch: [], batchEntries: [] };
}

/** Takes all but the last address out of the unit, which is the first one to send. */
function takeKnown({ emails, sources, entries }: Unit): Unit {
  return {
    ...emptyUnit(),
    emails: emails.splice(0, emails.length - 1),
    sources: sources.splice(0, sources.length - 1),
    entries: entries.splice(0, entries.length - 1),
  };
}

function addToUnit(email: string, unit: Unit, memory: RunVerdicts, sendInvalid: boolean): void {
  const entry = memory.entryOf(keyOfAddress(email));
  const isFirst = memory.markSeen(entry);
  const localVerdict = isFirst && !memory.knows(entry) ? verdictWithoutService(email, sendInvalid) : null;
  if (localVerdict !== null) memory.remember(entry, localVerdict);
  unit.emails.push(email);
  unit.entries.push(entry);
  if (!isFirst || memory.knows(entry)) {
    const source = localVerdict === null ? reusedSource : knownSource;
    unit.sources.push(isFirst ? source : duplicateSource);
    return;
  }
  unit.sources.push(unit.batch.length);
  unit.batch.push(email);
  unit.batchEntries.push(entry);
}

/** The verdict on text that is not worth a credit; null for an address. */
function verdictWithoutService(email: string, sendInvalid: boolean): VerdictItem | null {
  if (email.trim() === '') return invalidItem(email);
  const parsed = sendInvalid && email.length <= maxAddressLength ? null : parseAddress(email);
  if (parsed === null || parsed.ok) return null;
  const subStatus = subStatusOfFault(parsed.fault.code);
  if (subStatus === 'failed_syntax_check') return invalidItem(email, parsed.fault.suggestion);
  return { ...invalidItem(email), status: 'unknown', sub_status: subStatus, confidence: 0.5 };
}

function invalidItem(email: string, suggestion: string | null = null): VerdictItem {
  return {
    email,
    status: 'invalid',
    is_valid: false,
    confidence: 0.99,
    sub_status: 'failed_syntax_check',
    safe_to_send: false,
    did_you_mean: suggestion,
  };
}

/** Reads the whole input and counts; sends nothing. */
export async function planBulk(emails: EmailChunks, memory: RunVerdicts, sendInvalid: boolean): Promise<BulkPlan> {
  const plan: BulkPlan = { known: 0, requests: 0, credits: 0 };
  for await (const unit of readUnits(emails, memory, sendInvalid, (next) => next)) {
    const duplicates = unit.sources.filter((source) => source === duplicateSource).length;
    plan.known += unit.emails.length - unit.batch.length - duplicates;
    plan.credits += unit.batch.length;
    if (unit.batch.length > 0) plan.requests++;
  }
  return plan;
}
