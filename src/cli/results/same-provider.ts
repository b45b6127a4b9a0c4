import { providerKeyOf } from '../../service/dedupe/mailbox-key.js';
import type { RowsWithResults } from './rows-with-results.js';

/** Marks addresses as duplicates that lead to the mailbox of an earlier one by the rules of its provider. */
export function createMarker(): (batch: RowsWithResults) => RowsWithResults {
  const seen = new Set<string>();
  return ({ rows, answers }) => ({
    rows,
    answers: answers.map((answer) => {
      if (answer.empty || answer.duplicate) return answer;
      const key = providerKeyOf(answer.result.email);
      if (seen.has(key)) return { ...answer, duplicate: true, charged: answer.charged ?? true };
      seen.add(key);
      return answer;
    }),
  });
}
