import type { BulkItem } from '../../model/result.js';
import type { EmailChunks } from '../../model/service.js';
import { maxEmailsPerRequest } from '../../wire/routes.js';
import type { AnswerMemory } from '../dedupe/answer-memory.js';
import { keyOfAddress } from '../dedupe/mailbox-key.js';

/** A stretch of the input, and the one request that answers what is new in it. */
export interface Unit {
  /** Every address of the stretch, in order. */
  emails: string[];
  /** For each: its index in `batch`, or why it is not there. */
  sources: number[];
  /** For each: its entry in the memory. */
  entries: number[];
  /** What is sent: unique over the whole input. */
  batch: string[];
  /** The memory's entries of `batch`. */
  batchEntries: number[];
}

/** A source that is no index: the answer is in the memory already, or the address came earlier and its answer will be there. */
export const known = -1;
export const duplicate = -2;

// A long run of duplicates must not pile up while a request waits to be filled.
const maxUnitLength = 50_000;
// Longer than any address can be (RFC 5321 §4.5.3.1), with room to spare: no reason to pay for it.
const maxAddressLength = 1_000;

/** Cuts the input into units. One that is not full is handed out where `orPaused` finds that the input pauses. */
export async function* readUnits(
  emails: EmailChunks,
  memory: AnswerMemory,
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
      for (const text of chunk.value) {
        place(text, unit, memory);
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

function place(email: string, unit: Unit, memory: AnswerMemory): void {
  const entry = memory.entryOf(keyOfAddress(email));
  const first = memory.meet(entry);
  if (first && !memory.knows(entry) && isNoAddress(email)) memory.remember(entry, noAddress(email));
  unit.emails.push(email);
  unit.entries.push(entry);
  if (!first || memory.knows(entry)) {
    unit.sources.push(first ? known : duplicate);
    return;
  }
  unit.sources.push(unit.batch.length);
  unit.batch.push(email);
  unit.batchEntries.push(entry);
}

function isNoAddress(email: string): boolean {
  return email.trim() === '' || email.length > maxAddressLength;
}

function noAddress(email: string): BulkItem & { sub_status: string; safe_to_send: boolean } {
  return {
    email,
    status: 'invalid',
    is_valid: false,
    confidence: 1,
    sub_status: 'failed_syntax_check',
    safe_to_send: false,
  };
}
