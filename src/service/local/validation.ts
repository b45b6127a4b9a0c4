import { mapInOrder } from '../../async/map-in-order.js';
import { encodeResult } from '../../engine/encode-result.js';
import { type Engine, openEngine } from '../../engine/engine.js';
import type { EngineOptions } from '../../engine/engine-options.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import type { Level } from '../../model/evidence.js';
import { Failure } from '../../model/failure.js';
import type { BulkAnswer, ValidationResult } from '../../model/result.js';
import type { BulkOptions, EmailChunks, ValidateOptions, ValidationService } from '../../model/service.js';

/** The validating half of the service: one address or many, by the bundled engine. */
export type Validation = Pick<ValidationService, 'validate' | 'validateMany' | 'close'>;

export interface ValidationOptions extends EngineOptions {
  /** What `metadata.plan_tier` says. */
  planTier?: string;
  /** Called once where a list is so long that not all of its duplicates can be told. */
  onTooManyToRemember?: () => void;
}

/** Enough under way to fill every SMTP session, or all that DNS is asked at a time: whoever waits beyond that only fills memory. */
const maxOpen: Record<Level, number> = { syntax: 500, dns: 500, smtp: 5_000 };
/** Enough read ahead that one slow host does not hold up the rest. */
const reach = { maxAhead: 50_000, maxReady: 500 };

/** Equal for two spellings of one mailbox; text that is no address stands for itself. */
export function canonicalOf(email: string): string {
  const parsed = parseAddress(email);
  return parsed.ok ? parsed.address.canonical : email;
}

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
    const look = engine.look({
      ...{ explain, patient: true },
      ...(signal && { signal }),
      ...(late && { deadline: late.signal }),
    });
    const seen = createSeen();
    let said = false;
    const answer = (given: string): BulkAnswer | Promise<BulkAnswer> => {
      const email = typeof given === 'string' ? given : textOf(given);
      if (signal?.aborted) throw signal.reason;
      const syntax = parseAddress(email);
      const duplicate = !seen.add(syntax.ok ? syntax.address.canonical : email);
      if (seen.full && !said) {
        said = true;
        options.onTooManyToRemember?.();
      }
      const vetted = look(email, syntax);
      return vetted instanceof Promise
        ? vetted.then((known) => ({ result: encodeResult(known, planTier, explain), duplicate }))
        : { result: encodeResult(vetted, planTier, explain), duplicate };
    };
    try {
      yield* mapInOrder(inChunks(emails), answer, { ...reach, maxOpen: maxOpen[options.level ?? 'smtp'] });
    } finally {
      late?.cancel();
    }
  }

  return {
    validate,
    validateMany,
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
