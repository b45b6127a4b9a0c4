import { resolve } from 'node:path';
import { Failure } from '../../model/failure.js';
import type { BulkAnswer } from '../../model/result.js';
import { kindOfRow, type RowKind, rowKinds } from '../../model/row-kind.js';
import type { Context } from '../context.js';
import type { OutputOptions } from '../flags/output-flags.js';
import type { Format } from '../render/rows/formats.js';
import { findTarget, isSameFile } from '../terminal/output-target.js';
import { checkOutput, type Output, openOutput } from './output.js';
import type { RowFilter } from './rows-with-results.js';

/** An output, and which rows go there; null for all. */
export interface OutputFile {
  output: Output;
  includes: RowFilter | null;
}

/** Where the rows of a list go. */
export interface OutputTargets {
  wishes: OutputOptions;
  /** A file for the rows that `--only` leaves out. */
  rejects?: OutputOptions | null;
  /** Sort the rows into three files; they are named for the output or else for the list, which may have no name. */
  clean: { of: string | null } | null;
  /** A file for the figures, and one for the report. */
  summary?: string | undefined;
  report?: string | undefined;
  /** An earlier output that the rows are compared with, where only those that changed are written. */
  comparedWith?: string | undefined;
}

function kindOf(answers: readonly BulkAnswer[]): RowKind {
  return kindOfRow(answers.flatMap(({ empty, result }) => (empty ? [] : [result.status])));
}

/** A row is wanted where one of its addresses is. */
function statusFilter(only: OutputOptions['only']): RowFilter | null {
  return only === null ? null : (answers) => answers.some(({ result }) => only.has(result.status));
}

/** The outputs asked for: the main one, one for the rejects, and with `--clean` the three that the rows are sorted into. */
export async function openOutputFiles(context: Context, targets: OutputTargets, piped: Format): Promise<OutputFile[]> {
  const { wishes, rejects = null, clean } = targets;
  const sorted = sortedFiles(targets);
  const only = wishes.only ?? (rejects === null ? null : new Set(['valid']));
  const wants = statusFilter(only);
  const opened: OutputFile[] = [];
  if (clean === null || wishes.path !== null)
    opened.push({ output: await openOutput(context, wishes, piped), includes: wants });
  if (rejects !== null) {
    opened.push({
      output: await openOutput(context, rejects, piped),
      includes: (answers) => wants?.(answers) === false,
    });
  }
  for (const [index, file] of sorted.entries()) {
    opened.push({
      output: await openOutput(context, file, 'csv'),
      includes: (answers) => kindOf(answers) === rowKinds[index],
    });
  }
  return opened;
}

/** The three files of `--clean`, in the order of their kinds; none without it. */
function sortedFiles({ wishes, clean }: OutputTargets): OutputOptions[] {
  if (clean === null) return [];
  const name = (wishes.path ?? clean.of)?.replace(/\.[^./\\]+$/, '');
  if (name === undefined) {
    throw new Failure('usage', '--clean needs a name for its files.', { hint: 'Add -o FILE, or name a list.' });
  }
  return rowKinds.map((kind) => ({ path: `${name}.${kind}.csv`, format: 'csv', only: null, fields: wishes.fields }));
}

/** Fails, before any work is done, where an output cannot be written, is one of the lists, or is another output; a list of null is stdin. */
export async function checkOutputTargets(
  context: Context,
  targets: OutputTargets,
  lists: readonly (string | null)[],
): Promise<void> {
  const { wishes, rejects = null, clean, summary, report, comparedWith } = targets;
  if (clean !== null && wishes.path === null && wishes.format !== null && wishes.format !== 'csv') {
    throw new Failure('usage', `--clean writes CSV files; nothing would be written as ${wishes.format}.`, {
      hint: `Leave out --format, or add -o FILE for all rows as ${wishes.format}.`,
    });
  }
  if (comparedWith !== undefined && wishes.path !== null) await refuseReplacingEarlier(comparedWith, wishes.path);
  const figures = [summary, report]
    .filter((path) => path !== undefined)
    .map((path): OutputOptions => ({ path, format: null, only: null, fields: null }));
  const all = [wishes, ...(rejects === null ? [] : [rejects]), ...sortedFiles(targets), ...figures];
  for (const output of all) for (const list of lists) await checkOutput(context, output, list);
  if (report !== undefined && /\.(?!html?$)[^./\\]+$/i.test(report)) {
    throw new Failure('usage', `--report writes an HTML page, which ${report} does not sound like.`, {
      hint: 'Name it FILE.html.',
    });
  }
  const files: string[] = [];
  for (const { path } of all) {
    const target = path === null ? null : await findTarget(path);
    if (target?.kind === 'file') files.push(resolve(target.path));
  }
  const twice = files.find((path, index) => files.indexOf(path) !== index);
  if (twice === undefined) return;
  throw new Failure('usage', `Two of the outputs are the same file: ${twice}.`, {
    hint: 'Give each a file of its own.',
  });
}

/** Refuses to put the changes alone in place of all that they were found by: the next run would call every other address new. */
async function refuseReplacingEarlier(earlier: string, output: string): Promise<void> {
  if (resolve(earlier) !== resolve(output) && !(await isSameFile(earlier, output))) return;
  throw new Failure(
    'usage',
    `--only-changed would leave nothing but the changes in ${output}, which --since needs whole.`,
    {
      hint: 'Write the changes to another file, or leave out --only-changed: the column mailvet_change says what changed.',
    },
  );
}

/** All of them put in place, or kept aside, together. */
export function asOneOutput(files: readonly OutputFile[]): Pick<Output, 'finish' | 'abandon'> {
  return {
    finish: async () => {
      for (const { output } of files) await output.finish();
    },
    abandon: async (ending) => {
      const kept: string[] = [];
      for (const { output } of files) {
        const path = await output.abandon(ending);
        if (path !== null) kept.push(path);
      }
      return kept.length === 0 ? null : kept.join(', ');
    },
  };
}
