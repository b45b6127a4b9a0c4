import { basename, resolve } from 'node:path';
import { Failure } from '../../model/failure.js';
import { type Format, formatByExtension, formatExtensions, formatNames } from '../render/rows/formats.js';
import type { ReviewOptions } from './review-flags.js';

/** What the output flags ask for. */
export interface OutputOptions {
  format: Format | null;
  /** A file to write, or null for stdout. */
  path: string | null;
  /** The path is that of the list, which is kept as `NAME.bak`. */
  inPlace?: true;
  only: ReadonlySet<string> | null;
  fields: readonly string[] | null;
}

/** Where the results of a job go. */
export interface JobOutput {
  main: OutputOptions;
  /** A file for the rows that `--only` leaves out. */
  rejects: OutputOptions | null;
}

/** Reads the output flags; a format that is given wins over the file's ending. */
export async function readOutputFlags(flags: Record<string, unknown>, ofJob = false): Promise<OutputOptions> {
  const path = typeof flags['output'] === 'string' && flags['output'] !== '-' ? flags['output'] : null;
  if (path === '') throw new Failure('usage', '--output needs the name of a file.');
  const format = givenFormat(flags) ?? (path === null ? null : formatOf(path));
  if (flags['only'] === undefined && flags['fields'] === undefined) return { format, path, only: null, fields: null };
  const { parseFields, parseJobFields, parseStatuses } = await import('./status-and-field-lists.js');
  const readFields = ofJob ? parseJobFields : parseFields;
  return {
    format,
    path,
    only: typeof flags['only'] === 'string' ? parseStatuses('--only', flags['only']) : null,
    fields: typeof flags['fields'] === 'string' ? readFields(flags['fields']) : null,
  };
}

/** Reads the output flags of a command that reads a list, which may be written back in its place. `list` is null for stdin. */
export async function readListOutput(flags: Record<string, unknown>, list: string | null): Promise<OutputOptions> {
  if (flags['inPlace'] !== true) return readOutputFlags(flags);
  return { ...(await readOutputFlags(inPlaceFlags(flags, list))), inPlace: true };
}

function inPlaceFlags(flags: Record<string, unknown>, list: string | null): Record<string, unknown> {
  if (flags['output'] !== undefined) {
    throw new Failure('usage', '--in-place and --output contradict each other.', { hint: 'Give one of the two.' });
  }
  if (list === null || list.startsWith('/dev/') || list.startsWith('/proc/')) {
    throw new Failure('usage', '--in-place needs the name of a file.', { hint: 'Standard input has no place.' });
  }
  if (list.toLowerCase().endsWith('.gz')) {
    throw new Failure('usage', `${list} is packed with gzip, and mailvet writes plain files.`, {
      hint: `Unpack it first, e.g. gunzip ${list}`,
    });
  }
  return { ...flags, output: list };
}

/** Reads the output flags of a command that writes the rows of a job; the rejects go by their own ending. */
export async function readJobOutput(flags: Record<string, unknown>, list: string | null = null): Promise<JobOutput> {
  const inPlace = flags['inPlace'] === true;
  const found = await readOutputFlags(inPlace ? inPlaceFlags(flags, list) : flags, true);
  const main: OutputOptions = inPlace ? { ...found, inPlace } : found;
  const { rejects: path } = flags;
  if (typeof path !== 'string') return { main, rejects: null };
  if (path === '' || path === '-') throw new Failure('usage', '--rejects needs the name of a file.');
  if (main.path !== null && resolve(main.path) === resolve(path)) {
    throw new Failure('usage', '--output and --rejects name the same file.', { hint: 'Give each a file of its own.' });
  }
  return { main, rejects: await readOutputFlags({ ...flags, output: path }, true) };
}

/** The flag that asks for rows rather than for what became of the job; null where none does. */
export function flagForRows({ main, rejects }: JobOutput, review: ReviewOptions, raw: boolean): string | null {
  const asked: readonly [flag: string, isGiven: boolean][] = [
    ['--output', main.path !== null],
    ['--rejects', rejects !== null],
    ['--since', review.since !== undefined],
    ['--only', main.only !== null],
    ['--fields', main.fields !== null],
    ['--clean', review.clean],
    ['--dedupe', review.dedupe],
    ['--fix', review.fix],
    ['--raw', raw],
  ];
  return asked.find(([, isGiven]) => isGiven)?.[0] ?? null;
}

/** The format that `--format` or `--json` asks for; two that differ are a Failure. */
export function givenFormat(flags: Record<string, unknown>): Format | null {
  const format = (flags['format'] as Format | undefined) ?? null;
  if (flags['json'] !== true) return format;
  if (format === null || format === 'json') return 'json';
  throw new Failure('usage', `--json and --format ${format} contradict each other.`, { hint: 'Give one of the two.' });
}

/** The format of a file by its extension; null for a name without one, which gets what a pipe gets. */
function formatOf(path: string): Format | null {
  const [, extension] = /[^.]\.([^.]+)$/.exec(basename(path)) ?? [];
  if (extension === undefined) return null;
  const format = formatByExtension(extension);
  if (format !== null) return format;
  throw new Failure('usage', `mailvet cannot write .${extension} files.`, {
    hint: `Use ${formatExtensions.join(' ')}, or choose with --format ${formatNames.join('|')}.`,
  });
}
