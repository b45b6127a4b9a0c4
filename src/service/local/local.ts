import { localCaller } from '../../async/caller.js';
import { lazy } from '../../async/lazy.js';
import type { EngineNote } from '../../engine/engine-options.js';
import { providerTraits } from '../../engine/lists/providers.js';
import type { Member } from '../../jobs/queue/member.js';
import type { ProcessInfo, WorkerMetrics } from '../../jobs/store/cluster-stats.js';
import type { Cluster } from '../../jobs/store/postgres/postgres-store.js';
import { keyOfAddress } from '../../lists/mailbox-key.js';
import type { Asker, ListService } from '../../lists/pipeline.js';
import type { Level } from '../../model/evidence.js';
import { asFailure, Failure } from '../../model/failure.js';
import { defaultGreylistWaitMs, retryMinutes } from '../../net/probe/greylist-schedule.js';
import type { Prober } from '../../net/probe/prober.js';
import type { LocalJobs } from './jobs.js';
import { bundledEngine, maxOpenRows, type ProberFor, type Validation, type ValidationOptions } from './validation.js';

export interface LocalOptions
  extends Omit<ValidationOptions, 'onNote' | 'portMemory' | 'mailboxSecret' | 'learnedOf' | 'onTooManyToRemember'> {
  /** The data directory: the job store, and what is known about this network. */
  home: string;
  /** The address of a database for jobs and keys; null: the data directory. */
  store?: string | null;
  /** Whether keys get verdicts from deliveries that were learned on this installation, too. */
  serveDelivered?: boolean;
  /** Connections to the database at a time. */
  storeConnections?: number;
  /** The address of Redis for the queue of workers; null: one process works. */
  queue?: string | null;
  /** Who asks for the mailboxes of single and bulk requests: this process, or the workers through the queue. */
  ask?: 'here' | 'workers';
  /** How long ended jobs are kept; null keeps them until they are deleted. */
  keepJobsMs?: number | null;
  /** What other processes on the same database see of this one. */
  processInfo?: ProcessInfo;
  /** Stops waiting for the database at the start. */
  signal?: AbortSignal;
  /** What jobs ask besides the engine. */
  withFallback?: (engine: Asker) => Promise<Asker>;
  /** Receives notes for the user, each once. */
  onNote?: (text: string) => void;
}

const sentences: Record<EngineNote, (subject: string, greylistWaitMs: number) => string> = {
  waiting_for_greylists: (_, waitMs) =>
    `Some mail servers ask to try again later (greylisting, or a problem of theirs). mailvet retries ${describeRetries(waitMs)}; --set greylist_wait=0 reports such addresses at once.`,
  wait_too_short: () =>
    'Some mail servers ask to try again later than greylist_wait allows, so mailvet does not retry these addresses. It retries greylisting after 1 minute, other temporary errors after 5, or at the time that the server names.',
  resolver_denies_everything: () =>
    'The DNS server denies even top-level domains that exist, so its denials cannot be trusted. Use another DNS server with --set resolvers=HOST, or run "mailvet doctor".',
  resolver_invents_answers: () =>
    'The DNS server answers for names that do not exist, so its answers cannot be trusted. Use another DNS server with --set resolvers=HOST.',
  resolver_does_not_answer: (servers) =>
    `The DNS server ${servers} does not answer, not even for a random name under .com, so results that need DNS are unknown. Try --set resolvers=HOST with a resolver that works, or run "mailvet doctor".`,
  outbound_port_blocked: () =>
    'Outbound port 25 is blocked on this network, so no mailbox can be checked; all other checks run. Try --level dns to skip mailboxes, --set proxy=socks5://HOST through a machine that is not blocked, or --hybrid with "mailvet serve" on such a machine or a remote service (docs/port-25.md).',
};

/** The retries that fit into the wait, in words. */
function describeRetries(waitMs: number): string {
  const { greylisting, others } = retryMinutes(waitMs);
  const times = (minutes: readonly number[]) => minutes.join(', ').replace(/, (\d+)$/, ' and $1');
  const otherErrors = others.length === 0 ? 'others not within greylist_wait' : `others after ${times(others)}`;
  const unit = greylisting.length === 1 ? 'minute' : 'minutes';
  return `greylisting after ${times(greylisting)} ${unit}, ${otherErrors}, or at the time that the server names`;
}

/** The service on this machine: the bundled engine, and a job store that is opened at first use. */
export async function openLocalService(options: LocalOptions): Promise<ListService> {
  const shared = await openShared(options, () => jobs.get());
  const validation = await openValidation({ ...options, permits: shared?.permits ?? null }, shared?.proberFor ?? null);
  const jobs = lazy(() => openJobs(options, { ...validation, jobAsker }));
  const jobAsker: Validation['jobAsker'] = async (job) => {
    const engine = await validation.jobAsker(job);
    return options.withFallback?.(engine) ?? engine;
  };
  return {
    ...validation,
    ...lazyMethods(jobs.get, [
      'previewUpload',
      'confirmUpload',
      'listJobs',
      'getJob',
      'jobResults',
      'cancelJob',
      'deleteJob',
      'resumeJob',
    ]),
    jobs: lazyMethods(async () => (await jobs.get()).jobs, ['settingsOf', 'work', 'assignWorker', 'forget']),
    close: async () => {
      await shared?.permits.close();
      await (await jobs.opened())?.close();
      await validation.close();
    },
  };
}

/** Opens engine and store at once. Only jobs wait for hosts that say "try later". */
export async function openLocalParts(options: LocalOptions) {
  // Fails at the start of the server, not at the first request.
  if ((options.level ?? 'smtp') === 'smtp') await (await import('../../net/smtp/dial.js')).checkOutboundRoute(options);
  let jobs: LocalJobs | null = null;
  const shared = await openShared(options, async () => jobs);
  let report: (error: unknown) => void = () => {};
  const onException = (error: unknown): void => report(error);
  const permits = shared?.permits ?? null;
  const serverOptions = { ...options, greylistWaitMs: 0, onException, isShared: true, permits };
  const validation = await openValidation(serverOptions, shared?.proberFor ?? null);
  // A suppression list that cannot be read fails the start, not a request.
  if (options.exclude !== undefined && options.exclude.length > 0) await validation.prober();
  jobs = await openJobs(options, validation);
  const member = await jobs.member();
  shared?.join(member);
  member?.publish(await metricsOf(validation));
  return {
    validation,
    jobs,
    /** Answers for nodes that cannot ask mail servers themselves; returns the function that stops it. */
    answerNodes: async (onError: (failure: unknown) => void) => {
      const prober = await validation.prober();
      return prober === null || member === null ? async () => {} : member.answerNodes(prober, onError);
    },
    /** Of the shared queue, null if it cannot be written; null if there is no queue. */
    queueCounts: member?.queueCounts ?? null,
    /** Null below level smtp. */
    proberStats: async () => (await validation.prober())?.stats?.() ?? null,
    /** Sends internal exceptions to `report`. */
    reportExceptions: (to: (error: unknown) => void) => {
      report = to;
    },
    close: async () => {
      await permits?.close();
      await jobs?.close();
      await validation.close();
    },
  };
}

/** What the processes of a shared store need to ask the same mail hosts; null for a store of this machine. */
async function openShared(options: LocalOptions, jobs: () => Promise<LocalJobs | null>) {
  const { store, level = 'smtp', ask = 'here', queue = null } = options;
  if (ask === 'workers' && (store == null || queue === null))
    throw new Failure('usage', '"ask = workers" needs workers, and a queue to them.', {
      hint: 'Give the database with the setting store, and Redis with the setting queue.',
    });
  if (store == null || level !== 'smtp') return null;
  const { LockPermits } = await import('../../jobs/queue/permits.js');
  let member: Member | null = null;
  const jobProbers = new WeakMap<Prober, Prober>();
  const proberFor: ProberFor = ({ priority, withinMs }, prober) => {
    if (member === null) return null;
    if (priority !== 'job') return ask === 'workers' && withinMs !== null ? member.workersProber(withinMs) : null;
    const known = jobProbers.get(prober) ?? member.jobProber(prober);
    jobProbers.set(prober, known);
    return known;
  };
  return {
    permits: new LockPermits(async () => (await (await jobs())?.cluster())?.database ?? null),
    proberFor,
    join: (joined: Member | null) => {
      member = joined;
    },
  };
}

async function metricsOf(validation: Validation): Promise<() => WorkerMetrics> {
  const prober = await validation.prober();
  return () => {
    const { hosts = {}, exceptions = 0, permits = 0, asked = 0 } = prober?.stats?.() ?? {};
    return { asked, exceptions, permits, hosts };
  };
}

async function openValidation(local: LocalOptions, proberFor: ProberFor | null = null): Promise<Validation> {
  const { home: _, onNote, ...engine } = local;
  const ownMail = openOwnMail(local);
  const machine = await openMachineState(local);
  const reportedNotes = new Set<EngineNote>();
  let hasException = false;
  const options: ValidationOptions = {
    onException: (error) => {
      if (!hasException)
        onNote?.(`mailvet has a bug, and some addresses may be unknown because of it: ${String(error)}`);
      hasException = true;
    },
    ...engine,
    ...machine.options,
    learnedOf: ownMail?.find ?? null,
    onNote: (note, subject = '') => {
      if (!reportedNotes.has(note)) onNote?.(sentences[note](subject, engine.greylistWaitMs ?? defaultGreylistWaitMs));
      reportedNotes.add(note);
    },
    onTooManyToRemember: () =>
      onNote?.('The list has more distinct addresses than fit in memory; later duplicates are validated again.'),
  };
  const validation = bundledEngine(options, proberFor);
  const close = async (): Promise<void> => {
    await validation.close();
    await ownMail?.close();
    machine.close();
  };
  return { ...validation, close };
}

/** What our own mail showed. Keys of a service are told about mailboxes only if the administrator allows it. */
function openOwnMail({ home, store = null, level, onNote, serveDelivered = false }: LocalOptions) {
  if (level === 'syntax') return null;
  const learned = lazy(async () => (await import('./learned-deliveries.js')).openLearned({ home, address: store }));
  let hasFailed = false;
  const find: ValidationOptions['learnedOf'] = async (email, caller = localCaller) => {
    try {
      const { delivery, ...domain } = await (await learned.get()).find(email);
      const isShown = caller.owner === localCaller.owner || serveDelivered;
      return { ...domain, ...(delivery && isShown && { delivery }) };
    } catch (error) {
      if (!hasFailed) onNote?.(`Deliveries cannot be read. ${asFailure(error).message}`);
      hasFailed = true;
      return {};
    }
  };
  return { find, close: async () => (await learned.opened())?.close() };
}

async function openJobs(options: LocalOptions, { jobAsker, isResolverDown }: Validation): Promise<LocalJobs> {
  const { openLocalJobs } = await import('./jobs.js');
  const { home, onNote, level = 'smtp', greylistWaitMs, keepJobsMs = null, processInfo, signal } = options;
  const { store: address = null, storeConnections: maxConnections } = options;
  return openLocalJobs({
    ...{ home, address, maxConnections, onNote, processInfo, signal, keepJobsMs, isResolverDown },
    openMember: (cluster) => joinCluster(options, cluster),
    openAsker: jobAsker,
    canonical: keyOfAddress,
    level,
    maxOpenRows: maxOpenRows[level],
    ...(greylistWaitMs != null && { greylistWaitMs }),
    ...drainTime(processInfo?.kind ?? 'command', level),
  });
}

async function joinCluster({ queue = null, processInfo, onNote }: LocalOptions, cluster: Cluster): Promise<Member> {
  const { openMember } = await import('../../jobs/queue/member.js');
  const kind = processInfo?.kind ?? 'command';
  return openMember({
    ...{ cluster, kind },
    // A command leaves its work to the processes that take slices.
    redis: kind === 'command' ? null : queue,
    isLarge: (provider) => providerTraits(provider) !== null,
    onNote: (text) => onNote?.(text),
  });
}

/** How long a process that stops waits for rows in flight. After Ctrl-C, a person waits. */
function drainTime(kind: ProcessInfo['kind'], level: Level): { drainMs?: number } {
  if (kind === 'command') return { drainMs: 1_000 };
  // Other workers keep the probes of a stopped worker, and a DNS query is soon repeated.
  return kind === 'worker' || level !== 'smtp' ? { drainMs: 2_000 } : {};
}

/** What other runs and processes of this machine know at level smtp. */
async function openMachineState({ home, level = 'smtp', sourceIp, isShared, onNote }: LocalOptions) {
  if (level !== 'smtp') return { options: {}, close: () => {} };
  const [{ networkDigest, openPort25Cache }, { persistentSecret }, { openMailHostLock }] = await Promise.all([
    import('./port25-cache.js'),
    import('../../disk/persistent-secret.js'),
    import('./mail-host-lock.js'),
  ]);
  const { isAlone, close } = openMailHostLock(home, onNote);
  const portMemory = isShared === true ? null : openPort25Cache(home, Date.now, () => networkDigest(sourceIp));
  // Later runs ask a domain for the same random mailbox, which a greylist then knows.
  const mailboxSecret = persistentSecret(home, 'random-mailbox.key');
  return { options: { isAlone, portMemory, mailboxSecret }, close };
}

/** Async methods that open their object at the first call: most commands need no job store. */
function lazyMethods<Target, Name extends keyof Target>(
  open: () => Promise<Target>,
  names: readonly Name[],
): Pick<Target, Name> {
  const call =
    (name: Name) =>
    async (...args: unknown[]) =>
      ((await open())[name] as (...args: unknown[]) => unknown)(...args);
  return Object.fromEntries(names.map((name) => [name, call(name)])) as Pick<Target, Name>;
}
