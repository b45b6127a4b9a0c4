import { suppressedVerdict } from '../model/job.js';
import type { BulkAnswer } from '../model/result.js';
import type { RunStats } from '../wire/app.js';

type BadRows = RunStats['bad'];

interface BadRowCollector {
  add(answers: readonly BulkAnswer[]): void;
  badRows(): BadRows;
}

const maxRows = 5_000;
/** Bounds the report, since an address may be as long as a cell. */
const maxCharacters = 400_000;

/** Collects the first 5,000 rows that are not valid, each mailbox once. */
export function createBadRowCollector(): BadRowCollector {
  const rows: BadRows['rows'] = [];
  let total = 0;
  let characters = 0;
  return {
    add: (answers) => {
      for (const { result, duplicate, empty, unanswered, suppressed } of answers) {
        if (result.status === 'valid' || duplicate || empty || unanswered || suppressed) continue;
        if (result.status === suppressedVerdict.status) continue;
        total++;
        if (rows.length >= maxRows || characters + result.email.length > maxCharacters) continue;
        characters += result.email.length;
        const { sub_status: subStatus = '', did_you_mean: suggestion = null } = result as {
          sub_status?: string;
          did_you_mean?: string | null;
        };
        rows.push({ email: result.email, status: result.status, subStatus, suggestion });
      }
    },
    badRows: () => ({ rows, total }),
  };
}
