import type { RowVerdict } from '../model/job.js';

/** The verdicts of a job's rows, in a few bytes each: a reader who takes his time is to cost little. */
export interface VerdictTable {
  /** Null takes back what was said of the row. */
  set(row: number, verdict: RowVerdict | null): void;
  get(row: number): RowVerdict | null;
}

const safeFlag = 1;
const knownFlag = 2;

/** No verdicts yet, for so many rows. */
export function verdictTable(rows: number): VerdictTable {
  const statuses = new Uint16Array(rows);
  const subStatuses = new Uint16Array(rows);
  const confidences = new Float64Array(rows);
  const flags = new Uint8Array(rows);
  const suggestions = new Map<number, string>();
  const words = wordList();
  return {
    set: (row, verdict) => {
      if (row >= rows) return;
      suggestions.delete(row);
      flags[row] = verdict === null ? 0 : knownFlag | (verdict.safe_to_send ? safeFlag : 0);
      if (verdict === null) return;
      statuses[row] = words.numberOf(verdict.status);
      subStatuses[row] = words.numberOf(verdict.sub_status);
      confidences[row] = verdict.confidence;
      if (verdict.did_you_mean !== null) suggestions.set(row, verdict.did_you_mean);
    },
    get: (row) => {
      const marks = flags[row] ?? 0;
      if ((marks & knownFlag) === 0) return null;
      return {
        status: words.word(statuses[row]),
        sub_status: words.word(subStatuses[row]),
        confidence: confidences[row] ?? 0,
        safe_to_send: (marks & safeFlag) !== 0,
        did_you_mean: suggestions.get(row) ?? null,
      };
    },
  };
}

/** There are a few dozen words for verdicts, and millions of rows. */
function wordList() {
  const numbers = new Map<string, number>();
  const words: string[] = [];
  return {
    numberOf: (word: string): number => {
      const known = numbers.get(word) ?? words.length;
      if (known === words.length) {
        numbers.set(word, known);
        words.push(word);
      }
      return known;
    },
    word: (number: number | undefined): string => words[number ?? 0] ?? '',
  };
}
