import { systemClock } from '../../async/clock.js';
import { openSlices } from '../../async/cpu-slices.js';
import { mapInOrder } from '../../async/map-in-order.js';
import type { Places } from '../../async/places.js';
import { giveShare, shareOf } from '../../async/work-share.js';
import { encodeResult } from '../../engine/encode-result.js';
import { type Engine, type LookOptions, openEngine } from '../../engine/engine.js';
import type { EngineOptions } from '../../engine/engine-options.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import { type Ask, patientAsk } from '../../jobs/run/ask-patiently.js';
import type { Level } from '../../model/evidence.js';
import { Failure } from '../../model/failure.js';
import type { BulkAnswer, ValidationResult } from '../../model/result.js';
import type { BulkOptions, EmailChunks, ValidateOptions, ValidationService } from '../../model/service.js';
import { usualGreylistWaitMs } from '../../net/probe/greylist-schedule.js';
import { keyOfAddress } from '../dedupe/mailbox-key.js';

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
/** Enough read ahead that one slow host does not hold up the rest. */
const reach = { maxAhead: 50_000, maxReady: 500 };

/** The bundled engine behind the service interface. Opens at first use; closed, it is a Failure to ask it. */
export function bundledEngine(options: ValidationOptions = {}): Validation {
  const planTier = options.planTier ?? 'local';
  let opening: Promise<Engine> | null = null;
  let opened: Engine | null = null;
  let closed = false;
  const open = async (): Promise<Engine> => {
    if (closed) throw isClosed();
    opening ??= openEngine(options);
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
    { explain = false, signal, withinMs }: BulkOptions = {},
  ): AsyncGenerator<readonly BulkAnswer[]> {
    const [engine, { createSeen }] = await Promise.all([open(), import('../dedupe/fingerprint-set.js')]);
    const late = withinMs === undefined ? null : startDeadline(withinMs, signal);
    const ask = patientAsk(
      askWith(engine, { explain, ...(signal && { signal }), ...(late && { deadline: late.signal }) }),
      {
        clock: systemClock,
        waitMs: Math.min(options.greylistWaitMs ?? usualGreylistWaitMs, withinMs ?? Number.POSITIVE_INFINITY),
        ...(signal && { signal }),
      },
    );
    const onWait = (): void => options.onNote?.('waiting_for_greylists');
    const seen = createSeen();
    let said = false;
    const isDuplicate = (email: string): boolean => {
      const isNew = seen.add(keyOfAddress(email));
      if (seen.full && !said) {
        said = true;
        options.onTooManyToRemember?.();
      }
      return !isNew;
    };
    const answer = (given: string, places: Places): BulkAnswer | Promise<BulkAnswer> => {
      if (signal?.aborted) throw signal.reason;
      const email = textOf(given);
      const duplicate = isDuplicate(email);
      const result = ask(email, { places, onWait });
      return result instanceof Promise ? result.then((known) => ({ result: known, duplicate })) : { result, duplicate };
    };
    try {
      yield* mapInOrder(inChunks(emails), answer, {
        ...reach,
        maxOpen: rowsUnderWay[options.level ?? 'smtp'],
        pause: openSlices(shareOf(signal)).pause,
        unanswered,
      });
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
    return (email) => {
      const vetted = look(email, parseAddress(email));
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

/** Keeps the place of an address that nobody answered for. */
function unanswered(email: string): BulkAnswer {
  const result = { email: textOf(email), status: 'unknown', is_valid: false, confidence: 0 };
  return { result, duplicate: false, unanswered: true };
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
  caller?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    cancel: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
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
  for await (const chunk of emails) yield Array.isArray(chunk) ? chunk : [chunk as unknown as string];
}
