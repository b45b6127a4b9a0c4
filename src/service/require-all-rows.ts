import { amount, count } from '../model/amount.js';
import { Failure } from '../model/failure.js';
import type { Job, JobResults } from '../model/job.js';

/**
 * The same rows, and a Failure at their end if some are missing: a response that ends with its connection (RFC 9112
 * §6.3) looks complete when cut between two lines.
 */
export function requireAllRows(results: JobResults, { id, processed = 0 }: Job): JobResults {
  async function* rows(): JobResults['rows'] {
    let came = 0;
    for await (const some of results.rows) {
      came += some.length;
      yield some;
    }
    if (came >= processed) return;
    throw new Failure('network', `The service handed out ${count(came)} of ${amount(processed, 'row')} of the job.`, {
      hint: `Ask for them again with: mailvet jobs results ${id}`,
    });
  }
  return { ...results, rows: rows() };
}
