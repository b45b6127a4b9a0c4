import { Failure } from '../model/failure.js';

export const formats = ['table', 'json', 'ndjson', 'csv', 'plain'] as const;

/** How results are written; a card is the table of a single address. */
export type Format = (typeof formats)[number];

/** What the output flags ask for. */
export interface OutputWishes {
  format: Format | null;
  /** A file to write, or null for stdout. */
  path: string | null;
  only: ReadonlySet<string> | null;
  fields: readonly string[] | null;
}

/** Reads the output flags; `--format` wins over `--json`, which wins over the file's ending. */
export async function readOutputFlags(flags: Record<string, unknown>): Promise<OutputWishes> {
  const path = typeof flags['output'] === 'string' && flags['output'] !== '-' ? flags['output'] : null;
  const format = (flags['format'] as Format | undefined) ?? (flags['json'] === true ? 'json' : formatOf(path));
  if (path === '') throw new Failure('usage', '--output needs the name of a file.');
  if (flags['only'] === undefined && flags['fields'] === undefined) return { format, path, only: null, fields: null };
  const { parseFields, parseStatuses } = await import('./name-lists.js');
  return {
    format,
    path,
    only: typeof flags['only'] === 'string' ? parseStatuses('--only', flags['only']) : null,
    fields: typeof flags['fields'] === 'string' ? parseFields(flags['fields']) : null,
  };
}

function formatOf(path: string | null): Format | null {
  const ending = path === null ? '' : (/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '');
  const byEnding: Record<string, Format> = {
    csv: 'csv',
    json: 'json',
    ndjson: 'ndjson',
    jsonl: 'ndjson',
    txt: 'plain',
  };
  return byEnding[ending] ?? null;
}
