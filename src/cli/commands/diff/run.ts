import { formatAmount, formatNumber } from '../../../model/amount.js';
import { exitNotAllValid } from '../../../model/failure.js';
import type { BulkAnswer } from '../../../model/result.js';
import { quotedName } from '../../../model/text/shell-word.js';
import { type Change, type Comparison, compareOutputs, emptyComparison } from '../../../service/outputs/compare.js';
import type { Context } from '../../context.js';
import { changeFields } from '../../flags/field-names.js';
import { percentOf } from '../../flags/guards.js';
import type { OutputOptions } from '../../flags/output-flags.js';
import { formatKind, openRowWriter } from '../../render/rows/formats.js';
import { addressLayout } from '../../render/rows/row-writer.js';
import { type Output, openOutput, runWithOutput } from '../../results/output.js';
import { protectInput } from '../../terminal/output-target.js';
import { findOutput, requireOutput } from '../jobs/output-source.js';

/** Conditions under which `diff` ends with status 1. */
interface DiffGuards {
  /** Shares of the old addresses: 0..1. */
  maxGone: number | null;
  maxChanged: number | null;
  minRows: number | { share: number } | null;
}

interface DiffOptions {
  old: string;
  latest: string;
  column: string | undefined;
  onlyChanged: boolean;
  output: OutputOptions;
  guards: DiffGuards;
}

/** Compares two outputs. Returns the exit status: 1 if a guard tripped. */
export async function runDiff(context: Context, options: DiffOptions): Promise<number> {
  const { old, latest, column, output, guards } = options;
  for (const name of [old, latest]) if (output.path !== null) await protectInput(name, output.path);
  const oldOutput = await findOutput(context, old, column);
  if (oldOutput === null) context.note(`There is no ${quotedName(old)} yet, so every address is new.`);
  const newOutput = await requireOutput(context, latest, column);
  const found = emptyComparison();
  const changes = compareOutputs(oldOutput?.read ?? null, newOutput.read, found);
  const opened = await openOutput(context, output, 'ndjson');
  const rows = await runWithOutput(context, opened, () => writeChanges(context, changes, found, opened, options));
  const written = opened.path === null ? '' : ` · wrote ${opened.path} (${formatAmount(rows, 'row')})`;
  if (!context.json) context.note(`${summaryOf(found)}${written}`);
  const reasons = oldOutput === null ? [] : trippedBy(guards, found);
  for (const text of reasons) context.warn(text);
  return reasons.length > 0 ? exitNotAllValid : 0;
}

async function writeChanges(
  { signal }: Context,
  changes: AsyncIterable<readonly Change[]>,
  found: Comparison,
  { sink, format, path }: Output,
  { onlyChanged, output }: DiffOptions,
): Promise<number> {
  const isPlain = formatKind(format) === 'text';
  const fields = output.fields ?? (isPlain ? null : changeFields);
  const writer = await openRowWriter(format, { ...sink, subject: 'list', fields, path });
  const hidesSame = onlyChanged || formatKind(format) === 'screen';
  let count = 0;
  await sink.write(writer.begin(addressLayout));
  for await (const batch of changes) {
    signal.throwIfAborted();
    const shown = hidesSame ? batch.filter(({ change }) => change !== 'same') : batch;
    const answers = shown.map(
      ({ result, ...change }): BulkAnswer => ({ result: { ...result, ...change }, duplicate: false }),
    );
    count += shown.length;
    const rows = shown.map(({ email }) => ({ cells: [email], email }));
    await sink.write(writer.rows(rows, answers));
  }
  await sink.write(
    await writer.end({ ...found.counts, moves: found.moves, old: found.before, new_total: found.after }),
  );
  return count;
}

/** `3 new, 1 gone, 2 valid→invalid, 40 same` */
function summaryOf({ counts, moves }: Comparison): string {
  const sortedMoves = Object.entries(moves).sort(([, one], [, other]) => other - one);
  return [
    `${formatNumber(counts.new)} new`,
    `${formatNumber(counts.gone)} gone`,
    ...sortedMoves.map(([move, times]) => `${formatNumber(times)} ${move}`),
    `${formatNumber(counts.same)} same`,
  ].join(', ');
}

/** One sentence for each guard that tripped. */
function trippedBy({ maxGone, maxChanged, minRows }: DiffGuards, { counts, before, after }: Comparison): string[] {
  const sentences: string[] = [];
  const least = typeof minRows === 'number' ? minRows : minRows === null ? 0 : minRows.share * before;
  if (after < least) {
    const limit = typeof minRows === 'number' ? formatNumber(minRows) : percentOf(minRows?.share ?? 0);
    sentences.push(
      `The new output has ${formatAmount(after, 'address', 'addresses')}, the old one ${formatNumber(before)} (--min-rows ${limit}).`,
    );
  }
  for (const [flag, share, times, word] of [
    ['--max-gone', maxGone, counts.gone, 'gone'],
    ['--max-changed', maxChanged, counts.changed, 'changed'],
  ] as const) {
    if (share === null || times <= share * before) continue;
    const addresses = formatAmount(before, 'address', 'addresses');
    sentences.push(
      `${formatNumber(times)} of ${addresses} ${times === 1 ? 'is' : 'are'} ${word} (${flag} ${percentOf(share)}).`,
    );
  }
  return sentences;
}
