import type { RowVerdict } from '../model/job.js';

/** The columns that a verdict adds to the input's own. */
export const verdictColumns: readonly string[] = [
  'mailvet_status',
  'mailvet_sub_status',
  'mailvet_confidence',
  'mailvet_safe_to_send',
  'mailvet_did_you_mean',
];

/** What stands in those columns; nothing while there is no verdict. */
export function verdictCells(verdict: RowVerdict | null): string[] {
  if (verdict === null) return ['', '', '', '', ''];
  const { status, sub_status, confidence, safe_to_send, did_you_mean } = verdict;
  return [status, sub_status, String(confidence), String(safe_to_send), did_you_mean ?? ''];
}
