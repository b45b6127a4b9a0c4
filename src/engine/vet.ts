import { abortable } from '../async/abortable.js';
import { type Caller, localCaller } from '../async/caller.js';
import { yieldToIo } from '../async/yield-to-io.js';
import type { Address, ParsedAddress } from '../model/address.js';
import type {
  CatchAllEvidence,
  DnsLookup,
  DomainDeliveries,
  Evidence,
  Level,
  ListFacts,
  MailboxEvidence,
  PlausibilityEvidence,
} from '../model/evidence.js';
import { recordsNotAsked } from '../model/record-checks/record-checks.js';
import type { Step } from '../model/service.js';
import type { Verdict, Vetted } from '../model/verdict.js';
import type { ProbeAnswer, ProbeRequest, Prober } from '../net/probe/prober.js';
import type { DomainLookup, MailRouteLookup } from './domain-lookup.js';
import { judge } from './judge.js';
import { vetSandbox } from './sandbox.js';

/** Checkers gather evidence and never judge. They throw only when aborted. */
export interface Checkers {
  lists: {
    check(address: Address): ListFacts;
    disposableHost(host: string): { name: string; domains: number | null } | null;
    isAllowed(address: Address): boolean;
  };
  /** Null: no network. */
  network: NetworkCheckers | null;
}

/** The checkers that need the network, and the model for what they could not decide. */
export interface NetworkCheckers {
  domain(address: Address, caller?: Caller): DomainLookup;
  prober: Prober;
  /** Null: the model is off. */
  plausibility: ((address: Address) => PlausibilityEvidence) | null;
  /** What was learned about a domain from bounces. */
  deliveriesOf?: ((domain: string) => DomainDeliveries | null) | null;
  /** Called when a probe will be retried later. */
  onDeferred?: () => void;
  /** Records DNS lookups for `explain`. */
  lookups?: DnsLookup[];
}

export interface VetOptions {
  level: Level;
  /** Keep lookups and the dialogue in the evidence. */
  explain?: boolean;
  /** Retry deferred mailboxes; false reports them at once. */
  patient?: boolean;
  /** The caller, whose signal stops the checks. */
  caller?: Caller;
  onStep?: (step: Step) => void;
  /** Aborted with the signal, or when time is up; then an unanswered probe is a timeout. */
  deadline?: AbortSignal;
  /** True: at the deadline, answer at once with what is known. */
  failOpen?: boolean;
}

const notAsked = Object.freeze({ state: 'skipped', reason: 'not_asked' } as const);
const noTimings = Object.freeze({});
const catchAllNotRun: CatchAllEvidence = Object.freeze({ outcome: 'not_run', source: null, reply: null });

/** Vets one address: syntax, lists, domain, mailbox, verdict. Synchronous if no network is needed. */
export function vet(
  input: string,
  syntax: ParsedAddress,
  checkers: Checkers,
  options: VetOptions,
): Vetted | Promise<Vetted> {
  const evidence: Evidence = {
    input,
    level: options.level,
    syntax,
    lists: syntax.ok ? checkers.lists.check(syntax.address) : null,
    route: notAsked,
    ...recordsNotAsked,
    provider: null,
    mailbox: null,
    catchAll: catchAllNotRun,
    plausibility: null,
    timings: noTimings,
  };
  const sandbox = syntax.ok ? vetSandbox(syntax.address, evidence, options.deadline ?? options.caller?.signal) : null;
  if (sandbox !== null) return sandbox instanceof Promise ? answerAtDeadline(sandbox, evidence, options) : sandbox;
  const { lists, network } = checkers;
  if (!syntax.ok || network === null || options.level === 'syntax' || evidence.lists?.reserved != null) {
    return { evidence, verdict: judge(evidence), elapsedMs: 0 };
  }
  const vetted = vetOverNetwork(syntax.address, evidence, lists, network, options);
  return options.failOpen === true ? answerAtDeadline(vetted, evidence, options) : vetted;
}

/** A function that vets addresses at level syntax. Nearly all are clean, and share one verdict. */
export function createSyntaxVetter(
  lists: Checkers['lists'] & { isClean(address: Address): boolean },
): (input: string, syntax: ParsedAddress) => Verdict | Promise<Verdict> {
  let cleanVerdict: Verdict | null = null;
  return (input, syntax) => {
    const isClean = syntax.ok && lists.isClean(syntax.address);
    if (isClean && cleanVerdict !== null) return cleanVerdict;
    const vetted = vet(input, syntax, { lists, network: null }, { level: 'syntax' });
    if (vetted instanceof Promise) return vetted.then(({ verdict }) => verdict);
    if (isClean) cleanVerdict = vetted.verdict;
    return vetted.verdict;
  };
}

/** The answer, or at the deadline the verdict on the evidence so far. */
async function answerAtDeadline(
  vetted: Promise<Vetted>,
  evidence: Evidence,
  { deadline, caller, failOpen }: VetOptions,
): Promise<Vetted> {
  const start = performance.now();
  try {
    return await abortable(vetted, deadline);
  } catch (error) {
    if (deadline?.aborted !== true || caller?.signal?.aborted === true) throw error;
    const host = evidence.route.state === 'passed' ? (evidence.route.detail.hosts[0]?.name ?? null) : null;
    const known: Evidence = { ...evidence, mailbox: evidence.mailbox ?? timedOut(host) };
    if (failOpen === true) known.failOpen = true;
    return { evidence: known, verdict: judge(known), elapsedMs: performance.now() - start };
  }
}

async function vetOverNetwork(
  address: Address,
  evidence: Evidence,
  lists: Checkers['lists'],
  checkers: NetworkCheckers,
  options: VetOptions,
): Promise<Vetted> {
  const start = performance.now();
  options.onStep?.({ asking: 'dns', target: address.displayDomain });
  const { route, records } = checkers.domain(address, options.caller);
  recordRoute(address, evidence, lists, await route);
  evidence.timings = { dns: elapsedSince(start) };
  // The probe does not wait for the DNS records.
  if (options.level === 'smtp') await probeMailbox(address, evidence, checkers, options);
  Object.assign(evidence, await records);
  if (evidence.mailbox === null) evidence.timings.dns = elapsedSince(start);
  if (checkers.lookups !== undefined) evidence.lookups = checkers.lookups;
  // One letter says nothing about a name.
  const hasName = /^.[^+]/.test(address.localPart);
  if (checkers.plausibility !== null && hasName && !isDecided(evidence)) {
    evidence.plausibility = checkers.plausibility(address);
  }
  const deliveries = isDecided(evidence) ? null : checkers.deliveriesOf?.(address.domain);
  if (deliveries != null) evidence.deliveries = deliveries;
  return { evidence, verdict: judge(evidence), elapsedMs: performance.now() - start };
}

function recordRoute(
  address: Address,
  evidence: Evidence,
  lists: Checkers['lists'],
  { route, provider }: MailRouteLookup,
): void {
  evidence.route = route;
  evidence.provider = provider;
  if (evidence.lists?.disposable === null && !lists.isAllowed(address)) {
    const host = disposableHost(route, lists);
    if (host !== null) {
      evidence.lists = { ...evidence.lists, disposable: host.name, disposableNeighbors: host.domains };
    }
  }
}

async function probeMailbox(
  address: Address,
  evidence: Evidence,
  checkers: NetworkCheckers,
  { explain, patient, caller, deadline, onStep }: VetOptions,
): Promise<void> {
  if (evidence.route.state !== 'passed') return;
  const start = performance.now();
  const { detail: route } = evidence.route;
  onStep?.({ asking: 'mailbox', target: route.hosts[0]?.name ?? address.displayDomain });
  const request = {
    address,
    route,
    provider: evidence.provider,
    keepDialogue: explain === true,
    patient: patient === true,
    ...(checkers.onDeferred && { onDeferred: checkers.onDeferred }),
  };
  const { mailbox, catchAll } = await probeUntilDeadline(checkers.prober, request, caller, deadline);
  await yieldToIo();
  evidence.mailbox = mailbox;
  evidence.catchAll = catchAll;
  evidence.timings.smtp = elapsedSince(start);
}

/** Whole milliseconds. */
function elapsedSince(start: number): number {
  return Math.round(performance.now() - start);
}

function probeUntilDeadline(
  prober: Prober,
  request: ProbeRequest,
  caller?: Caller,
  deadline?: AbortSignal,
): Promise<ProbeAnswer> {
  if (deadline === undefined) return prober.probe(request, caller);
  return prober.probe(request, { ...(caller ?? localCaller), signal: deadline }).catch((error: unknown) => {
    if (!deadline.aborted || caller?.signal?.aborted === true) throw error;
    return { mailbox: timedOut(request.route.hosts[0]?.name ?? null), catchAll: catchAllNotRun };
  });
}

function timedOut(host: string | null): MailboxEvidence {
  const outcome = { state: 'unknown', reason: 'timeout_exceeded' } as const;
  return { outcome, host, rule: 'deadline', certainty: 0.9, ip: null, reply: null, retryAt: null, dialogue: [] };
}

function disposableHost(route: Evidence['route'], lists: Checkers['lists']) {
  if (route.state !== 'passed') return null;
  for (const { name } of route.detail.hosts) {
    const host = lists.disposableHost(name);
    if (host !== null) return host;
  }
  return null;
}

/** Whether the domain or the mailbox is proven, so that the model is not needed. */
function isDecided({ route, mailbox, catchAll }: Evidence): boolean {
  if (route.state === 'failed') return true;
  if (mailbox === null) return false;
  if (mailbox.outcome.state === 'failed') return true;
  return mailbox.outcome.state === 'passed' && catchAll.outcome === 'refused';
}
