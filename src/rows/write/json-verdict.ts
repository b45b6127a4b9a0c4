import type { BulkAnswer } from '../../model/result.js';
import { verdictColumns } from '../table/verdict-columns.js';

/** A field of an earlier run, which has no nested values. */
const names = [...verdictColumns, 'mailvet_duplicate'].join('|');
const verdictField = new RegExp(
  `(?:,\\s*|(?<=\\{\\s*))"(?:${names})"\\s*:\\s*(?:"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|[^",{}\\[\\]]+)`,
  'g',
);

/** The text of a JSON object on one line, with the verdict in fields that are named like our columns. */
export function withVerdict(json: string, answer: BulkAnswer): string {
  const added = JSON.stringify(verdictFields(answer)).slice(1);
  const kept = json.includes('"mailvet_') ? json.replace(verdictField, '').replace(/^(\s*\{)\s*,/, '$1') : json;
  const withoutVerdict = kept.slice(0, kept.lastIndexOf('}')).trimEnd();
  return withoutVerdict.endsWith('{') ? `${withoutVerdict}${added}` : `${withoutVerdict},${added}`;
}

function verdictFields({
  result,
  duplicate,
  empty,
  unanswered,
  suppressed,
  added,
}: BulkAnswer): Record<string, unknown> {
  const { status, confidence } = result;
  if (empty || unanswered || suppressed) return { mailvet_status: status, ...added };
  return {
    mailvet_status: status,
    ...('sub_status' in result && { mailvet_sub_status: result.sub_status }),
    mailvet_confidence: confidence,
    ...('safe_to_send' in result && { mailvet_safe_to_send: result.safe_to_send }),
    ...('did_you_mean' in result && { mailvet_did_you_mean: result.did_you_mean }),
    ...(duplicate && { mailvet_duplicate: true }),
    ...added,
  };
}
