import { recordChecks } from '../../model/record-checks/record-checks.js';

const detailNames = [
  ...['syntax_valid', 'dns_valid', 'smtp_valid', 'smtp_code', 'smtp_enhanced_code', 'domain', 'provider'],
  ...['is_disposable', 'is_role_based', 'is_free', 'is_relay', ...recordChecks.map(({ field }) => field)],
];

/** The fields of a result, inner ones by their dotted names. */
export const fieldNames: readonly string[] = [
  ...['email', 'status', 'sub_status', 'confidence', 'safe_to_send', 'is_valid'],
  ...['details', ...detailNames.map((name) => `details.${name}`)],
  ...['catchall', 'catchall.is_catchall', 'catchall.confidence'],
  ...['ai_enhancement', 'ai_enhancement.used', 'ai_enhancement.method', 'ai_enhancement.estimate'],
  ...['performance', 'performance.response_time_ms'],
  ...['metadata', 'metadata.timestamp', 'metadata.plan_tier', 'metadata.back_end', 'metadata.features_used'],
  ...['metadata.features_used.catchall_detection', 'metadata.features_used.ai_enhancement'],
  ...['reasons', 'did_you_mean', 'canonical', 'retry_at', 'cached', 'duplicate', 'email_sha256'],
];

/** The fields of a job's row. */
export const jobFields: readonly string[] = [
  ...['email', 'status', 'sub_status', 'is_valid', 'confidence', 'safe_to_send', 'did_you_mean', 'duplicate'],
  'email_sha256',
];

/** The fields of a row of `diff`. */
export const changeFields: readonly string[] = ['change', 'email', 'before', 'after'];
