import { basename } from 'node:path';
import { Failure } from '../../model/failure.js';
import { type Format, formatByExtension, formatExtensions, formatNames } from '../render/rows/formats.js';
import type { RawFlags } from './flags.js';
import type { RowSubject } from './status-and-field-lists.js';

/** Where results are written, in which format, and which of them. */
export interface OutputOptions {
  format: Format | null;
  /** Null for stdout. */
  path: string | null;
  only: ReadonlySet<string> | null;
  fields: readonly string[] | null;
  /** True if `-o` was given, with a file or with `-`. */
  isGiven?: boolean;
}

/** Reads the output flags. `--format` wins over the extension of the file. */
export async function readOutputFlags(flags: RawFlags, subject: RowSubject = 'result'): Promise<OutputOptions> {
  const path = typeof flags['output'] === 'string' && flags['output'] !== '-' ? flags['output'] : null;
  if (path === '') throw new Failure('usage', '--output needs a file name.');
  const format = requestedFormat(flags) ?? (path === null ? null : formatOf(path));
  const { only, fields, output } = flags;
  const where = { format, path, isGiven: output !== undefined };
  if (only === undefined && fields === undefined) return { ...where, only: null, fields: null };
  const { parseFields, parseOnly } = await import('./status-and-field-lists.js');
  return {
    ...where,
    only: typeof only === 'string' ? parseOnly('--only', only, subject) : null,
    fields: typeof fields === 'string' ? parseFields(fields, subject) : null,
  };
}

/** The flags of what a command prints. */
export type FormatFlags = { format?: Format | null; json?: boolean };

/** The format of `--format` or `--json`; null if neither is given. */
export function requestedFormat({ format = null, json = false }: FormatFlags): Format | null {
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
