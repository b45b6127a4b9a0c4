import { asTheyCome } from '../../async/as-they-come.js';
import { localCallerWith } from '../../async/caller.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import type { AskCall, Asker, ListService, Question, Reply, Result } from '../../lists/pipeline.js';
import { createQuestionQueue } from '../../lists/question-queue.js';
import { formatAmount, formatNumber } from '../../model/amount.js';
import { asFailure, type Failure } from '../../model/failure.js';
import type { ValidationResult } from '../../model/result.js';
import { decide, decidedBy, type HybridOptions, isSent, opinionOf, sentBy } from './opinions.js';

/** The engine on this machine, and a service for what it cannot settle. Jobs run here. */
export function openHybridService(local: ListService, remote: ListService, options: HybridOptions): ListService {
  const asker: ListService['asker'] = async (call) => hybridAsker(await local.asker(call), remote, options);
  return {
    ...local,
    asker,
    validate: async (email, call = {}) => {
      const own = await local.validate(email, call);
      const ofEngine = decidedBy('local', own) as ValidationResult;
      if (!isSent(sentBy(options), own) || !parseAddress(email).ok) return ofEngine;
      const { signal, explain = false } = call;
      try {
        const other = await remote.validate(email, { explain: false, ...(signal && { signal }) });
        const result = decide(own, other).result as ValidationResult;
        return explain ? { ...result, opinions: [opinionOf('local', own), opinionOf('remote', other)] } : result;
      } catch (error) {
        if (signal?.aborted) throw error;
        options.onNote(`The answer is that of the engine alone. ${asFailure(error).message}`);
        return ofEngine;
      }
    },
    validateMany: async function* (emails, call = {}) {
      const { answerList } = await import('../../lists/answer-list.js');
      yield* answerList(emails, { asker: await asker(call), caller: localCallerWith(call.signal) });
    },
    close: async () => {
      await local.close();
      await remote.close();
    },
  };
}

/** The engine first, the service for what it cannot settle. */
export async function hybridAsker(engine: Asker, remote: ListService, options: HybridOptions): Promise<Asker> {
  const sent = sentBy(options);
  if (sent.size === 0) return engine;
  const service = await remote.asker();
  const { judge: _, ...traits } = engine;
  let unsent: Failure | null = null;
  return {
    ...traits,
    unsent: () => unsent,
    scope: `hybrid:${engine.scope}:${[...sent]}:${service.scope}`,
    isPaid: true,
    ask: async function* (questions, call) {
      const run = new HybridRun(engine, service, sent, call);
      try {
        yield* asTheyCome(run.askEngine(questions), run.askService());
      } finally {
        unsent = run.report(options.onNote) ?? unsent;
      }
    },
  };
}

/** The replies to one list. */
class HybridRun {
  private readonly unsettled = createQuestionQueue(() => {});
  /** The engine's answers to what the service was asked. */
  private readonly pending = new Map<string, { question: Question; own: Result }>();
  /** Why the service is asked no more. */
  private trouble: Failure | null = null;
  private readonly counts = { answered: 0, sent: 0, charged: 0, unsent: 0, disagreed: 0 };

  constructor(
    private readonly engine: Asker,
    private readonly service: Asker,
    private readonly sent: ReadonlySet<string>,
    private readonly call: AskCall,
  ) {}

  async *askEngine(questions: AsyncIterable<readonly Question[]>): AsyncGenerator<readonly Reply[]> {
    let hasAll = false;
    try {
      for await (const replies of this.engine.ask(questions, this.call))
        yield replies.flatMap(({ question, result }) => this.takeOwn(question, result) ?? []);
      hasAll = this.call.stop?.aborted !== true;
    } finally {
      if (hasAll) this.unsettled.end();
      else this.unsettled.stop();
    }
  }

  async *askService(): AsyncGenerator<readonly Reply[]> {
    try {
      for await (const replies of this.service.ask(this.unsettled, this.call))
        yield replies.map((reply) => this.takeOther(reply));
    } catch (error) {
      if (this.call.caller.signal?.aborted) throw error;
      this.trouble = asFailure(error);
      this.unsettled.stop();
      yield [...this.pending.values()].map(({ question, own }) => this.keepOwn(question, own));
    }
  }

  /** The reply; null if the list asks again, or if the service is asked. */
  private takeOwn(question: Question, own: Result): Reply | null {
    if (this.call.defer(question, own)) return null;
    this.counts.answered++;
    if (!question.parsed.ok || !isSent(this.sent, own)) return ownReply(question, own);
    if (this.trouble !== null) return this.keepOwn(question, own);
    this.pending.set(question.key, { question, own });
    this.unsettled.push(question);
    return null;
  }

  private keepOwn(question: Question, own: Result): Reply {
    this.counts.unsent++;
    return ownReply(question, own);
  }

  private takeOther({ question, result: other, charged }: Reply): Reply {
    const { own = other } = this.pending.get(question.key) ?? {};
    this.pending.delete(question.key);
    this.counts.sent++;
    if (charged !== false) this.counts.charged++;
    const { result, disagrees } = decide(own, other);
    if (disagrees) this.counts.disagreed++;
    return { question, result, final: true, ...(charged === false && { charged }) };
  }

  /** Says what was saved. Returns why nothing could be sent; null if something was. */
  report(onNote: (text: string) => void): Failure | null {
    const { answered, sent, charged, unsent, disagreed } = this.counts;
    if (answered === 0) return null;
    const saved = formatAmount(answered - charged - unsent, 'credit');
    onNote(`${formatNumber(sent)} of ${formatNumber(answered)} were sent to the service: ${saved} saved.`);
    if (unsent > 0) {
      const kept = `${formatAmount(unsent, 'address keeps', 'addresses keep')} the answer of the engine`;
      onNote(`${kept}. ${this.trouble?.message ?? ''}`.trim());
    }
    if (disagreed > 0) {
      const refused = `${formatAmount(disagreed, 'address', 'addresses')} valid that mail servers refused as unknown`;
      onNote(`The service calls ${refused}: the refusal stands. See: mailvet explain mailbox_not_found`);
    }
    return sent === 0 ? this.trouble : null;
  }
}

function ownReply(question: Question, own: Result): Reply {
  return { question, result: decidedBy('local', own), final: true, charged: false };
}
