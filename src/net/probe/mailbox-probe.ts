import { isIP, isIPv4 } from 'node:net';
import { type Caller, localCaller } from '../../async/caller.js';
import { PendingGroups } from '../../async/pending-groups.js';
import type { Address } from '../../model/address.js';
import type { MailRoute } from '../../model/evidence.js';
import type { Facts, HostKnowledge } from '../host-knowledge.js';
import type { HostScheduler } from '../pool/host-scheduler.js';
import { defaultTraits, type HostTraits, type TraitsOf } from '../pool/host-traits.js';
import type { ProbeOutcome, ProbeQuestion } from '../pool/probe-task.js';
import { readReply } from '../replies/read-reply.js';
import type { Reading, ReadingContext, UserRule } from '../replies/reading.js';
import { routesIn, type Target } from '../smtp/dial.js';
import { Controls } from './controls.js';
import {
  type ControlAnswers,
  catchAllEvidence,
  finalReading,
  mailboxEvidence,
  retryAtOf,
  unprobeableAnswer,
} from './probe-evidence.js';
import type { ProbeAnswer, ProbeRequest } from './prober.js';

const maxTargets = 9;
const maxAddressesPerHost = 3;

export interface MailboxProbeOptions {
  scheduler: HostScheduler;
  knowledge: HostKnowledge;
  /** The secret for the names of random mailboxes, read once; null: a new one. */
  mailboxSecret: (() => Uint8Array) | null;
  port: number;
  /** The local address to dial from; null: any. */
  sourceIp: string | null;
  traitsOf: TraitsOf;
  extraRules: readonly UserRule[];
  onException(error: unknown): void;
}

/** Probes a mailbox, and reads its answer with those of the control mailboxes. */
export class MailboxProbe {
  private readonly deferred: Facts<true>;
  private readonly pending = new PendingGroups();
  private readonly targets = new WeakMap<MailRoute, readonly Target[]>();
  private readonly controls: Controls;

  constructor(private readonly options: MailboxProbeOptions) {
    const { scheduler, knowledge } = options;
    this.deferred = knowledge.open('deferred_mailbox');
    this.controls = new Controls({
      scheduler,
      knowledge,
      secret: options.mailboxSecret,
      contextOf: (recipient, hostName, traits) => this.contextOf(recipient, hostName, traits),
      readingOf: (outcome, recipient) => this.readingOf(outcome, recipient),
      waitForOthers: (question, caller) => this.pending.waitForAnswers(groupKey(question, caller)),
    });
  }

  /** Asks once more after an internal exception. */
  async probe(request: ProbeRequest, caller: Caller = localCaller, isRetry = false): Promise<ProbeAnswer> {
    const startedAt = this.options.knowledge.clock.elapsed();
    try {
      const question = this.questionFor(request, caller);
      const outcome = await this.askMailbox(question, caller);
      const hasControls = outcome.state === 'answered' && !question.traits.acceptsAll && needsControls(outcome.reading);
      const answers = hasControls ? await this.controls.ask(question, outcome, caller) : null;
      return this.evidenceOf(question, outcome, answers, startedAt);
    } catch (error) {
      if (caller.signal?.aborted === true) throw error;
      this.options.onException(error);
      return isRetry ? unprobeableAnswer(request, 'exception') : this.probe(request, caller, true);
    }
  }

  private evidenceOf(
    question: ProbeQuestion,
    outcome: ProbeOutcome,
    answers: ControlAnswers | null,
    startedAt: number,
  ): ProbeAnswer {
    const { clock } = this.options.knowledge;
    const recipient = question.recipient.address;
    const firstReading = this.readingOf(outcome, recipient);
    const reading = this.readWithControls(question, firstReading, outcome, answers);
    if (reading !== null && reading.retryAfterSeconds !== null) this.deferred.set(recipient, true);
    const sinceStart = (at: number) => Math.max(0, Math.round(at - startedAt));
    const dialogue = Array.from(question.dialogue ?? [], ({ at, ...line }) => ({ atMs: sinceStart(at), ...line }));
    const mailbox = mailboxEvidence(outcome, reading, clock.now(), dialogue);
    const controlEvidence = finalReading(firstReading, reading, answers);
    if (controlEvidence !== null) mailbox.controls = controlEvidence;
    const catchAll = catchAllEvidence(reading, outcome, answers, question.traits.acceptsAll);
    if (firstReading?.reason === 'accepted' && catchAll.outcome === 'inconclusive') {
      mailbox.retryAt = retryAtOf(answers?.randomReading ?? null, clock.now());
    }
    return { mailbox, catchAll };
  }

  private askMailbox(question: ProbeQuestion, caller: Caller): Promise<ProbeOutcome> {
    const markAnswered = this.pending.join(groupKey(question, caller));
    const outcome = this.options.scheduler.ask(question, caller);
    outcome.then((answer) => {
      // Recorded before waiting probes of the group continue.
      const { address, domain, smtputf8 } = question.recipient;
      if (answer.state === 'answered' && answer.reading.reason === 'accepted' && !smtputf8)
        this.controls.recordAccepted(domain, answer.target, caller.owner, address.slice(0, -domain.length - 1));
      markAnswered();
    }, markAnswered);
    return outcome;
  }

  private questionFor(
    { address, route, provider, keepDialogue, isOfList = false }: ProbeRequest,
    { priority }: Caller,
  ): ProbeQuestion {
    const { controls } = this;
    const providerTraits = this.options.traitsOf(provider);
    const recipient = wireForm(address);
    const traits = providerTraits === null ? defaultTraits : { ...defaultTraits, ...providerTraits };
    return {
      recipient: { address: recipient, domain: address.domain, smtputf8: address.needsSmtpUtf8 },
      targets: this.targetsOf(route),
      traits,
      isOfList,
      isOfJob: priority === 'job',
      // Only a provider with known traits shares a limit: other hosts may have the same name by chance.
      provider: providerTraits === null ? null : provider,
      read: (reply, { ourIp, ourName, target }, asked) => {
        const context: ReadingContext = this.contextOf(asked, target.host, traits);
        context.ourIp = ourIp;
        context.ourName = ourName;
        context.firstContact = this.isFirstContact(asked);
        return readReply(reply, context);
      },
      dialogue: keepDialogue === true ? new Set() : null,
      // Not for hosts that are down: the names cost more than the rest.
      get controls() {
        return traits.acceptsAll ? [] : controls.namesFor(address.localPart, address.domain, providerTraits !== null);
      },
    };
  }

  /**
   * The addresses of a route in the order to dial, once for all addresses of a domain: by host, IPv4 first, since hosts are stricter with
   * unknown clients over IPv6. With source addresses, only those of their families.
   */
  private targetsOf(route: MailRoute): readonly Target[] {
    const cached = this.targets.get(route);
    if (cached !== undefined) return cached;
    const { port } = this.options;
    const families = routesIn(this.options.sourceIp).map(isIP);
    const targets = route.hosts.flatMap(({ name, addresses }) => {
      const usable = families.length === 0 ? addresses : addresses.filter((ip) => families.includes(isIP(ip)));
      const ordered = [...usable.filter(isIPv4), ...usable.filter((ip) => !isIPv4(ip))];
      return ordered.slice(0, maxAddressesPerHost).map((ip) => ({ host: name, ip, port }));
    });
    this.targets.set(route, targets.slice(0, maxTargets));
    return targets.slice(0, maxTargets);
  }

  /** The meaning of a vague refusal, given the answers for the control mailboxes. */
  private readWithControls(
    question: ProbeQuestion,
    reading: Reading | null,
    outcome: ProbeOutcome,
    answers: ControlAnswers | null,
  ): Reading | null {
    if (reading?.vague !== true || outcome.state !== 'answered' || answers?.random.state !== 'answered') return reading;
    const recipient = question.recipient.address;
    const controls = { random: answers.random.reply, knownMailbox: answers.knownMailbox };
    return readReply(outcome.reply, {
      ...this.contextOf(recipient, outcome.target.host, question.traits),
      ...controls,
    });
  }

  /** What the answer, or the reply that ended the dialogue, means; null if no host replied. */
  private readingOf(probeOutcome: ProbeOutcome, recipient: string): Reading | null {
    if (probeOutcome.state === 'answered') return probeOutcome.reading;
    if (probeOutcome.state !== 'faulted' || probeOutcome.fault.reply === null) return null;
    const firstContact = this.isFirstContact(recipient);
    const context = this.contextOf(recipient, probeOutcome.target?.host ?? '', defaultTraits);
    const reading = readReply(probeOutcome.fault.reply, { ...context, firstContact });
    return reading.reason === 'session_limit' ? { ...reading, reason: 'rate_limited' } : reading;
  }

  /** What replies may echo, and the rules of the user and for the provider. */
  private contextOf(recipient: string, hostName: string, { replyRules: providerRules }: HostTraits) {
    const { extraRules, scheduler } = this.options;
    return { recipient, hostName, senders: scheduler.options.senders, extraRules, providerRules };
  }

  private isFirstContact(recipient: string): boolean {
    return this.deferred.get(recipient) === undefined;
  }
}

/** Whether only control mailboxes show what the answer means, now or after greylisting. */
function needsControls({ reason, vague }: Reading): boolean {
  return vague || reason === 'accepted' || reason === 'greylisted';
}

/** Groups the probes of one domain in one list. */
function groupKey({ recipient }: ProbeQuestion, { priority, owner, taskId }: Caller): string {
  return `${recipient.domain} ${priority} ${owner} ${taskId}`;
}

/** The address as sent in RCPT; parsing it returns the same address. */
export function wireForm({ localPart, domain }: Address): string {
  return `${localPart}@${domain}`;
}
