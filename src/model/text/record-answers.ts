import { recordChecks } from '../record-checks/record-checks.js';
import type { ValidationResult } from '../result.js';

/** The answer of each record check in a result; null if there was none. */
export function recordAnswers(result: ValidationResult): { label: string; answer: 'yes' | 'no' | null }[] {
  const { details, reasons, sub_status: subStatus } = result;
  return recordChecks.flatMap(({ field, label, noAnswer }) => {
    const value = details[field];
    if (value === undefined) return [];
    const unanswered =
      (noAnswer !== null && reasons.includes(noAnswer.reason)) || (!value && subStatus === 'dns_error');
    return [{ label, answer: unanswered ? null : value ? 'yes' : 'no' }];
  });
}
