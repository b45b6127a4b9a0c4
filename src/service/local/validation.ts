import { type Caller, localCaller, localCallerWith, type Priority } from '../../async/caller.js';
import { startDeadline } from '../../async/deadline.js';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { encodeItem, encodeResult } from '../../engine/encode-result.js';
import { type CheckOptions, type Engine, openEngine } from '../../engine/engine.js';
import type { EngineOptions } from '../../engine/engine-options.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import { isClientRefused } from '../../jobs/queue/client-refusal.js';
import type { JobRecord } from '../../jobs/store/job-record.js';
import { askEach } from '../../lists/ask-each.js';
import type { AskCall, Asker, AskerOptions, Question, Reply, Result } from '../../lists/pipeline.js';
import type { ParsedAddress } from '../../model/address.js';
import { type Level, levelWithin } from '../../model/evidence.js';
import { asFailure, Failure } from '../../model/failure.js';
import { emptyVerdict, itemOf, suppressedVerdict } from '../../model/job.js';
import type { BulkAnswer, ValidationResult } from '../../model/result.js';
import type { BulkOptions, EmailChunks, ValidateOptions, ValidationService } from '../../model/service.js';
import type { Vetted } from '../../model/verdict.js';
import { defaultGreylistWaitMs } from '../../net/probe/greylist-schedule.js';
import type { Prober } from '../../net/probe/prober.js';
import { defaultTimeoutsMs } from '../../settings/definitions.js';
import { openSuppression, type Suppression } from './suppressed-addresses.js';

/** The caller and its signal; by default a command that has the machine to itself, and `signal`. */
interface CallerOption {
  caller?: Caller;
}

/** The validating half of the service: one address or many, by the bundled engine. */
export interface Validation extends Required<Pick<ValidationService, 'close' | 'isResolverDown'>> {
  validate(email: string, options?: ValidateOptions & CallerOption): Promise<ValidationResult>;
  validateMany(emails: EmailChunks, options?: BulkOptions & CallerOption): AsyncIterable<readonly BulkAnswer[]>;
  /** The engine as a back end for lists. */
  asker(options?: AskerOptions): Promise<Asker>;
  /** The engine as a back end for the rows of a job. */
  jobAsker(job: VettedJob): Promise<Asker>;
  /** The engine's own prober; null below level smtp. */
  prober(): Promise<Prober | null>;
}

/** A job, whose settings may name suppression lists. */
type VettedJob = Partial<Pick<JobRecord, 'options'>>;

/** The job or request that mailboxes are probed for. */
interface Requester {
  priority: Priority;
  /** How long the requester waits for answers; null: until the job ends. */
  withinMs: number | null;
}

/** The prober of a request or a job in place of `localProber`; null: use `localProber`. */
export type ProberFor = (requester: Requester, localProber: Prober) => Prober | null;

/** Vets one address. Synchronous if no network is needed. */
type VetAddress<Result> = (email: string, parsed?: ParsedAddress) => Result | Promise<Result>;

const exceptionVerdict = { ...emptyVerdict, status: 'unknown', sub_status: 'exception_occurred' };

/** How the engine answers a list. */
interface ListOptions {
  level: Level;
  deadlineMs?: number;
  /** Results need no details. */
  verdictsOnly: boolean;
  /** The answer for an address on a suppression list; null for others. */
  suppressed(email: string): Result | null;
  vetFor(caller: Caller, deadline?: AbortSignal): VetAddress<Result>;
}

/** Rows of a list in flight: enough to fill every SMTP session, or the limit of DNS queries. More would only fill memory. */
export const maxOpenRows: Record<Level, number> = { syntax: 500, dns: 500, smtp: 5_000 };
/** The time for a request to a worker and back, through its queue. */
const transitMs = 15_000;
const maxBulkMs = 10 * 60_000;

/** The bundled engine behind the service interface. Opens at first use; after `close`, its methods throw. */
export function bundledEngine(options: ValidationOptions = {}, proberFor: ProberFor | null = null): Validation {
  const engine = new BundledEngine(options, proberFor);
  // Plain functions: callers may take them off the object.
  return {
    validate: (email, call) => engine.validate(email, call),
    validateMany: (emails, call) => engine.validateMany(emails, call),
    asker: (call) => engine.asker(call),
    jobAsker: (job) => engine.jobAsker(job),
    prober: async () => (await engine.open()).prober,
    isResolverDown: () => engine.isResolverDown(),
    close: () => engine.close(),
  };
}

class BundledEngine {
  private readonly planTier: string;
  private readonly singleMs: number;
  private opening: Promise<Engine> | null = null;
  private opened: Engine | null = null;
  private isClosed = false;
  private suppression: Suppression | null = null;

  constructor(
    private readonly options: ValidationOptions,
    private readonly proberFor: ProberFor | null,
  ) {
    this.planTier = options.planTier ?? 'local';
    this.singleMs = (options.timeoutMs ?? defaultTimeoutsMs.address) + transitMs;
  }

  async open(): Promise<Engine> {
    if (this.isClosed)
      throw new Failure('usage', 'The engine is closed.', { hint: 'Create a new one with createEngine.' });
    const { exclude = [] } = this.options;
    this.opening ??= (async () => {
      if (exclude.length > 0) this.suppression = await openSuppression(exclude);
      return openEngine(this.options);
    })();
    this.opened = await this.opening;
    return this.opened;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.opening !== null) await (await this.opening.catch(() => null))?.close();
  }

  isResolverDown(): boolean {
    return this.opened?.isResolverDown() ?? false;
  }

  async validate(text: string, call: ValidateOptions & CallerOption = {}): Promise<ValidationResult> {
    const { explain = false, level, timeoutMs, onStep } = call;
    const caller = callerOf(call);
    const email = textOf(text);
    // An await would cost more than the check of an address at level syntax.
    const engine = this.opened === null || this.isClosed ? await this.open() : this.opened;
    if (caller.signal?.aborted) throw caller.signal.reason;
    if (this.suppression?.includes(email)) return this.suppression.result(email, this.planTier);
    const checks = { explain, caller, ...(level && { level }), ...(onStep && { onStep }) };
    const prober = this.proberOf(engine, 'single', this.singleMs);
    if (prober !== null || timeoutMs !== undefined) {
      return this.validateInTime(engine, email, { ...checks, ...(prober && { prober }) }, timeoutMs);
    }
    const vet = explain || level || caller !== localCaller || onStep ? engine.vetter(checks) : engine.vetter();
    const vetted = vet(email, parseAddress(email));
    return encodeResult(vetted instanceof Promise ? await vetted : vetted, this.planTier, explain);
  }

  async *validateMany(
    emails: AddressesToVet,
    call: BulkOptions & CallerOption = {},
  ): AsyncGenerator<readonly BulkAnswer[]> {
    const caller = callerOf(call);
    const [asker, { answerList }] = await Promise.all([this.asker(call), import('../../lists/answer-list.js')]);
    yield* answerList(inChunks(emails), { asker, caller });
  }

  /** The engine as a back end for lists. */
  async asker({ explain = false, level, deadlineMs, verdictsOnly = false }: AskerOptions = {}): Promise<Asker> {
    const engine = await this.open();
    const { suppression, planTier } = this;
    const options = { explain, level: levelWithin(this.options.level ?? 'smtp', level) };
    return this.askerFor(engine, {
      ...(deadlineMs !== undefined && { deadlineMs }),
      level: options.level,
      verdictsOnly: verdictsOnly && !explain,
      suppressed: (email) => (suppression?.includes(email) ? suppression.result(email, planTier) : null),
      vetFor: (caller, deadline) => {
        const prober = this.proberOf(engine, 'bulk', deadlineMs ?? maxBulkMs);
        const parts = { caller, ...(deadline && { deadline }), ...(prober && { prober }) };
        return vetWith(engine, { ...options, ...parts }, (vetted) => encodeResult(vetted, planTier, explain));
      },
    });
  }

  /** The engine as a back end for the rows of a job, which has verdicts only. */
  async jobAsker({ options = {} }: VettedJob): Promise<Asker> {
    const engine = await this.open();
    const { exclude } = (options['settings'] ?? {}) as { exclude?: string[] };
    const isOpen = exclude === undefined || String(exclude) === String(this.options.exclude);
    const own = isOpen ? null : await openSuppression(exclude);
    const prober = this.proberOf(engine, 'job', null);
    return this.askerFor(engine, {
      level: this.options.level ?? 'smtp',
      verdictsOnly: true,
      suppressed: (email) =>
        own?.includes(email) || this.suppression?.includes(email) ? itemOf(email, suppressedVerdict) : null,
      vetFor: (caller) => vetWith(engine, { caller, ...(prober && { prober }) }, encodeVettedItem),
    });
  }

  private askerFor(engine: Engine, list: ListOptions): Asker {
    const { onNote, onTooManyToRemember, greylistWaitMs } = this.options;
    const { level, deadlineMs = Number.POSITIVE_INFINITY, suppressed } = list;
    const judge = list.verdictsOnly ? judgeWith(engine) : list.vetFor(localCaller);
    return {
      scope: level,
      isPaid: false,
      capacity: maxOpenRows[level],
      greylistWaitMs: Math.min(greylistWaitMs ?? defaultGreylistWaitMs, deadlineMs),
      isSuppressed: (email) => suppressed(email) !== null,
      onNote: (note) => (note === 'too_many_to_remember' ? onTooManyToRemember?.() : onNote?.(note)),
      isResolverDown: () => this.isResolverDown(),
      ...(level === 'syntax' && { judge: (email, parsed) => suppressed(email) ?? judge(email, parsed) }),
      ask: (questions, call) => this.askAll(questions, call, list),
    };
  }

  private async *askAll(
    questions: AsyncIterable<readonly Question[]>,
    { caller, stop, maxOpen }: AskCall,
    { level, suppressed, vetFor, deadlineMs }: ListOptions,
  ): AsyncGenerator<readonly Reply[]> {
    const deadline = deadlineMs === undefined ? null : startDeadline(deadlineMs, caller.signal);
    const vet = vetFor(caller, deadline?.signal);
    try {
      yield* askEach(questions, {
        answer: (question) => {
          const result = suppressed(question.email) ?? this.attempt(vet, question, caller);
          return result instanceof Promise ? result.then((late) => ({ question, result: late })) : { question, result };
        },
        maxOpen: maxOpen ?? (() => maxOpenRows[level]),
        signal: caller.signal,
        stop,
        maybeYield: timeSlicesFor(caller).maybeYield,
      });
    } finally {
      deadline?.cancel();
    }
  }

  /** A bug of ours is an answer, and does not end a list; what this machine lacks does. */
  private attempt(vet: VetAddress<Result>, { email, parsed }: Question, { signal }: Caller): Result | Promise<Result> {
    const fail = (error: unknown): Result => {
      if (signal?.aborted || asFailure(error).code !== 'internal') throw error;
      this.options.onException?.(error);
      return itemOf(email, exceptionVerdict);
    };
    try {
      const result = vet(email, parsed);
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (error) {
      return fail(error);
    }
  }

  /** The prober of one request; null: the engine's own. */
  private proberOf(engine: Engine, priority: Priority, withinMs: number | null): Prober | null {
    if (this.proberFor === null || engine.prober === null) return null;
    return this.proberFor({ priority, withinMs }, engine.prober);
  }

  /** Answers within the caller's time; waits for other workers no longer than this machine would take, plus the transit. */
  private async validateInTime(
    engine: Engine,
    email: string,
    checks: CheckOptions,
    timeoutMs?: number,
  ): Promise<ValidationResult> {
    const failOpen = timeoutMs !== undefined && timeoutMs < this.singleMs;
    const deadline = startDeadline(failOpen ? timeoutMs : this.singleMs, checks.caller?.signal);
    try {
      const vet = engine.vetter({ ...checks, deadline: deadline.signal, failOpen });
      const vetted = await vet(email, parseAddress(email));
      return encodeResult(vetted, this.planTier, checks.explain);
    } finally {
      deadline.cancel();
    }
  }
}

function callerOf({ caller, signal }: ValidateOptions & CallerOption): Caller {
  return caller ?? localCallerWith(signal);
}

function vetWith<Result>(
  engine: Engine,
  options: Pick<CheckOptions, 'level' | 'explain' | 'caller' | 'deadline' | 'prober'>,
  encode: (vetted: Vetted) => Result,
): VetAddress<Result> {
  const vet = engine.vetter(options);
  return (email, parsed = parseAddress(email)) => {
    const vetted = vet(email, parsed);
    return vetted instanceof Promise ? vetted.then(encode) : encode(vetted);
  };
}

/** Verdicts without details, for long lists at level syntax. */
function judgeWith({ vetSyntax }: Engine): NonNullable<Asker['judge']> {
  return (email, parsed) => {
    const verdict = vetSyntax(email, parsed);
    return verdict instanceof Promise ? verdict.then((late) => encodeItem(email, late)) : encodeItem(email, verdict);
  };
}

function encodeVettedItem(vetted: Vetted): Result {
  const { mailbox, input } = vetted.evidence;
  const item = encodeItem(input, vetted.verdict);
  if (mailbox !== null && isClientRefused(mailbox)) Object.assign(item, { client_refused: true });
  return mailbox === null || mailbox.retryAt === null ? item : Object.assign(item, { retry_at: mailbox.retryAt });
}

/** Untyped callers may pass any value; null becomes the empty text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : String(value);
}

/** Accepts a list of addresses or of chunks. A text is refused: it would be a list of letters. */
export async function* inChunks(emails: AddressesToVet): AsyncGenerator<readonly string[]> {
  const value: unknown = emails;
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value || Symbol.asyncIterator in value)) {
    throw new Failure('usage', 'validateMany takes a list of addresses, or a list of such lists.', {
      hint: 'Use validate for one address.',
    });
  }
  for await (const chunk of emails) yield Array.isArray(chunk) ? chunk.map(textOf) : [textOf(chunk)];
}

/** Options of the bundled engine. All have defaults. */
export interface ValidationOptions extends EngineOptions {
  planTier?: string;
  /** Suppression lists: addresses, domains, or SHA-256 hashes that are never checked. */
  exclude?: readonly string[];
  /** Called once if a list is too long to find all duplicates. */
  onTooManyToRemember?: () => void;
}

/** Addresses one by one, or in chunks of any size. */
export type AddressesToVet = EmailChunks | Iterable<string> | AsyncIterable<string>;
