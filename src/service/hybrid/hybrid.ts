import { localCallerWith } from '../../async/caller.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import type { Asker, ListService } from '../../lists/pipeline.js';
import type { Level } from '../../model/evidence.js';
import { asFailure } from '../../model/failure.js';
import type { ValidationResult } from '../../model/result.js';
import { hybridAsker } from './asker.js';
import { decide, decidedBy, isSent, opinionOf, sentBy } from './opinions.js';

interface HybridOptions {
  level: Level;
  /** The setting `hybrid_sends`. */
  sends: readonly string[];
  onNote(text: string): void;
}

/** The credits that hybrid spends in one run, unless told otherwise. */
export const defaultMaxCredits = 1_000;

/** A back end for lists that asks the service what the engine cannot settle. */
export function fallBackTo(
  remote: ListService,
  { level, sends, onNote }: HybridOptions,
): (engine: Asker) => Promise<Asker> {
  const sent = sentBy(level, sends);
  return async (engine) => hybridAsker({ engine, service: await remote.asker(), sent, onNote });
}

/** The engine on this machine, and a service for what it cannot settle. Jobs run here. */
export function openHybridService(local: ListService, remote: ListService, options: HybridOptions): ListService {
  const { level, sends, onNote } = options;
  const sent = sentBy(level, sends);
  const withService = fallBackTo(remote, options);
  const asker: ListService['asker'] = async (call) => withService(await local.asker(call));
  return {
    ...local,
    asker,
    validate: async (email, call = {}) => {
      const own = await local.validate(email, call);
      if (!isSent(sent, own) || !parseAddress(email).ok) return decidedBy('local', own) as ValidationResult;
      const { signal, explain = false } = call;
      try {
        const other = await remote.validate(email, { explain: false, ...(signal && { signal }) });
        const result = decide(own, other).result as ValidationResult;
        return explain ? { ...result, opinions: [opinionOf('local', own), opinionOf('remote', other)] } : result;
      } catch (error) {
        if (signal?.aborted) throw error;
        onNote(`The answer is that of the engine alone. ${asFailure(error).message}`);
        return decidedBy('local', own) as ValidationResult;
      }
    },
    validateMany: async function* (emails, { signal } = {}) {
      const { answerList } = await import('../../lists/answer-list.js');
      yield* answerList(emails, { asker: await asker(), caller: localCallerWith(signal) });
    },
    close: async () => {
      await local.close();
      await remote.close();
    },
  };
}
