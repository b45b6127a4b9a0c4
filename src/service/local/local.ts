import type { EngineNote } from '../../engine/engine-options.js';
import { providerTraits } from '../../engine/lists/providers.js';
import type { Dispatch } from '../../jobs/dispatch/open-dispatch.js';
import type { ProcessInfo } from '../../jobs/store/process-info.js';
import type { ValidationService } from '../../model/service.js';
import { keyOfAddress } from '../dedupe/mailbox-key.js';
import type { ValidationOptions } from '../validation-options.js';
import type { LocalJobs } from './jobs.js';
import { bundledEngine, type ProberFor, rowsUnderWay, type Validation } from './validation.js';

export interface LocalOptions
  extends Omit<ValidationOptions, 'onNote' | 'portMemory' | 'mailboxSecret' | 'onTooManyToRemember'> {
  /** The data directory: job store, and what is remembered of this network. */
  home: string;
  /** The address of a database for jobs and keys; null: the data directory. */
  store?: string | null;
  /** The address of Redis for the queue of workers; null: the database. */
  queue?: string | null;
  /** How long jobs are kept after they ended; null keeps them until somebody prunes. */
  keepJobsMs?: number | null;
  /** How others who share the database see this process. */
  processInfo?: ProcessInfo;
  /** Something the user should know; said once. */
  onNote?: (text: string) => void;
}

const sentences: Record<EngineNote, (subject: string) => string> = {
  waiting_for_greylists: () =>
    'Some mail servers ask strangers to come back later. mailvet does, after 1, 5 and 15 minutes; --greylist-wait 0 reports such addresses at once.',
  resolver_denies_everything: () =>
    'The DNS server denies even top-level domains that exist, so its denials cannot be trusted. Use another DNS server with --resolver HOST, or run "mailvet doctor".',
  resolver_invents_answers: () =>
    'The DNS server answers for names that do not exist, so its answers cannot be trusted. Use another DNS server with --resolver HOST.',
  resolver_does_not_answer: (servers) =>
    `No answer comes from the DNS server ${servers}, not even about a random name under .com, so whatever needs DNS is unknown. Try --resolver HOST with a resolver that works, or run "mailvet doctor".`,
  outbound_port_blocked: () =>
    'Outbound port 25 is blocked on this network, so no mailbox can be asked for; the rest is checked at DNS level. Try --level dns to say so up front, --proxy socks5://HOST through a machine that is not blocked, "mailvet serve" on such a machine, or a remote service.',
};

/** The service on this machine: the bundled engine, and a durable store for jobs that is opened when one is first needed. */
export async function openLocalService(options: LocalOptions): Promise<ValidationService> {
  let lanes: Dispatch | null = null;
  let openingLanes: Promise<Dispatch | null> | null = null;
  let opening: Promise<LocalJobs> | null = null;
  const proberFor: ProberFor = (asker, own) =>
    asker.priority === 'job' ? (lanes?.proberFor(asker, own) ?? null) : null;
  const validation = await openValidation(options, usesDispatch(options) ? proberFor : null);
  const jobs = (): Promise<LocalJobs> => {
    opening ??= openJobs(options, { ...validation, openVet });
    return opening;
  };
  // Whoever runs a job leaves mailboxes to the workers of its store, where there are some; whoever only looks needs no lanes.
  const openVet: Validation['openVet'] = async (signal, job) => {
    if (usesDispatch(options)) openingLanes ??= jobs().then((opened) => openSharedLanes(options, opened));
    lanes = await openingLanes;
    return validation.openVet(signal, job);
  };
  return {
    ...validation,
    ...onDemand(jobs, ['previewUpload', 'confirmUpload', 'listJobs', 'getJob', 'jobResults', 'cancelJob']),
    jobs: onDemand(
      async () => (await jobs()).jobs,
      ['confirm', 'jobsOf', 'listJobs', 'settingsOf', 'work', 'resume', 'prune'],
    ),
    close: async () => {
      await lanes?.close();
      if (opening !== null) await (await opening).close();
      await validation.close();
    },
  };
}

/** The two halves of the service, for whoever offers them to others. */
interface LocalParts {
  validation: Validation;
  jobs: LocalJobs;
  /** Asks for mailboxes on behalf of all who share the store, where that has lanes; gives the function that stops that. */
  takeLanes(onError: (failure: unknown) => void): Promise<() => Promise<void>>;
  /** How long the queue of the lanes takes to answer, null where it does not; null where there are no lanes. */
  queueSeconds: (() => Promise<number | null>) | null;
  close(): Promise<void>;
}

/** The same engine and store, opened at once; only jobs wait for hosts that say "try later". */
export async function openLocalParts(options: LocalOptions): Promise<LocalParts> {
  // Who serves hears of it when the server starts, and not with the first request.
  if ((options.level ?? 'smtp') === 'smtp')
    await (await import('../../net/smtp/source-address.js')).checkOutboundRoute(options);
  let lanes: Dispatch | null = null;
  const proberFor: ProberFor = (asker, own) => lanes?.proberFor(asker, own) ?? own;
  const isShared = usesDispatch(options);
  const validation = await openValidation({ ...options, greylistWaitMs: 0 }, isShared ? proberFor : null);
  const jobs = await openJobs(options, validation);
  if (isShared) lanes = await openSharedLanes(options, jobs);
  return {
    validation,
    jobs,
    takeLanes: async (onError) => {
      const prober = await validation.prober();
      if (lanes === null || prober === null) return async () => {};
      const { defaultSessions } = await import('../../net/probe/smtp-prober.js');
      return lanes.work(prober, options.concurrency ?? defaultSessions, onError);
    },
    queueSeconds: lanes?.queueSeconds ?? null,
    close: async () => {
      await lanes?.close();
      await jobs.close();
      await validation.close();
    },
  };
}

/** Mailboxes are asked for, and those who share a database share that. */
function usesDispatch({ store, level = 'smtp' }: LocalOptions): boolean {
  return store != null && level === 'smtp';
}

async function openSharedLanes({ queue = null, onNote }: LocalOptions, jobs: LocalJobs): Promise<Dispatch | null> {
  const [cluster, { openDispatch: openLanes }] = await Promise.all([
    jobs.cluster(),
    import('../../jobs/dispatch/open-dispatch.js'),
  ]);
  if (cluster === undefined) return null;
  return openLanes({
    cluster,
    isLarge: (provider) => providerTraits(provider) !== null,
    redis: queue,
    onNote: (text) => onNote?.(text),
  });
}

async function openValidation(
  { home, onNote, keepJobsMs: _, store: __, processInfo: ___, queue: ____, ...engine }: LocalOptions,
  proberFor: ProberFor | null = null,
): Promise<Validation> {
  const said = new Set<EngineNote>();
  const options: ValidationOptions = {
    ...engine,
    ...(await remembered(home, engine)),
    onNote: (note, subject = '') => {
      if (!said.has(note)) onNote?.(sentences[note](subject));
      said.add(note);
    },
    onTooManyToRemember: () =>
      onNote?.('The list has more distinct addresses than are remembered; later duplicates are vetted as new ones.'),
  };
  return bundledEngine(options, proberFor);
}

async function openJobs(options: LocalOptions, { openVet, isResolverDown }: Validation): Promise<LocalJobs> {
  const { openLocalJobs } = await import('./jobs.js');
  const { home, store = null, onNote, level = 'smtp', greylistWaitMs, keepJobsMs = null, processInfo: card } = options;
  return openLocalJobs({
    home,
    address: store,
    ...(onNote && { onNote }),
    ...(card && { card }),
    openVet,
    isResolverDown,
    canonical: keyOfAddress,
    level,
    rowsUnderWay: rowsUnderWay[level],
    keepJobsMs,
    ...(greylistWaitMs != null && { greylistWaitMs }),
    // What others ask for a job goes on without whoever held it, and a name that DNS has not answered for by then is as soon asked again.
    ...((card?.kind === 'worker' || level !== 'smtp') && { drainMs: 2_000 }),
  });
}

/** What lasts from run to run, where mailboxes are asked for. */
async function remembered(
  home: string,
  { level = 'smtp', sourceIp }: ValidationOptions,
): Promise<Pick<ValidationOptions, 'portMemory' | 'mailboxSecret'>> {
  if (level !== 'smtp') return {};
  const [{ networkName, openPortFinding: portMemory }, { mailboxSecret }] = await Promise.all([
    import('./port25-cache.js'),
    import('./mailbox-secret.js'),
  ]);
  return {
    portMemory: portMemory(home, Date.now, () => networkName(sourceIp)),
    mailboxSecret: mailboxSecret(home),
  };
}

/** Methods, all asynchronous, that open their object when one of them is first called: most commands never touch a job. */
function onDemand<Target, Name extends keyof Target>(
  open: () => Promise<Target>,
  names: readonly Name[],
): Pick<Target, Name> {
  const call =
    (name: Name) =>
    async (...args: unknown[]) =>
      ((await open())[name] as (...args: unknown[]) => unknown)(...args);
  return Object.fromEntries(names.map((name) => [name, call(name)])) as Pick<Target, Name>;
}
