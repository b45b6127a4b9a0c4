import { Failure } from '../../model/failure.js';
import type { JobResultRow, JobResults } from '../../model/job.js';
import { kindOfRow } from '../../model/row-kind.js';
import type { ResultPart } from '../../wire/app-jobs.js';

const words = ['valid', 'invalid', 'risky', 'unknown', 'empty'];

/** The part of the results a row belongs to, as `--clean` sorts rows. */
export function partOf({ verdict }: Pick<JobResultRow, 'verdict'>): ResultPart {
  return kindOfRow(verdict === null ? [] : [verdict.status]);
}

/** A predicate by status, part, and a text in one of the cells. */
export function rowFilter({ only, part, search = '' }: { only?: string; part?: ResultPart; search?: string }) {
  const statuses = only === undefined || only === '' ? null : statusesIn(only);
  const text = search.trim().toLowerCase();
  return (row: JobResultRow): boolean => {
    const { cells, verdict } = row;
    if (part !== undefined && partOf(row) !== part) return false;
    if (statuses !== null && (verdict === null || !statuses.includes(verdict.status))) return false;
    return text === '' || cells.some((cell) => cell.toLowerCase().includes(text));
  };
}

function statusesIn(only: string): string[] {
  const given = only.split(',').map((word) => word.trim());
  if (given.every((word) => words.includes(word))) return given;
  throw new Failure('bad_input', 'The parameter only must name statuses.', {
    hint: `Use one or several of ${words.join(', ')}, with commas.`,
  });
}

export async function* keepRows(
  rows: JobResults['rows'],
  isWanted: (row: JobResultRow) => boolean,
): JobResults['rows'] {
  for await (const some of rows) yield some.filter(isWanted);
}
