import { abortable } from '../async/abortable.js';
import { type Caller, localCaller } from '../async/caller.js';
import { sleep, systemClock } from '../async/clock.js';
import { yieldToIo } from '../async/yield-to-io.js';
import type { Address, ParsedAddress } from '../model/address.js';
import type {
  CatchAllEvidence,
  DnsLookup,
  Evidence,
  LearnedEvidence,
  Level,
  ListFacts,
  MailboxEvidence,
  MailRoute,
  PlausibilityEvidence,
} from '../model/evidence.js';
import { recordsNotAsked } from '../model/record-checks/record-checks.js';
import type { Step } from '../model/service.js';
import type { Verdict, Vetted } from '../model/verdict.js';
import type { ProbeAnswer, Prober } from '../net/probe/prober.js';
import type { DomainLookup, MailRouteLookup } from './domain-lookup.js';
import { judge } from './judge.js';
import type { Lists } from './lists/lists.js';
import { sandboxEvidence } from './sandbox.js';

/** Checkers gather evidence and never judge. They throw only when aborted. */
export interface Checkers {
  lists: Pick<Lists, 'check' | 'disposableHost' | 'isAllowed'>;
  /** Null: no network. */
  network: NetworkCheckers | null;
}

/** The checkers that need the network, and the model for what they could not decide. */
export interface NetworkCheckers {
  domain(address: Address, caller?: Caller): DomainLookup;
  prober: Prober;
  /** Null: the model is off. */
  plausibility: ((address: Address) => PlausibilityEvidence) | null;
  /** What our own mail showed of an address. */
  learnedOf?: ((email: string, caller?: Caller) => Promise<LearnedEvidence>) | null;
  /** Records DNS lookups for `explain`. */
  lookups?: DnsLookup[];
}

export interface VetOptions {
  level: Level;
  /** Keep lookups and the dialogue in the evidence. */
  explain?: boolean;
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
const routeNotAsked: MailRouteLookup = Object.freeze({ route: notAsked, provider: null });

/** Vets one address: syntax, lists, domain, mailbox, verdict. Synchronous if no network is needed. */
export function vet(
  input: string,
  syntax: ParsedAddress,
  { lists, network }: Checkers,
  options: VetOptions,
): Vetted | Promise<Vetted> {
  const evidence: Evidence = {
    input,
    level: options.level,
    syntax,
    lists: syntax.ok ? lists.check(syntax.address) : null,
    route: notAsked,
    ...recordsNotAsked,
    provider: null,
    mailbox: null,
    catchAll: catchAllNotRun,
    plausibility: null,
    timings: noTimings,
  };
  if (!syntax.ok) return conclude(evidence);
  if (evidence.lists?.reserved != null) return vetReserved(syntax.address, evidence, options);
  if (network === null || options.level === 'syntax') return conclude(evidence);
  return vetOverNetwork(syntax.address, evidence, lists, network, options);
}

function conclude(evidence: Evidence, elapsedMs = 0): Vetted {
  return { evidence, verdict: judge(evidence), elapsedMs };
}

/** Reserved names have no mail servers. Those of the sandbox say what the verdict is, some after a delay. */
function vetReserved(address: Address, evidence: Evidence, options: VetOptions): Vetted | Promise<Vetted> {
  const sandbox = sandboxEvidence(address, evidence);
  if (sandbox === null) return conclude(evidence);
  const { complete, early, delayMs } = sandbox;
  if (delayMs === 0) return conclude(complete);
  const { failOpen, caller, deadline } = options;
  const waited = sleep(systemClock, delayMs, deadline ?? caller?.signal).then(() => complete);
  const late = { ...early, mailbox: timedOut(early.route), ...(failOpen === true && { failOpen }) };
  return untilDeadline(waited, deadline, caller, late).then((known) => conclude(known, delayMs));
}

/** A function that vets addresses at level syntax. Nearly all are clean, and share one verdict. */
export function createSyntaxVetter(lists: Lists): (input: string, syntax: ParsedAddress) => Verdict | Promise<Verdict> {
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

/** The result of a step; at the deadline, what stands in for it. */
function untilDeadline<Part>(
  step: Promise<Part>,
  deadline: AbortSignal | undefined,
  caller: Caller | undefined,
  otherwise: Part,
): Promise<Part> {
  if (deadline === undefined) return step;
  return abortable(step, deadline).catch((error: unknown) => {
    if (!deadline.aborted || caller?.signal?.aborted === true) throw error;
    step.catch(() => {});
    return otherwise;
  });
}

async function vetOverNetwork(
  address: Address,
  known: Evidence,
  lists: Checkers['lists'],
  checkers: NetworkCheckers,
  options: VetOptions,
): Promise<Vetted> {
  const { caller, level, onStep, failOpen = false } = options;
  // DNS has timeouts of its own.
  const dnsDeadline = failOpen ? options.deadline : undefined;
  const start = performance.now();
  onStep?.({ asking: 'dns', target: address.displayDomain });
  const domain = checkers.domain(address, caller);
  const { route, provider } = await untilDeadline(domain.route, dnsDeadline, caller, routeNotAsked);
  const routeMs = elapsedSince(start);
  // The probe does not wait for the DNS records.
  const probe =
    level === 'smtp' && route.state === 'passed'
      ? await probeMailbox(address, route.detail, provider, checkers, options)
      : null;
  const smtpMs = elapsedSince(start) - routeMs;
  const records = await untilDeadline(domain.records, dnsDeadline, caller, recordsNotAsked);
  const isLate = failOpen && options.deadline?.aborted === true;
  const evidence: Evidence = {
    ...known,
    lists: withDisposableHost(address, known.lists, route, lists),
    route,
    provider,
    ...records,
    ...(probe ?? (isLate && { mailbox: timedOut(route) })),
    timings: probe === null ? { dns: elapsedSince(start) } : { dns: routeMs, smtp: smtpMs },
    ...(checkers.lookups && { lookups: checkers.lookups }),
    ...(isLate && { failOpen: true as const }),
  };
  if (isLate || isDecided(evidence)) return conclude(evidence, performance.now() - start);
  // One letter says nothing about a name.
  const hasName = /^.[^+]/.test(address.localPart);
  const undecided: Evidence = {
    ...evidence,
    plausibility: hasName ? (checkers.plausibility?.(address) ?? null) : null,
    ...(await checkers.learnedOf?.(known.input, caller)),
  };
  return conclude(undecided, performance.now() - start);
}

/** The facts of the lists; a domain whose mail host serves disposable ones is disposable. */
function withDisposableHost(
  address: Address,
  facts: ListFacts | null,
  route: Evidence['route'],
  lists: Checkers['lists'],
): ListFacts | null {
  if (facts?.disposable !== null || route.state !== 'passed' || lists.isAllowed(address)) return facts;
  for (const { name } of route.detail.hosts) {
    const host = lists.disposableHost(name);
    if (host !== null) return { ...facts, disposable: host.name, disposableNeighbors: host.domains };
  }
  return facts;
}

async function probeMailbox(
  address: Address,
  route: MailRoute,
  provider: string | null,
  { prober }: NetworkCheckers,
  { explain, caller, deadline, onStep }: VetOptions,
): Promise<ProbeAnswer> {
  onStep?.({ asking: 'mailbox', target: route.hosts[0]?.name ?? address.displayDomain });
  const request = {
    address,
    route,
    provider,
    keepDialogue: explain === true,
    // One address has a deadline.
    isOfList: deadline === undefined,
  };
  const probing = prober.probe(
    request,
    deadline === undefined ? caller : { ...(caller ?? localCaller), signal: deadline },
  );
  const late = { mailbox: timedOut({ state: 'passed', detail: route }), catchAll: catchAllNotRun };
  const answer = await untilDeadline(probing, deadline, caller, late);
  await yieldToIo();
  return answer;
}

/** Whole milliseconds. */
function elapsedSince(start: number): number {
  return Math.round(performance.now() - start);
}

function timedOut(route: Evidence['route']): MailboxEvidence {
  const outcome = { state: 'unknown', reason: 'timeout_exceeded' } as const;
  const host = route.state === 'passed' ? (route.detail.hosts[0]?.name ?? null) : null;
  return { outcome, host, rule: 'deadline', certainty: 0.9, ip: null, reply: null, retryAt: null, dialogue: [] };
}

/** Whether the domain or the mailbox is proven, so that the model is not needed. */
function isDecided({ route, mailbox, catchAll }: Evidence): boolean {
  if (route.state === 'failed') return true;
  if (mailbox === null) return false;
  if (mailbox.outcome.state === 'failed') return true;
  return mailbox.outcome.state === 'passed' && catchAll.outcome === 'refused';
}
