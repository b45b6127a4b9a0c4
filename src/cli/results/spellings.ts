import { createHashSet } from '../../lists/hash-set.js';
import { keyOfAddress } from '../../lists/mailbox-key.js';
import type { BulkAnswer } from '../../model/result.js';

/**
 * Marks answers, in the order of the list. A mail host may tell spellings of one mailbox apart (RFC 5321 §2.4), so another
 * spelling with a verdict that the mailbox has not had counts as well.
 */
export function createSpellingMarks(): (answer: BulkAnswer) => BulkAnswer {
  const verdicts = createHashSet();
  return (answer) => {
    const { result, duplicate, empty, unanswered, suppressed } = answer;
    if (empty || unanswered || suppressed) return answer;
    const isNew = verdicts.add(`${keyOfAddress(result.email)}\n${result.status}`);
    if (!duplicate || !isNew || verdicts.full) return answer;
    return { ...answer, duplicate: false, respelled: true };
  };
}
