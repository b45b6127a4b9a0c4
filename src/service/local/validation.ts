import { callerOfSignal, setCaller } from '../../async/caller.js';
import { onAbort } from '../../async/on-abort.js';
import { encodeResult, encodeVerdict } from '../../engine/encode-result.js';
import { type CheckOptions, type Engine, openEngine } from '../../engine/engine.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import type { Asker } from '../../jobs/dispatch/open-dispatch.js';
import type { Answer, VetAddress } from '../../jobs/run/retry-deferred.js';
import type { JobRecord } from '../../jobs/store/store.js';
import type { Level } from '../../model/evidence.js';
import { Failure } from '../../model/failure.js';
import type { BulkAnswer, ValidationResult } from '../../model/result.js';
import type { BulkOptions, ValidateOptions, ValidationService } from '../../model/service.js';
import type { Vetted } from '../../model/verdict.js';
import { defaultGreylistWaitMs } from '../../net/probe/greylist-schedule.js';
import type { Prober } from '../../net/probe/prober.js';
import type { AddressesToVet, ValidationOptions } from '../validation-options.js';

/** The validating half of the service: one address or many, by the bundled engine. */
export interface Validation extends Pick<ValidationService, 'validate' | 'validateMany' | 'close'> {
  /** For whoever runs a list: looks once, and does not come back to hosts that say "try later". */
  openVet(signal: AbortSignal, job: Pick<JobRecord, 'id'>): Promise<VetAddress>;
  /** The engine's own way to ask for mailboxes; null at levels that do not. */
  prober(): Promise<Prober | null>;
  /** By the last looks at it, the resolver answers nobody, or denies everything. */
  isResolverDown(): boolean;
}

/** Who asks for the mailboxes of a request or a job, in place of `own`; null: nobody else does. */
export type ProberFor = (asker: Asker, own: Prober) => Prober | null;

/** Rows of a list under way: enough to fill every SMTP session, or all that DNS is asked at a time. Whoever waits beyond that only fills memory. */
export const rowsUnderWay: Record<Level, number> = { syntax: 500, dns: 500, smtp: 5_000 };
const usualTimeoutMs = 30_000;
/** To a worker and back, where many wait. */
const wayMs = 15_000;
const longestBulkMs = 10 * 60_000;

/** The bundled engine behind the service interface. Opens at first use; closed, it is a Failure to ask it. */
export function bundledEngine(options: ValidationOptions = {}, proberFor: ProberFor | null = null): Validation {
  const planTier = options.planTier ?? 'local';
  const singleMs = (options.timeoutMs ?? usualTimeoutMs) + wayMs;
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
    const prober = proberOf(engine, 'single', singleMs);
    if (prober !== null) return lookInTime(engine, email, { ...wishes, prober });
    const look = explain || signal || onStep ? engine.vetter(wishes) : engine.vetter();
    const vetted = look(email, parseAddress(email));
    return encodeResult(vetted instanceof Promise ? await vetted : vetted, planTier, explain);
  }

  const isResolverDown = (): boolean => opened?.isResolverDown() ?? false;
  /** Who asks for the mailboxes of one request, where that is not the engine itself. The global is loaded at first use; the module costs each start 4 ms. */
  const proberOf = (
    engine: Engine,
    priority: Asker['priority'],
    withinMs: number | null,
    id?: string,
  ): Prober | null =>
    proberFor === null || engine.prober === null
      ? null
      : proberFor({ id: id ?? crypto.randomUUID(), priority, withinMs }, engine.prober);

  /** Whoever asks others must not wait for them longer than he would take himself, and a little for the way. */
  async function lookInTime(engine: Engine, email: string, wishes: CheckOptions): Promise<ValidationResult> {
    const late = startDeadline(singleMs, wishes.signal);
    try {
      const vetted = await engine.vetter({ ...wishes, deadline: late.signal })(email, parseAddress(email));
      return encodeResult(vetted, planTier, wishes.explain);
    } finally {
      late.cancel();
    }
  }

  async function* validateMany(
    emails: AddressesToVet,
    { explain = false, signal, deadlineMs: withinMs, ...wishes }: BulkOptions = {},
  ): AsyncGenerator<readonly BulkAnswer[]> {
    const [engine, { askList }] = await Promise.all([open(), import('./ask-list.js')]);
    const level = options.level ?? 'smtp';
    const late = withinMs === undefined ? null : startDeadline(withinMs, signal);
    const prober = proberOf(engine, 'bulk', withinMs ?? longestBulkMs);
    const stops = { ...(signal && { signal }), ...(late && { deadline: late.signal }), ...(prober && { prober }) };
    const ask = askWith(engine, { explain, ...stops }, (vetted) => encodeResult(vetted, planTier, explain));
    const run = {
      ...{ ask, level, maxOpen: rowsUnderWay[level], isResolverDown },
      greylistWaitMs: Math.min(options.greylistWaitMs ?? defaultGreylistWaitMs, withinMs ?? Number.POSITIVE_INFINITY),
      onWait: () => options.onNote?.('waiting_for_greylists'),
      onTooManyToRemember: () => options.onTooManyToRemember?.(),
    };
    try {
      yield* askList(run, inChunks(emails), { ...wishes, ...(signal && { signal }) });
    } finally {
      late?.cancel();
    }
  }

  return {
    validate,
    validateMany,
    openVet: async (signal, { id }) => {
      const engine = await open();
      const prober = proberOf(engine, 'job', null, id);
      return askWith(engine, { signal, ...(prober && { prober }) }, encodeVerdict);
    },
    prober: async () => (await open()).prober,
    isResolverDown,
    close: async () => {
      closed = true;
      if (opening !== null) await (await opening.catch(() => null))?.close();
    },
  };
}

/** Settles once how a list is looked at, and what is told of each address. */
function askWith<Said extends Answer>(
  engine: Engine,
  options: Pick<CheckOptions, 'explain' | 'signal' | 'deadline' | 'prober'>,
  encode: (vetted: Vetted) => Said,
): VetAddress<Said> {
  const look = engine.vetter({ ...options, patient: false });
  return (email, parsed = parseAddress(email)) => {
    const vetted = look(email, parsed);
    return vetted instanceof Promise ? vetted.then(encode) : encode(vetted);
  };
}

function isClosed(): Failure {
  return new Failure('usage', 'The engine is closed.', { hint: 'Make a new one with createEngine.' });
}

/** By hand: what `AbortSignal.any` makes is remembered by a caller's signal for as long as that lives. */
function startDeadline(ms: number, caller?: AbortSignal): { signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  if (caller !== undefined) setCaller(controller.signal, callerOfSignal(caller));
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
async function* inChunks(emails: AddressesToVet): AsyncGenerator<readonly string[]> {
  const given: unknown = emails;
  if (typeof given !== 'object' || given === null || !(Symbol.iterator in given || Symbol.asyncIterator in given)) {
    throw new Failure('usage', 'validateMany takes a list of addresses, or of lists of them.', {
      hint: 'For one address there is validate.',
    });
  }
  for await (const chunk of emails) yield Array.isArray(chunk) ? chunk.map(textOf) : [textOf(chunk)];
}
