import { basename } from 'node:path';
import { Failure } from '../../model/failure.js';
import { type Format, formatByExtension, formatExtensions, formatNames } from '../render/rows/formats.js';
import type { RawFlags } from './flags.js';

/** Where results are written, in which format, and which of them. */
export interface OutputOptions {
  format: Format | null;
  /** Null for stdout. */
  path: string | null;
  only: ReadonlySet<string> | null;
  fields: readonly string[] | null;
}

/** The output of a job's results. */
export interface JobOutput {
  main: OutputOptions;
  /** True for `-o -`. */
  isStdoutGiven?: boolean;
}

/** What the rows of an output are; `--only` and `--fields` take its words. */
type RowSubject = 'result' | 'job' | 'bounce' | 'change';

/** Reads the output flags. `--format` wins over the extension of the file. */
export async function readOutputFlags(flags: RawFlags, subject: RowSubject = 'result'): Promise<OutputOptions> {
  const path = typeof flags['output'] === 'string' && flags['output'] !== '-' ? flags['output'] : null;
  if (path === '') throw new Failure('usage', '--output needs a file name.');
  const format = requestedFormat(flags) ?? (path === null ? null : formatOf(path));
  if (flags['only'] === undefined && flags['fields'] === undefined) return { format, path, only: null, fields: null };
  const lists = await import('./status-and-field-lists.js');
  const readOnly = subject === 'bounce' ? lists.parseBounceKinds : lists.parseStatuses;
  const readFields = {
    result: lists.parseFields,
    job: lists.parseJobFields,
    bounce: lists.parseBounceFields,
    change: lists.parseChangeFields,
  }[subject];
  return {
    format,
    path,
    only: typeof flags['only'] === 'string' ? readOnly('--only', flags['only']) : null,
    fields: typeof flags['fields'] === 'string' ? readFields(flags['fields']) : null,
  };
}

/** Reads the output flags of a command that writes the results of a job. */
export async function readJobOutput(flags: RawFlags): Promise<JobOutput> {
  const main = await readOutputFlags(flags, 'job');
  return { main, isStdoutGiven: flags['output'] === '-' };
}

/** Whether `-o` asks for the rows of a job rather than its state. */
export function isOutputGiven({ main, isStdoutGiven = false }: JobOutput): boolean {
  return main.path !== null || isStdoutGiven;
}

/** The flags of what a command prints. */
export type FormatFlags = { format?: Format; json?: boolean };

/** The format of `--format` or `--json`; null if neither is given. */
export function requestedFormat({
  format = null,
  json = false,
}: {
  format?: Format | null;
  json?: boolean;
}): Format | null {
  if (!json) return format;
  if (format === null || format === 'json') return 'json';
  throw new Failure('usage', `--json and --format ${format} contradict each other.`, { hint: 'Give one of the two.' });
}

/** The format of a file by its extension; null for a name without one. */
function formatOf(path: string): Format | null {
  const [, extension] = /[^.]\.([^.]+?)(?:\.gz)?$/i.exec(basename(path)) ?? [];
  if (extension === undefined) return null;
  const format = formatByExtension(extension);
  if (format !== null) return format;
  throw new Failure('usage', `mailvet cannot write .${extension} files.`, {
    hint: `Use ${formatExtensions.join(' ')}, or choose with --format ${formatNames.join('|')}.`,
  });
}
