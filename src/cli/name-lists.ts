import { Failure } from '../model/failure.js';
import { statuses } from '../model/verdict.js';

/** Reads a comma-separated list of statuses. */
export function parseStatuses(flag: string, text: string): ReadonlySet<string> {
  const words = splitList(text);
  const stranger = words.find((word) => !statuses.some((status) => status === word));
  if (words.length > 0 && stranger === undefined) return new Set(words);
  throw new Failure('usage', `${flag}: "${stranger ?? text}" is no status.`, {
    hint: `Allowed, separated by commas: ${statuses.join(', ')}.`,
  });
}

const knownFields = [
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
  'details.has_spf',
  'details.has_dmarc',
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
  const stranger = names.find((name) => !knownFields.includes(name) && !/^evidence(\.|$)/.test(name));
  if (names.length > 0 && stranger === undefined) return names;
  throw new Failure('usage', `--fields: a result has no field "${stranger ?? text}".`, {
    hint: `Known: ${knownFields.filter((name) => !name.includes('.')).join(', ')}, and inner ones such as details.domain.`,
  });
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
