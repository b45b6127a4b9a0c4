import { recordChecks } from '../record-checks/record-checks.js';
import type { ValidationResult } from '../result.js';

/** The answer of each record check in a result; null if there was none. */
export function recordAnswers(result: ValidationResult): { label: string; answer: 'yes' | 'no' | null }[] {
  const { details, reasons, sub_status: subStatus } = result;
  return recordChecks.map(({ field, label, noAnswer }) => {
    const isAnswered = !reasons.includes(noAnswer.reason) && (details[field] || subStatus !== 'dns_error');
    return { label, answer: isAnswered ? (details[field] ? 'yes' : 'no') : null };
  });
}
