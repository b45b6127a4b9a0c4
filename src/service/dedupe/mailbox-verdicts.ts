import type { MailboxVerdicts } from '../../jobs/results/job-results.js';
import { openAnswerMemory } from './answer-memory.js';

export function openMailboxes(): MailboxVerdicts {
  const { entryOf, meet, remember, recall } = openAnswerMemory();
  return {
    entryOf,
    meet,
    remember: (entry, verdict) => remember(entry, { email: '', is_valid: verdict.status === 'valid', ...verdict }),
    recall: (entry) => {
      const item = recall(entry, '');
      if (item === null) return null;
      const { status, confidence, sub_status = '', safe_to_send = false, did_you_mean = null } = item;
      return { status, sub_status, confidence, safe_to_send, did_you_mean };
    },
  };
}
