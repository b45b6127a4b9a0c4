import { existsSync, fstatSync, readlinkSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { Failure } from '../../../model/failure.js';
import type { JournalFiles } from '../../../model/service.js';
import type { Context } from '../../context.js';
import { type Format, formatKind } from '../../render/rows/formats.js';
import type { OutputFile } from '../../results/output-files.js';
import { ClosedPipe } from '../../terminal/terminal.js';
import type { BulkOptions } from './bulk-options.js';

/** What a stopped run leaves behind. */
interface Leftovers {
  files: readonly OutputFile[];
  journal: JournalFiles | undefined;
  /** The first file was empty at the start, so it has the answers of this run only. */
  startedEmpty: boolean;
}

/** Whether a file that a shell opened has nothing in it. */
export function isEmptyFile(descriptor: number | undefined): boolean {
  try {
    return descriptor !== undefined && fstatSync(descriptor).size === 0;
  } catch {
    return false;
  }
}

/** An interruption or a full disk, with the command that continues the run. After a failure of a remote service, a note has it. */
export function withContinuation(
  context: Context,
  options: BulkOptions,
  leftovers: Leftovers,
  thrown: unknown,
): unknown {
  if (thrown instanceof ClosedPipe) return thrown;
  if (context.signal.aborted) {
    return new Failure('interrupted', 'Interrupted.', {
      hint: continuationHint(context, options, leftovers),
      cause: thrown,
    });
  }
  const hasFile = leftovers.files.some(({ output }) => output.path !== null);
  if (!hasFile || !hasAnswers(leftovers)) return thrown;
  if (context.settings().mode === 'remote') context.note(continuationHint(context, options, leftovers));
  else if (thrown instanceof Failure && thrown.message.includes('the disk is full')) {
    const hint = `Free some space. ${continuationHint(context, options, leftovers)}`;
    return new Failure(thrown.code, thrown.message, { hint, cause: thrown });
  }
  return thrown;
}

/** Whether a run left answers that can be resumed from. An empty journal is removed. */
function hasAnswers({ files, journal }: Leftovers): boolean {
  if (files.some(({ output, rowCount }) => output.path !== null && rowCount > 0)) return true;
  return journal !== undefined && [journal.path, ...journal.earlier].some((path) => existsSync(path));
}

function continuationHint(context: Context, options: BulkOptions, leftovers: Leftovers): string {
  const [main] = leftovers.files;
  const path = main?.output.path ?? null;
  const again = options.paths.length === 0 ? 'Pipe the list in again, and continue with:' : 'Continue with:';
  if (main !== undefined && path === null) {
    const saved = leftovers.startedEmpty ? redirectedFile(main.output.sink.descriptor) : null;
    return stdoutHint(context, options, main, saved, again);
  }
  if (path === null || !hasAnswers(leftovers)) return 'Nothing was answered yet, so run the command again.';
  return `${again} ${context.commandWith(...(options.resume === undefined ? ['--resume', path] : []))}`;
}

/** A run to stdout has no journal, so another run can only reuse the rows that a redirection saved. */
function stdoutHint(
  context: Context,
  options: BulkOptions,
  { output, rowCount }: OutputFile,
  saved: string | null,
  again: string,
): string {
  const newFile = ['-o', unusedName(output.format, options.output.format === null)];
  const kind = formatKind(output.format);
  const hasSaved = saved !== null && rowCount > 0 && options.resume === undefined;
  if (hasSaved && options.output.fields === null && (kind === 'json' || kind === 'cells')) {
    // Addresses that wait are in the output as unknown. A service answers all, and charges for each.
    const unknown = context.settings().mode === 'remote' ? [] : ['--only-unknown'];
    return `${again} ${context.commandWith('--resume', saved, ...unknown, ...newFile)}`;
  }
  const kept = rowCount > 0 ? 'What was answered is in the standard output.' : 'Nothing was kept.';
  return `${kept} Such a run cannot be continued; this one can: ${context.commandWith(...newFile)}`;
}

function unusedName(format: Format, isDefault: boolean): string {
  const extensions: Partial<Record<Format, string>> = { table: isDefault ? '.csv' : '', plain: '.txt' };
  const extension = extensions[format] ?? `.${format}`;
  let name = `vetted${extension}`;
  for (let number = 2; existsSync(name); number++) name = `vetted-${number}${extension}`;
  return name;
}

/** The file that a shell redirected a descriptor to; null for anything else, and where the system does not tell. */
function redirectedFile(descriptor: number | undefined): string | null {
  try {
    const path = readlinkSync(`/proc/self/fd/${descriptor}`);
    if (!statSync(path).isFile()) return null;
    const local = relative('', path);
    return local.startsWith('..') ? path : local;
  } catch {
    return null;
  }
}
