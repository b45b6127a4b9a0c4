import { rm } from 'node:fs/promises';
import { type BulkItem, countedAs } from '../../../model/result.js';
import type { BulkOptions, JournalFiles } from '../../../model/service.js';
import type { Context } from '../../context.js';
import { orphanedFiles, temporaryName } from '../../terminal/leftovers.js';
import { findTarget } from '../../terminal/output-target.js';

/** What a list goes on from, and where its answers are kept so that another run can go on from them. */
export interface Resume {
  options: Pick<BulkOptions, 'answered' | 'journal'>;
  /** The run came to its end: nobody will go on from it. */
  finished(): Promise<void>;
}

interface ResumeOptions {
  /** The output, where it is a file. */
  output: string | null;
  /** What `--resume` names. */
  resume: string | undefined;
  /** Take every answer of the file but the unknown ones, also where its run came to its end. */
  onlyUnknown: boolean;
  column: string | undefined;
}

/** On this machine: what a stopped or killed run kept beside the output, else the answers in the file that `--resume` names. */
export async function openResume(context: Context, wishes: ResumeOptions): Promise<Resume> {
  const target = await fileOf(wishes.output);
  const left = await journalsOf(wishes.resume ?? null);
  const journal = journalFor(context, target, left);
  const answered = left.length > 0 ? {} : await answersIn(context, wishes, target);
  if (wishes.resume === undefined && (await journalsOf(target)).length > 0) {
    context.note(`An earlier run was stopped before its end; --resume ${wishes.output} goes on from it.`);
  }
  return {
    options: { ...answered, ...(journal !== null && { journal }) },
    finished: async () => {
      for (const path of journal === null ? left : [journal.path, ...left]) await rm(path, { force: true });
    },
  };
}

/** What needs no network is found out again as quickly as it is read. */
function journalFor(context: Context, target: string | null, earlier: string[]): JournalFiles | null {
  if (context.settings().level === 'syntax' || target === null) return null;
  return { path: temporaryName(target, 'journal'), earlier };
}

async function answersIn(
  context: Context,
  { resume, onlyUnknown, column }: ResumeOptions,
  target: string | null,
): Promise<Pick<BulkOptions, 'answered'>> {
  if (resume === undefined) return {};
  const { findEarlier, openEarlierAnswers } = await import('../../../service/remote/earlier-answers.js');
  const named = await fileOf(resume);
  const found = named === null ? [] : await findEarlier(named);
  // The output of a run that came to its end is about to be made anew, not gone on from, unless for its unknown ones.
  const isNothingLeft = onlyUnknown ? found.length === 0 : found.every((each) => each === named);
  if (named !== null && named === target && isNothingLeft) {
    context.note(nothingToResume(resume));
    return {};
  }
  const { answers } = await openEarlierAnswers(resume, column);
  return { answered: onlyUnknown ? withoutUnknown(answers) : answers };
}

/** Said where a run that might go on from an earlier one to the same file begins, so that the flag can stand in a crontab. */
export function nothingToResume(path: string): string {
  return `Nothing is left of an earlier run to ${path}; starting from the beginning.`;
}

/** All but the unknown ones. */
export async function* withoutUnknown(
  answers: AsyncIterable<readonly BulkItem[]>,
): AsyncGenerator<readonly BulkItem[]> {
  for await (const items of answers) yield items.filter(({ status }) => countedAs(status, false) !== 'unknown');
}

async function fileOf(path: string | null): Promise<string | null> {
  const target = path === null ? null : await findTarget(path);
  return target?.kind === 'file' ? target.path : null;
}

async function journalsOf(path: string | null): Promise<string[]> {
  const target = await fileOf(path);
  return target === null ? [] : orphanedFiles(target, 'journal');
}
