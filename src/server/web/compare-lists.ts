import type { JobResults } from '../../model/job.js';
import type { BulkItem } from '../../model/result.js';
import { explainSubStatus } from '../../model/text/sentences.js';
import { keyOfAddress } from '../../service/dedupe/mailbox-key.js';
import { collectVerdicts } from '../../service/dedupe/run-verdicts.js';
import { createJobAnswers } from '../../service/job-stats.js';
import type { Changes } from '../../wire/app.js';

const maxRows = 200;

/** What changed between two checks of a list, each mailbox once. */
export async function compareLists(earlier: JobResults, now: JobResults): Promise<Omit<Changes, 'earlier_at'>> {
  const memory = await collectVerdicts(answersIn(earlier));
  const counts = { new: 0, same: 0, changed: 0, gone: 0 };
  const moves: Changes['moves'] = {};
  const rows: Changes['rows'] = [];
  for await (const items of answersIn(now)) {
    for (const item of items) {
      const { email, status } = item;
      const entry = memory.entryOf(keyOfAddress(email.trim()));
      const before = memory.recall(entry, email);
      if (!memory.markSeen(entry)) continue;
      const kind = before === null ? 'new' : before.status === status ? 'same' : 'changed';
      counts[kind]++;
      if (before === null || kind !== 'changed') continue;
      const move = `${before.status}→${status}`;
      moves[move] = (moves[move] ?? 0) + 1;
      const { means: why } = explainSubStatus((item as { sub_status?: string }).sub_status ?? '', status);
      if (rows.length < maxRows) rows.push({ email, before: before.status, now: status, why });
    }
  }
  return { ...counts, moves, rows };
}

/** Answered rows with an address. */
async function* answersIn({ rows }: JobResults): AsyncGenerator<BulkItem[]> {
  const answerTo = createJobAnswers({ findDuplicates: false });
  for await (const chunk of rows) {
    yield chunk.map(answerTo).flatMap(({ result, empty, unanswered }) => (empty || unanswered ? [] : [result]));
  }
}
