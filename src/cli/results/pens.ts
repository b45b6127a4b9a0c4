import { resolve } from 'node:path';
import { Failure } from '../../model/failure.js';
import type { BulkAnswer } from '../../model/result.js';
import { kindOfRow, type RowKind, rowKinds } from '../../model/row-kind.js';
import type { Context } from '../context.js';
import type { Format, OutputOptions } from '../flags/output-flags.js';
import { checkOutput, type Output, openOutput } from '../terminal/output.js';
import { findTarget, isSameFile } from '../terminal/output-target.js';
import type { Wants } from './paired.js';

/** An output, and which rows go there; null for all. */
export interface Pen {
  output: Output;
  wants: Wants | null;
}

/** Where the rows of a list go. */
export interface Places {
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
function wantsOf(only: OutputOptions['only']): Wants | null {
  return only === null ? null : (answers) => answers.some(({ result }) => only.has(result.status));
}

/** The outputs asked for: the main one, one for the rejects, and with `--clean` the three that the rows are sorted into. */
export async function openPens(context: Context, places: Places, piped: Format): Promise<Pen[]> {
  const { wishes, rejects = null, clean } = places;
  const sorted = sortedFiles(places);
  const only = wishes.only ?? (rejects === null ? null : new Set(['valid']));
  const wants = wantsOf(only);
  const pens: Pen[] = [];
  if (clean === null || wishes.path !== null) pens.push({ output: await openOutput(context, wishes, piped), wants });
  if (rejects !== null) {
    pens.push({ output: await openOutput(context, rejects, piped), wants: (answers) => wants?.(answers) === false });
  }
  for (const [index, file] of sorted.entries()) {
    pens.push({
      output: await openOutput(context, file, 'csv'),
      wants: (answers) => kindOf(answers) === rowKinds[index],
    });
  }
  return pens;
}

/** The three files of `--clean`, in the order of their kinds; none without it. */
function sortedFiles({ wishes, clean }: Places): OutputOptions[] {
  if (clean === null) return [];
  const name = (wishes.path ?? clean.of)?.replace(/\.[^./\\]+$/, '');
  if (name === undefined) {
    throw new Failure('usage', '--clean needs a name for its files.', { hint: 'Add -o FILE, or name a list.' });
  }
  return rowKinds.map((kind) => ({ path: `${name}.${kind}.csv`, format: 'csv', only: null, fields: wishes.fields }));
}

/** Fails, before any work is done, where an output cannot be written, is one of the lists, or is another output; a list of null is stdin. */
export async function checkPlaces(context: Context, places: Places, lists: readonly (string | null)[]): Promise<void> {
  const { wishes, rejects = null, clean, summary, report, comparedWith } = places;
  if (clean !== null && wishes.path === null && wishes.format !== null && wishes.format !== 'csv') {
    throw new Failure('usage', `--clean writes CSV files; nothing would be written as ${wishes.format}.`, {
      hint: `Leave out --format, or add -o FILE for all rows as ${wishes.format}.`,
    });
  }
  if (comparedWith !== undefined && wishes.path !== null) await keepWhole(comparedWith, wishes.path);
  const figures = [summary, report]
    .filter((path) => path !== undefined)
    .map((path): OutputOptions => ({ path, format: null, only: null, fields: null }));
  const all = [wishes, ...(rejects === null ? [] : [rejects]), ...sortedFiles(places), ...figures];
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
async function keepWhole(earlier: string, output: string): Promise<void> {
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
export function together(pens: readonly Pen[]): Pick<Output, 'finish' | 'abandon'> {
  return {
    finish: async () => {
      for (const { output } of pens) await output.finish();
    },
    abandon: async (ending) => {
      const kept: string[] = [];
      for (const { output } of pens) {
        const path = await output.abandon(ending);
        if (path !== null) kept.push(path);
      }
      return kept.length === 0 ? null : kept.join(', ');
    },
  };
}
