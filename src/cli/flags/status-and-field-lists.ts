import { bounceFields, bounceKinds } from '../../model/bounce.js';
import { Failure } from '../../model/failure.js';
import { rowStatuses } from '../../model/job.js';
import { nearestName } from '../../model/nearest-name.js';
import { changeFields, fieldNames, jobFields } from './field-names.js';

/** What the rows of an output are; `--only` and `--fields` take its words. */
export type RowSubject = 'result' | 'job' | 'bounce' | 'change';

/** The words for rows, and their fields. */
const subjects: Record<RowSubject, { name: string; fields: readonly string[] }> = {
  result: { name: 'a result', fields: fieldNames },
  job: { name: "a job's row", fields: jobFields },
  bounce: { name: 'a bounce', fields: bounceFields },
  change: { name: 'a change', fields: changeFields },
};

/** Reads a comma-separated list of fields of a row. */
export function parseFields(text: string, subject: RowSubject): readonly string[] {
  const { name, fields } = subjects[subject];
  const isField = (field: string): boolean =>
    fields.includes(field) || (subject === 'result' && /^evidence(\.|$)/.test(field));
  return parseList(text, isField, (field) => {
    const outer = fieldNames.filter((name) => !name.includes('.')).join(', ');
    const names = subject === 'result' ? `${outer}, and inner ones such as details.domain` : fields.join(', ');
    return new Failure('usage', `--fields: ${name} has no field "${field}".`, {
      hint: `${suggestion(field, fields)}Allowed: ${names}.`,
    });
  });
}

/** Reads a comma-separated list of statuses, or of kinds of bounces. */
export function parseOnly(flag: string, text: string, subject: RowSubject = 'result'): ReadonlySet<string> {
  const [words, noun] = subject === 'bounce' ? [bounceKinds, 'kind of bounce'] : [rowStatuses, 'status'];
  const isKnown = (word: string): boolean => words.some((each) => each === word);
  const found = parseList(text, isKnown, (unknown) => {
    const hint = `${suggestion(unknown, words)}Allowed, separated by commas: ${words.join(', ')}.`;
    return new Failure('usage', `${flag}: "${unknown}" is not a ${noun}.`, { hint });
  });
  return new Set(found);
}

function parseList(
  text: string,
  isKnown: (word: string) => boolean,
  failureOf: (unknown: string) => Failure,
): readonly string[] {
  const words = text.split(',').flatMap((word) => word.trim() || []);
  const unknown = words.find((word) => !isKnown(word));
  if (words.length > 0 && unknown === undefined) return words;
  throw failureOf(unknown ?? text);
}

function suggestion(word: string, words: readonly string[]): string {
  const nearest = nearestName(word, words);
  return nearest === null ? '' : `Did you mean ${nearest}? `;
}
