import { onAbort } from '../../async/on-abort.js';
import { giveShare, shareOf } from '../../async/work-share.js';
import { encodeResult } from '../../engine/encode-result.js';
import { type Engine, type LookOptions, openEngine } from '../../engine/engine.js';
import type { EngineOptions } from '../../engine/engine-options.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import type { Ask } from '../../jobs/run/ask-patiently.js';
import type { Level } from '../../model/evidence.js';
import { Failure } from '../../model/failure.js';
import type { BulkAnswer, ValidationResult } from '../../model/result.js';
import type { BulkOptions, EmailChunks, ValidateOptions, ValidationService } from '../../model/service.js';
import { usualGreylistWaitMs } from '../../net/probe/greylist-schedule.js';

/** The validating half of the service: one address or many, by the bundled engine. */
export interface Validation extends Pick<ValidationService, 'validate' | 'validateMany' | 'close'> {
  /** For whoever runs a list: looks once, and does not come back to hosts that say "try later". */
  openAsk(signal: AbortSignal): Promise<Ask>;
}

export interface ValidationOptions extends EngineOptions {
  /** What `metadata.plan_tier` says. */
  planTier?: string;
  /** Called once where a list is so long that not all of its duplicates can be told. */
  onTooManyToRemember?: () => void;
}

/** Rows of a list under way: enough to fill every SMTP session, or all that DNS is asked at a time. Whoever waits beyond that only fills memory. */
export const rowsUnderWay: Record<Level, number> = { syntax: 500, dns: 500, smtp: 5_000 };
const resolverTroubles: readonly string[] = ['resolver_does_not_answer', 'resolver_denies_everything'];

/** The bundled engine behind the service interface. Opens at first use; closed, it is a Failure to ask it. */
export function bundledEngine(options: ValidationOptions = {}): Validation {
  const planTier = options.planTier ?? 'local';
  let opening: Promise<Engine> | null = null;
  let opened: Engine | null = null;
  let closed = false;
  let resolverIsDown = false;
  const open = async (): Promise<Engine> => {
    if (closed) throw isClosed();
    opening ??= openEngine({
      ...options,
      onNote: (note, subject) => {
        if (resolverTroubles.includes(note)) resolverIsDown = true;
        options.onNote?.(note, subject);
      },
    });
    opened = await opening;
    return opened;
  };

  async function validate(
    given: string,
    { explain = false, signal, onStep }: ValidateOptions = {},
  ): Promise<ValidationResult> {
    const email = textOf(given);
    // Waiting for what is there takes longer than looking at the syntax of an address.
    const engine = opened === null || closed ? await open() : opened;
    if (signal?.aborted) throw signal.reason;
    const wishes = { explain, ...(signal && { signal }), ...(onStep && { onStep }) };
    const look = explain || signal || onStep ? engine.look(wishes) : engine.look();
    const vetted = look(email, parseAddress(email));
    return encodeResult(vetted instanceof Promise ? await vetted : vetted, planTier, explain);
  }

  async function* validateMany(
    emails: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
    { explain = false, signal, withinMs, ...wishes }: BulkOptions = {},
  ): AsyncGenerator<readonly BulkAnswer[]> {
    const [engine, { askList }] = await Promise.all([open(), import('./ask-list.js')]);
    const level = options.level ?? 'smtp';
    const late = withinMs === undefined ? null : startDeadline(withinMs, signal);
    const ask = askWith(engine, { explain, ...(signal && { signal }), ...(late && { deadline: late.signal }) });
    const run = {
      ...{ ask, level, maxOpen: rowsUnderWay[level], isResolverDown: () => resolverIsDown },
      greylistWaitMs: Math.min(options.greylistWaitMs ?? usualGreylistWaitMs, withinMs ?? Number.POSITIVE_INFINITY),
      onWait: () => options.onNote?.('waiting_for_greylists'),
      onTooManyToRemember: () => options.onTooManyToRemember?.(),
    };
    try {
      yield* askList(run, inChunks(emails), { ...wishes, ...(signal && { signal }) });
    } finally {
      late?.cancel();
    }
  }

  /** Settles once how a list is looked at. */
  function askWith(
    engine: Engine,
    { explain = false, ...stops }: Pick<LookOptions, 'explain' | 'signal' | 'deadline'>,
  ): Ask {
    const look = engine.look({ ...stops, explain, patient: false });
    return (email, parsed = parseAddress(email)) => {
      const vetted = look(email, parsed);
      return vetted instanceof Promise
        ? vetted.then((known) => encodeResult(known, planTier, explain))
        : encodeResult(vetted, planTier, explain);
    };
  }

  return {
    validate,
    validateMany,
    openAsk: async (signal) => askWith(await open(), { signal }),
    close: async () => {
      closed = true;
      if (opening !== null) await (await opening.catch(() => null))?.close();
    },
  };
}

function isClosed(): Failure {
  return new Failure('usage', 'The engine is closed.', { hint: 'Make a new one with createEngine.' });
}

/** By hand: what `AbortSignal.any` makes is remembered by a caller's signal for as long as that lives. */
function startDeadline(ms: number, caller?: AbortSignal): { signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  if (caller !== undefined) giveShare(controller.signal, shareOf(caller));
  const abort = (): void => controller.abort(caller?.reason);
  const timer = setTimeout(abort, ms);
  const takeBack = caller && onAbort(caller, abort);
  return {
    signal: controller.signal,
    cancel: () => {
      clearTimeout(timer);
      takeBack?.();
    },
  };
}

/** Callers without types hand in whatever a list held: nothing is the empty text. */
function textOf(given: unknown): string {
  return typeof given === 'string' ? given : given == null ? '' : String(given);
}

/** A plain list of addresses is as good as a list of lists. A text would be a list of letters. */
async function* inChunks(emails: EmailChunks): AsyncGenerator<readonly string[]> {
  const given: unknown = emails;
  if (typeof given !== 'object' || given === null || !(Symbol.iterator in given || Symbol.asyncIterator in given)) {
    throw new Failure('usage', 'validateMany takes a list of addresses, or of lists of them.', {
      hint: 'For one address there is validate.',
    });
  }
  for await (const chunk of emails) yield Array.isArray(chunk) ? chunk.map(textOf) : [textOf(chunk)];
}
