import { Failure } from '../../model/failure.js';
import { emptyVerdict } from '../../model/job.js';
import { nearestName } from '../../model/nearest-name.js';
import { recordChecks } from '../../model/record-checks/record-checks.js';
import { statuses } from '../../model/verdict.js';

/** The statuses of rows; a row without an address is `empty`. */
const rowStatuses: readonly string[] = [...statuses, emptyVerdict.status];

/** Reads a comma-separated list of statuses. */
export function parseStatuses(flag: string, text: string): ReadonlySet<string> {
  const words = splitList(text);
  const unknown = words.find((word) => !rowStatuses.includes(word));
  if (words.length > 0 && unknown === undefined) return new Set(words);
  throw new Failure('usage', `${flag}: "${unknown ?? text}" is not a status.`, {
    hint: `Allowed, separated by commas: ${rowStatuses.join(', ')}.`,
  });
}

/** The fields of a result, by their dotted names. */
export const fieldNames: readonly string[] = [
  'email',
  'status',
  'sub_status',
  'confidence',
  'safe_to_send',
  'is_valid',
  'details',
  'details.syntax_valid',
  'details.dns_valid',
  'details.smtp_valid',
  'details.smtp_code',
  'details.domain',
  'details.provider',
  'details.is_disposable',
  'details.is_role_based',
  ...recordChecks.map(({ field }) => `details.${field}`),
  'catchall',
  'catchall.is_catchall',
  'catchall.confidence',
  'ai_enhancement',
  'ai_enhancement.used',
  'ai_enhancement.method',
  'performance',
  'performance.response_time_ms',
  'metadata',
  'metadata.timestamp',
  'metadata.plan_tier',
  'metadata.features_used',
  'metadata.features_used.catchall_detection',
  'metadata.features_used.ai_enhancement',
  'reasons',
  'did_you_mean',
  'retry_at',
  'duplicate',
];

/** Reads a comma-separated list of fields of a result. */
export function parseFields(text: string): readonly string[] {
  const names = splitList(text);
  const unknown = names.find((name) => !fieldNames.includes(name) && !/^evidence(\.|$)/.test(name));
  if (names.length > 0 && unknown === undefined) return names;
  const outer = fieldNames.filter((name) => !name.includes('.'));
  throw unknownField(
    'a result',
    unknown ?? text,
    fieldNames,
    `${outer.join(', ')}, and inner ones such as details.domain`,
  );
}

/** The fields that a job stores for each row. */
const jobFields = ['email', 'status', 'sub_status', 'confidence', 'safe_to_send', 'did_you_mean'];

/** Reads a comma-separated list of fields of a job's row. */
export function parseJobFields(text: string): readonly string[] {
  const names = splitList(text);
  const unknown = names.find((name) => !jobFields.includes(name));
  if (names.length > 0 && unknown === undefined) return names;
  throw unknownField("a job's row", unknown ?? text, jobFields, jobFields.join(', '));
}

function unknownField(owner: string, name: string, known: readonly string[], list: string): Failure {
  const near = nearestName(name, known);
  return new Failure('usage', `--fields: ${owner} has no field "${name}".`, {
    hint: `${near === null ? '' : `Did you mean ${near}? `}Known: ${list}.`,
  });
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
