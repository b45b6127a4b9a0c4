import { bounceFields, bounceKinds } from '../../model/bounce.js';
import { Failure } from '../../model/failure.js';
import { rowStatuses } from '../../model/job.js';
import { nearestName } from '../../model/nearest-name.js';
import { recordChecks } from '../../model/record-checks/record-checks.js';

/** Reads a comma-separated list of statuses. */
export function parseStatuses(flag: string, text: string): ReadonlySet<string> {
  return parseWords(flag, text, rowStatuses, 'status');
}

/** Reads a comma-separated list of kinds of bounces. */
export function parseBounceKinds(flag: string, text: string): ReadonlySet<string> {
  return parseWords(flag, text, bounceKinds, 'kind of bounce');
}

function parseWords(flag: string, text: string, words: readonly string[], noun: string): ReadonlySet<string> {
  const isKnown = (word: string): boolean => words.includes(word);
  const found = parseList(text, isKnown, (unknown) => {
    const hint = `${suggestion(unknown, words)}Allowed, separated by commas: ${words.join(', ')}.`;
    return new Failure('usage', `${flag}: "${unknown}" is not a ${noun}.`, { hint });
  });
  return new Set(found);
}

/** The fields of a result, each with its inner fields. */
const resultFields: Record<string, readonly string[]> = {
  email: [],
  status: [],
  sub_status: [],
  confidence: [],
  safe_to_send: [],
  is_valid: [],
  details: [
    ...[
      'syntax_valid',
      'dns_valid',
      'smtp_valid',
      'smtp_code',
      'smtp_enhanced_code',
      'domain',
      'provider',
      'is_disposable',
      'is_role_based',
    ],
    ...['is_free', 'is_relay'],
    ...recordChecks.map(({ field }) => field),
  ],
  catchall: ['is_catchall', 'confidence'],
  ai_enhancement: ['used', 'method', 'estimate'],
  performance: ['response_time_ms'],
  metadata: [
    ...['timestamp', 'plan_tier', 'back_end', 'features_used'],
    ...['features_used.catchall_detection', 'features_used.ai_enhancement'],
  ],
  reasons: [],
  did_you_mean: [],
  canonical: [],
  retry_at: [],
  cached: [],
  duplicate: [],
  email_sha256: [],
};

/** The fields of a result, by their dotted names. */
export const fieldNames: readonly string[] = Object.entries(resultFields).flatMap(([name, inner]) => [
  name,
  ...inner.map((innerName) => `${name}.${innerName}`),
]);

/** Reads a comma-separated list of fields of a result. */
export function parseFields(text: string): readonly string[] {
  const isField = (name: string): boolean => fieldNames.includes(name) || /^evidence(\.|$)/.test(name);
  const list = `${Object.keys(resultFields).join(', ')}, and inner ones such as details.domain`;
  return parseList(text, isField, (name) => unknownField('a result', name, fieldNames, list));
}

/** The fields of a job's row. */
export const jobFields: readonly string[] = [
  ...['email', 'status', 'sub_status', 'is_valid', 'confidence', 'safe_to_send', 'did_you_mean', 'duplicate'],
  'email_sha256',
];

/** Reads a comma-separated list of fields of a job's row. */
export function parseJobFields(text: string): readonly string[] {
  const isField = (name: string): boolean => jobFields.includes(name);
  return parseList(text, isField, (name) => unknownField("a job's row", name, jobFields, jobFields.join(', ')));
}

/** The fields of a row of `diff`. */
export const changeFields: readonly string[] = ['change', 'email', 'before', 'after'];

/** Reads a comma-separated list of fields of a row of `diff`. */
export function parseChangeFields(text: string): readonly string[] {
  const isField = (name: string): boolean => changeFields.includes(name);
  return parseList(text, isField, (name) => unknownField('a change', name, changeFields, changeFields.join(', ')));
}

/** Reads a comma-separated list of fields of a bounce. */
export function parseBounceFields(text: string): readonly string[] {
  const isField = (name: string): boolean => bounceFields.some((field) => field === name);
  return parseList(text, isField, (name) => unknownField('a bounce', name, bounceFields, bounceFields.join(', ')));
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

function unknownField(owner: string, name: string, names: readonly string[], list: string): Failure {
  return new Failure('usage', `--fields: ${owner} has no field "${name}".`, {
    hint: `${suggestion(name, names)}Allowed: ${list}.`,
  });
}

function suggestion(word: string, words: readonly string[]): string {
  const nearest = nearestName(word, words);
  return nearest === null ? '' : `Did you mean ${nearest}? `;
}
