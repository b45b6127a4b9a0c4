import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatAmount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import { rowKindOf, rowKinds } from '../../model/row-kind.js';
import { quotedName } from '../../model/text/shell-word.js';
import type { Context } from '../context.js';
import type { ReviewOptions } from '../flags/list-flags.js';
import type { OutputOptions } from '../flags/output-flags.js';
import type { Format } from '../render/rows/formats.js';
import { findTarget, protectInput } from '../terminal/output-target.js';
import { type Output, openOutput } from './output.js';
import type { RowFilter } from './rows-with-results.js';

/** An output, and the filter for its rows; null for all rows. */
export interface OutputFile {
  output: Output;
  includes: RowFilter | null;
  /** The number of rows written so far. */
  rowCount: number;
}

/** The options that decide which files a run writes. */
export interface OutputTargets {
  output: OutputOptions;
  review: ReviewOptions;
  /** The list, if it has a name, after which `--clean` names its files unless there is a main output. */
  list: string | null;
}

/** Opens the main output, and the three of `--clean`, if they are requested. */
export async function openOutputFiles(context: Context, targets: OutputTargets, piped: Format): Promise<OutputFile[]> {
  const { output: main, review } = targets;
  const { only } = main;
  // A row with several addresses is included if one of them has one of the statuses.
  const includes: RowFilter | null =
    only === null ? null : (answers) => answers.some(({ result }) => only.has(result.status));
  const opened: OutputFile[] = [];
  const open = async (options: OutputOptions, filter: RowFilter | null, format = piped): Promise<void> => {
    opened.push({ output: await openOutput(context, options, format), includes: filter, rowCount: 0 });
  };
  try {
    if (!review.clean || main.path !== null) await open(main, includes);
    for (const [index, file] of cleanFiles(targets).entries()) {
      const filter: RowFilter = (_, answers) =>
        rowKindOf(answers.flatMap(({ empty, result }) => (empty ? [] : [result.status]))) === rowKinds[index];
      await open(file, filter, 'csv');
    }
  } catch (error) {
    for (const { output: each } of opened) await each.abandon(false);
    throw error;
  }
  return opened;
}

/** The file after which what a stopped run leaves is named: the main output, or the first of `--clean`. */
export function primaryPath(targets: OutputTargets): string | null {
  return targets.output.path ?? cleanFiles(targets)[0]?.path ?? null;
}

/** Whether the run replaces an earlier output. */
export function replacesOutput(targets: OutputTargets): boolean {
  const path = primaryPath(targets);
  return path !== null && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The three files of `--clean`, in the order of `rowKinds`; none without it. */
function cleanFiles({ output: main, review, list }: OutputTargets): OutputOptions[] {
  if (!review.clean) return [];
  const name = (main.path ?? list)?.replace(/\.[^./\\]+?(?:\.gz)?$/i, '');
  if (name === undefined) {
    throw new Failure('usage', '--clean needs a name for its files.', { hint: 'Add -o FILE, or name a list.' });
  }
  return rowKinds.map((kind) => ({ path: `${name}.${kind}.csv`, format: 'csv', only: null, fields: main.fields }));
}

/** Throws, before any work is done, if an output cannot be written, is one of the lists, or is used twice. A list of null is stdin. */
export async function checkOutputTargets(
  context: Context,
  targets: OutputTargets,
  lists: readonly (string | null)[],
): Promise<void> {
  const { output: main } = targets;
  const { clean, summary } = targets.review;
  if (clean && main.path === null && main.format !== null && main.format !== 'csv') {
    throw new Failure('usage', `--clean writes CSV files; nothing would be written as ${main.format}.`, {
      hint: `Leave out --format, or add -o FILE for all rows as ${main.format}.`,
    });
  }
  if (clean && main.path === null && main.only !== null) {
    throw new Failure('usage', '--only has no effect on the files of --clean, which hold all rows.', {
      hint: 'Leave out one of them, or add -o FILE for the rows of --only.',
    });
  }
  if (summary === '-') {
    throw new Failure('usage', '--summary needs a file name.', {
      hint: 'For standard output, use --summary /dev/stdout, and -o FILE for the rows.',
    });
  }
  const outputs = [main, ...cleanFiles(targets), ...(summary === undefined ? [] : [{ path: summary }])];
  const { stdin, stdout } = context.terminal;
  const files: string[] = [];
  for (const { path } of outputs) {
    const resolved = path === null ? null : await findTarget(path);
    if (resolved?.kind === 'file') files.push(resolve(resolved.path));
    const target = path ?? stdout.descriptor;
    for (const list of lists) {
      const input = list ?? stdin.descriptor;
      if (input !== undefined && target !== undefined) await protectInput(input, target);
    }
  }
  const duplicate = files.find((path, index) => files.indexOf(path) !== index);
  if (duplicate === undefined) return;
  throw new Failure('usage', `Two of the outputs are the same file: ${quotedName(duplicate)}.`, {
    hint: 'Give each its own file.',
  });
}

/** Finishes, rejects or drops all files together. */
export function asOneOutput(files: readonly OutputFile[]) {
  return {
    paths: files.flatMap(({ output }) => output.path ?? []),
    finish: async (): Promise<void> => {
      for (const { output } of files) await output.finish();
    },
    /** Returns what was kept, such as `FILE.rejected (3 rows)`; null if nothing was. */
    abandon: async (isRejected: boolean): Promise<string | null> => {
      const kept: string[] = [];
      for (const { output, rowCount } of files) {
        const name = await output.abandon(isRejected);
        if (name !== null) kept.push(`${name} (${formatAmount(rowCount, 'row')})`);
      }
      return kept.length === 0 ? null : kept.join(', ');
    },
  };
}
