import { closeSync, openSync, readSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Failure } from '../../../model/failure.js';
import { type BulkItem, countedAs } from '../../../model/result.js';
import { rowKinds } from '../../../model/row-kind.js';
import type { BulkOptions as ServiceOptions } from '../../../model/service.js';
import { quotedName } from '../../../model/text/shell-word.js';
import { isCacheable } from '../../../model/verdict-age.js';
import type { Context } from '../../context.js';
import { orphanedFiles, temporaryName } from '../../terminal/file-sink.js';
import { findTarget } from '../../terminal/output-target.js';
import type { BulkOptions } from './bulk-options.js';

/** The answers that a run reuses, and the journal that records its own. */
export interface Resume {
  options: Pick<ServiceOptions, 'answered' | 'journal'>;
  /** Removes the journals of a run that is complete. */
  finish(): Promise<void>;
}

type ResumeOptions = Pick<BulkOptions, 'resume' | 'onlyUnknown' | 'list' | 'review'>;

/** Prepares `--resume` with a remote service. Requests that were charged are not repeated. `output` is the main file. */
export async function openRemoteResume(
  context: Context,
  options: ResumeOptions,
  output: string | null,
): Promise<Resume> {
  const { resume } = options;
  const isSameFile = resume !== undefined && output !== null && resolve(resume) === resolve(output);
  if (isSameFile && (await (await importEarlierResults()).findEarlierFiles(resume)).length === 0) {
    noteNothingToResume(context, resume);
    return { options: {}, finish: async () => {} };
  }
  return { options: await earlierResults(context, options), finish: async () => {} };
}

/** The answers in the file of `--resume`; none without it. */
export async function earlierResults(
  context: Context,
  { resume, onlyUnknown, list: { column }, review }: ResumeOptions,
): Promise<Pick<ServiceOptions, 'answered'>> {
  if (resume === undefined) return {};
  const files = review.clean ? cleanFilesOf(resume) : [resume];
  const { answers, wasKilled } = await (await importEarlierResults()).openEarlierResults(files, column);
  const isRemote = context.settings().mode === 'remote';
  if (wasKilled && isRemote) {
    context.note('The earlier run was killed: requests that were open then are sent again, and may be charged twice.');
  }
  // What a service answered was paid.
  return { answered: isRemote && !onlyUnknown ? answers : filterItems(answers, reusableIf({ onlyUnknown })) };
}

function reusableIf({ onlyUnknown }: { onlyUnknown: boolean }): (item: BulkItem) => boolean {
  return onlyUnknown ? ({ status }) => countedAs(status, false) !== 'unknown' : isCacheable;
}

/** The files of `--clean` that one of them belongs to, and that exist or were left unfinished. */
function cleanFilesOf(path: string): string[] {
  const name = new RegExp(`^(.*)\\.(?:${rowKinds.join('|')})\\.csv$`).exec(path)?.[1];
  return name === undefined ? [path] : rowKinds.map((kind) => `${name}.${kind}.csv`);
}

/** Prepares `--resume` on this machine: from the journals of a stopped run, otherwise from the answers in the file. */
export async function openLocalResume(
  context: Context,
  options: ResumeOptions,
  output: string | null,
): Promise<Resume> {
  const { resume = null } = options;
  const target = await fileOf(output);
  const resumed = await fileOf(resume);
  const resumedJournals = await journalsOf(resumed);
  const targetJournals = target === resumed ? [] : await journalsOf(target);
  if (resume === null && output !== null && targetJournals.length > 0) {
    const other = await otherLevel(context, targetJournals);
    const command = context.commandWith('--resume', output, ...(other === null ? [] : ['--level', other]));
    context.note(`An earlier run was stopped before its end. To continue it instead: ${command}`);
  }
  if (resumedJournals.length > 0) await requireLevel(context, resumedJournals);
  // A run that resumed another file may have been stopped, too.
  const earlierJournals = resume === null ? [] : [...resumedJournals, ...targetJournals];
  // Without network, an answer takes no longer than reading it from a journal.
  const hasJournal = target !== null && context.settings().level !== 'syntax';
  const answered = resumedJournals.length > 0 ? {} : await answersInFile(context, options, target);
  const outputs = resume === null || answered.answered === undefined ? [] : await linesOfResults(resume);
  const journal = hasJournal
    ? {
        path: temporaryName(target, 'journal'),
        earlier: earlierJournals,
        outputs: { paths: outputs, isReusable: reusableIf(options) },
      }
    : null;
  return {
    options: { ...answered, ...(journal !== null && { journal }) },
    finish: async () => {
      for (const path of journal === null ? earlierJournals : [journal.path, ...earlierJournals])
        await rm(path, { force: true });
    },
  };
}

/** The files to resume that are NDJSON, which has the details of each answer. */
async function linesOfResults(path: string): Promise<string[]> {
  const files = await (await importEarlierResults()).findEarlierFiles(path);
  return files.filter((file) => firstByte(file) === '{');
}

function firstByte(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(1);
    return bytes.toString('latin1', 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

/** Throws if the answers of the stopped run are of another level: they would be dropped. */
async function requireLevel(context: Context, journals: readonly string[]): Promise<void> {
  const { level } = context.settings();
  const other = await otherLevel(context, journals);
  if (other === null) return;
  throw new Failure(
    'usage',
    `The run to resume was at level ${other}, so its answers do not count at level ${level}.`,
    {
      hint: `Add --level ${other}, or leave out --resume to start again.`,
    },
  );
}

/** The level of journals, if it is not that of this run. */
async function otherLevel(context: Context, journals: readonly string[]): Promise<string | null> {
  const { journalLevel } = await import('../../../service/local/journal.js');
  const { level } = context.settings();
  return journals.map(journalLevel).find((each) => each !== null && each !== level) ?? null;
}

async function answersInFile(
  context: Context,
  options: ResumeOptions,
  target: string | null,
): Promise<Pick<ServiceOptions, 'answered'>> {
  const { resume, onlyUnknown } = options;
  if (resume === undefined) return {};
  const file = await fileOf(resume);
  if (file !== null && file === target) {
    const found = await (await importEarlierResults()).findEarlierFiles(file);
    // The output of a complete run is replaced by a new run, unless its unknown addresses are checked again.
    const hasNothing = onlyUnknown ? found.length === 0 : found.every((each) => each === file);
    if (hasNothing) {
      noteNothingToResume(context, resume);
      return {};
    }
  }
  return earlierResults(context, options);
}

/** A note, not a Failure, so that --resume can be used in a crontab. */
function noteNothingToResume({ note }: Context, path: string): void {
  note(`There is no interrupted run of ${quotedName(path)} to resume; starting from the beginning.`);
}

async function* filterItems(
  answers: AsyncIterable<readonly BulkItem[]>,
  isWanted: (item: BulkItem) => boolean,
): AsyncGenerator<readonly BulkItem[]> {
  for await (const items of answers) yield items.filter(isWanted);
}

/** The regular file that a path resolves to; null for a device, a descriptor or null. */
async function fileOf(path: string | null): Promise<string | null> {
  const target = path === null ? null : await findTarget(path);
  return target?.kind === 'file' ? target.path : null;
}

async function journalsOf(file: string | null): Promise<string[]> {
  return file === null ? [] : orphanedFiles(file, 'journal');
}

function importEarlierResults(): Promise<typeof import('../../../service/earlier/earlier-results.js')> {
  return import('../../../service/earlier/earlier-results.js');
}
