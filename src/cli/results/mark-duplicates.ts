import { createHashSet } from '../../service/dedupe/hash-set.js';
import { keyOfAddress, providerKeyOf } from '../../service/dedupe/mailbox-key.js';
import type { RowsWithResults } from './rows-with-results.js';

/**
 * Marks addresses as duplicates that lead to the mailbox of an earlier one, once they are corrected or by the rules of
 * their provider.
 */
export function createMarker({ byProvider }: { byProvider: boolean }): (batch: RowsWithResults) => RowsWithResults {
  const keyOf = byProvider ? providerKeyOf : keyOfAddress;
  const seen = createHashSet();
  return ({ rows, answers }) => ({
    rows,
    answers: answers.map((answer) => {
      if (answer.empty || answer.duplicate || seen.add(keyOf(answer.result.email))) return answer;
      return { ...answer, duplicate: true, charged: answer.charged ?? true };
    }),
  });
}
