import { abortable } from '../../async/abortable.js';
import type { Caller, Priority } from '../../async/caller.js';
import { asFailure, Failure } from '../../model/failure.js';
import type { ProbeAnswer, ProbeRequest, Prober } from '../../net/probe/prober.js';
import type { Consumer, SharedQueue } from './queue.js';

/** A mailbox that a node has no way to ask for. */
interface Question {
  request: ProbeRequest;
  priority: Priority;
  owner: string;
  withinMs: number;
}

/** Questions of nodes that a worker answers at a time. */
const maxQuestions = 200;

/** Asks through the workers: for a node without a way out on port 25. */
export function workersAsProber(queue: SharedQueue, withinMs: number): Prober {
  return {
    probe: async (request, caller) => {
      caller?.signal?.throwIfAborted();
      const { priority = 'single', owner = '' } = caller ?? {};
      const question: Question = { request, priority, owner, withinMs };
      const asking = queue.ask(question, withinMs).catch((cause: unknown) => {
        throw new Failure('unavailable', 'No worker has answered for the mailbox.', {
          hint: 'This node has "ask = workers": check that workers run, and that Redis can be reached.',
          cause,
        });
      });
      return abortable(asking as Promise<ProbeAnswer>, caller?.signal);
    },
    close: async () => {},
  };
}

/** Answers the questions of nodes with `prober`. */
export function answerNodes(queue: SharedQueue, prober: Prober, onError: (error: unknown) => void): Consumer {
  return queue.answer(maxQuestions, async (given) => {
    const { request, priority, owner, withinMs } = given as Question;
    const caller: Caller = { priority, owner, taskId: '', signal: AbortSignal.timeout(withinMs) };
    try {
      return await prober.probe(request, caller);
    } catch (error) {
      if (caller.signal?.aborted !== true && asFailure(error).code === 'internal') onError(error);
      throw error;
    }
  });
}
