import { timeSlicesFor } from '../../src/async/time-slicer.js';
import { askEach } from '../../src/lists/ask-each.js';
import type { Asker, Result } from '../../src/lists/pipeline.js';
import { itemOf, rowVerdictOf } from '../../src/model/job.js';

/** A back end for lists that answers each address by `vet`, and an exception as the bundled engine does. */
export function askerOf(vet: (email: string) => Result | Promise<Result>): Asker {
  const answerTo = async (email: string): Promise<Result> => {
    try {
      return await vet(email);
    } catch {
      const verdict = rowVerdictOf({ status: 'unknown', sub_status: 'exception_occurred', confidence: 0 });
      return itemOf(
        email,
        verdict ?? { status: '', sub_status: '', confidence: 0, safe_to_send: false, did_you_mean: null },
      );
    }
  };
  return {
    scope: 'smtp',
    isPaid: false,
    capacity: 500,
    greylistWaitMs: 0,
    ask: (questions, { caller, stop, maxOpen }) =>
      askEach(questions, {
        answer: async (question) => ({ question, result: await answerTo(question.email) }),
        maxOpen: maxOpen ?? (() => 500),
        signal: caller.signal,
        stop,
        maybeYield: timeSlicesFor(caller).maybeYield,
      }),
  };
}
