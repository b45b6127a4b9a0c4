import { type Command, InvalidArgumentError } from 'commander';
import { amount, count } from '../../model/amount.js';
import { type Counts, countWords, type RunSummary } from '../../model/result.js';
import { parseCount } from './parse-values.js';

/** What must not be wrong with a list that nobody looks at before it is used. */
export interface Guards {
  /** None of these statuses may occur. */
  failOn: ReadonlySet<string>;
  /** At most so much of the list may be unknown: 0..1. */
  maxUnknown: number | null;
  /** At least so many rows must be there. */
  minRows: number | null;
}

/** What guards look at. */
type GuardedCounts = Pick<RunSummary, 'total' | 'empty_count' | keyof Counts>;

/** Adds `--fail-on`, `--max-unknown` and `--min-rows`. */
export function addGuardFlags(command: Command): Command {
  return command
    .option(
      '--fail-on <statuses>',
      'keep the old output and exit with 1 if any row has one of these, e.g. invalid,risky',
    )
    .option('--max-unknown <share>', 'the same if more of the list than this is unknown, e.g. 20%', parseShare)
    .option('--min-rows <n>', 'the same if the list has fewer rows than this', parseCount(0));
}

/** Reads those flags. */
export async function readGuardFlags(flags: Record<string, unknown>): Promise<Guards> {
  const { failOn, maxUnknown, minRows } = flags;
  const parse = async (statuses: string) => {
    const { parseStatuses } = await import('./status-and-field-lists.js');
    return parseStatuses('--fail-on', statuses);
  };
  return {
    failOn: typeof failOn === 'string' ? await parse(failOn) : new Set(),
    maxUnknown: typeof maxUnknown === 'number' ? maxUnknown : null,
    minRows: typeof minRows === 'number' ? minRows : null,
  };
}

function parseShare(text: string): number {
  const match = /^(\d{1,3}(?:\.\d{1,6})?)\s*%$/.exec(text.trim());
  const share = match === null ? Number.NaN : Number(match[1]) / 100;
  if (share >= 0 && share <= 1) return share;
  throw new InvalidArgumentError('Allowed: a share from 0% to 100%, such as 20%.');
}

/** Why the output of a run must not be used, a sentence for each guard that tripped. */
export function trippedGuards({ failOn, maxUnknown, minRows }: Guards, summary: GuardedCounts): string[] {
  const { total, duplicate_count, unknown_count } = summary;
  const rows = total + (summary.empty_count ?? 0);
  const unique = total - duplicate_count;
  const found = countWords.filter((word) => failOn.has(word) && summary[`${word}_count`] > 0);
  const sentences = found.map(
    (word) => `${amount(summary[`${word}_count`], 'address', 'addresses')}: ${word} (--fail-on).`,
  );
  if (maxUnknown !== null && unknown_count > maxUnknown * unique) {
    const share = Math.ceil((unknown_count / unique) * 1000) / 10;
    sentences.push(
      `${count(unknown_count)} of ${amount(unique, 'address', 'addresses')} are unknown, ${share}% (--max-unknown ${maxUnknown * 100}%).`,
    );
  }
  if (minRows !== null && rows < minRows) {
    sentences.push(`The list has ${amount(rows, 'row')}, fewer than --min-rows ${count(minRows)}.`);
  }
  return sentences;
}
