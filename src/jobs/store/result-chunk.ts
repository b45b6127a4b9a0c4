import { damagedRecord } from './records.js';
import type { RowResult } from './store.js';

/** Marks a row as not done again. */
export interface RowReset {
  row: number;
  reset: true;
}

/** Results of one commit as one text; a thousand inserts in one. Trailing defaults are left out. */
export function encodeChunk(results: readonly RowResult[]): string {
  return JSON.stringify(results.map(encodeRow));
}

/** A chunk that undoes rows. */
export function encodeResets(rows: readonly number[]): string {
  return JSON.stringify(rows.map((row) => [row]));
}

/** The rows of one chunk, in order. What nobody of ours can have written is the Failure `storage`. */
export function decodeChunk(text: string): (RowResult | RowReset)[] {
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch (cause) {
    throw damagedRecord('results of a job', cause);
  }
  if (!Array.isArray(rows) || !rows.every(isPackedRow)) throw damagedRecord('results of a job', null);
  return rows.map(decodeRow);
}

type PackedRow =
  | [row: number]
  | [
      row: number,
      status: string,
      subStatus: string,
      confidence: number,
      flags: number,
      /** How often it was asked, in stores of before. */
      unused?: number,
      didYouMean?: string | null,
      retryAt?: number,
      refusedAt?: number | null,
    ];

const safeFlag = 1;
const duplicateFlag = 2;

function encodeRow({ row, verdict, duplicate, retryAt, refusedAt }: RowResult): PackedRow {
  const flags = (verdict.safe_to_send ? safeFlag : 0) | (duplicate ? duplicateFlag : 0);
  const { status, sub_status, confidence, did_you_mean } = verdict;
  if (retryAt !== null) return [row, status, sub_status, confidence, flags, 1, did_you_mean, retryAt, refusedAt];
  if (did_you_mean !== null) return [row, status, sub_status, confidence, flags, 1, did_you_mean];
  return [row, status, sub_status, confidence, flags];
}

function isPackedRow(value: unknown): value is PackedRow {
  if (!Array.isArray(value) || !Number.isSafeInteger(value[0]) || value[0] < 0) return false;
  const kinds = value.slice(1, 5).map((field) => typeof field);
  return value.length === 1 || kinds.join(' ') === 'string string number number';
}

function decodeRow(packed: PackedRow): RowResult | RowReset {
  if (packed.length === 1) return { row: packed[0], reset: true };
  const [row, status, sub_status, confidence, flags, , did_you_mean = null, retryAt = null, refusedAt = null] = packed;
  const safe_to_send = (flags & safeFlag) !== 0;
  return {
    row,
    verdict: { status, sub_status, confidence, safe_to_send, did_you_mean },
    duplicate: (flags & duplicateFlag) !== 0,
    retryAt,
    refusedAt,
  };
}
