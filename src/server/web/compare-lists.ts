import type { JobResults } from '../../model/job.js';
import type { BulkItem } from '../../model/result.js';
import { explainSubStatus } from '../../model/text/sentences.js';
import { createJobAnswers } from '../../service/job-stats.js';
import { compareOutputs, emptyComparison } from '../../service/outputs/compare.js';
import type { Changes } from '../../wire/app.js';

const maxRows = 200;

/** What changed between two checks of a list, each mailbox once. */
export async function compareLists(earlier: OpenResults, now: OpenResults): Promise<Omit<Changes, 'earlier_at'>> {
  const found = emptyComparison();
  const rows: Changes['rows'] = [];
  const changed = compareOutputs(
    () => answersIn(earlier),
    () => answersIn(now),
    found,
    { withGone: false },
  );
  for await (const changes of changed) {
    for (const { email, before, after, result } of changes) {
      if (before === null || after === null || before === after || rows.length >= maxRows) continue;
      const { means: why } = explainSubStatus((result as { sub_status?: string }).sub_status ?? '', after);
      rows.push({ email, before, now: after, why });
    }
  }
  return { ...found.counts, moves: found.moves, rows };
}

type OpenResults = () => Promise<JobResults>;

/** Answered rows with an address. */
async function* answersIn(open: OpenResults): AsyncGenerator<BulkItem[]> {
  const answerTo = createJobAnswers({ findDuplicates: false });
  const { rows, close } = await open();
  try {
    for await (const chunk of rows)
      yield chunk.map(answerTo).flatMap(({ result, empty, unanswered }) => (empty || unanswered ? [] : [result]));
  } finally {
    await close?.();
  }
}
