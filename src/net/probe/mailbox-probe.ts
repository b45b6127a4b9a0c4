import { abortable } from '../../async/abortable.js';
import { type Caller, localCaller } from '../../async/caller.js';
import type { Address } from '../../model/address.js';
import type { KnownAnswer, MailRoute } from '../../model/evidence.js';
import type { Facts, HostKnowledge } from '../host-knowledge.js';
import type { HostScheduler } from '../pool/host-scheduler.js';
import { defaultTraits, type HostTraits, type TraitsOf } from '../pool/host-traits.js';
import type { ProbeOutcome, ProbeQuestion, SessionHandle } from '../pool/probe-task.js';
import { targetsOf } from '../pool/targets.js';
import { Dialogue } from '../pool/transcript.js';
import { type UserRule, warmUpRules } from '../replies/match-phrase.js';
import { readReply } from '../replies/read-reply.js';
import type { Reading } from '../replies/reading.js';
import type { Target } from '../smtp/dial.js';
import { type ControlMailboxes, type DomainAtHost, randomOutcome } from './control-mailboxes.js';
import { PendingGroups } from './pending-groups.js';
import {
  type ControlAnswers,
  catchAllEvidence,
  controlsEvidence,
  dialogueLines,
  mailboxEvidence,
  retryAtOf,
  unprobeable,
} from './probe-evidence.js';
import type { ProbeAnswer, ProbeRequest } from './prober.js';

interface MailboxProbeOptions {
  scheduler: HostScheduler;
  controls: ControlMailboxes;
  knowledge: HostKnowledge;
  port: number;
  /** The local address to dial from; null: any. */
  sourceIp: string | null;
  traitsOf: TraitsOf;
  extraRules: readonly UserRule[];
  onException(error: unknown): void;
}

type Answered = Extract<ProbeOutcome, { state: 'answered' }>;

/** Probes a mailbox, and the control mailboxes that tell what its answer means. */
export class MailboxProbe {
  private readonly deferred: Facts<true>;
  private readonly pending = new PendingGroups();
  private readonly targets = new WeakMap<MailRoute, readonly Target[]>();
  private isWarm = false;

  constructor(private readonly options: MailboxProbeOptions) {
    this.deferred = options.knowledge.open('deferred_mailbox');
  }

  /** Asks once more after an exception of our own. */
  async probe(request: ProbeRequest, caller: Caller = localCaller, isRetry = false): Promise<ProbeAnswer> {
    const startedAt = this.options.knowledge.clock.elapsed();
    try {
      const question = this.questionFor(request);
      const real = await this.askMailbox(question, caller);
      const needed = real.state === 'answered' && !question.traits.acceptsAll && needsControls(real.reading);
      const answers = needed ? await this.askControls(question, real, caller) : null;
      return this.evidenceOf(question, real, answers, startedAt);
    } catch (error) {
      if (caller.signal?.aborted === true) throw error;
      this.options.onException(error);
      return isRetry ? unprobeable(request, 'exception') : this.probe(request, caller, true);
    }
  }

  private evidenceOf(
    question: ProbeQuestion,
    real: ProbeOutcome,
    answers: ControlAnswers | null,
    startedAt: number,
  ): ProbeAnswer {
    const { clock } = this.options.knowledge;
    const probed = question.recipient.address;
    const first = this.readingOf(real, probed);
    const reading = this.readWithControls(question, first, real, answers);
    if (reading !== null && reading.retryAfterSeconds !== null) this.deferred.set(probed, true);
    const dialogue = dialogueLines(question.dialogue?.lines ?? [], startedAt);
    const mailbox = mailboxEvidence(real, reading, clock.now(), dialogue);
    const controls = controlsEvidence(first, reading, answers);
    if (controls !== null) mailbox.controls = controls;
    const catchAll = catchAllEvidence(reading, real, answers, question.traits.acceptsAll);
    if (first?.reason === 'accepted' && catchAll.outcome === 'inconclusive') {
      mailbox.retryAt = retryAtOf(answers?.randomReading ?? null, clock.now());
    }
    return { mailbox, catchAll };
  }

  private askMailbox(question: ProbeQuestion, caller: Caller): Promise<ProbeOutcome> {
    const { scheduler, controls } = this.options;
    const answered = this.pending.join(groupKey(question, caller));
    const asking = scheduler.ask(question, caller);
    this.warmUpRules();
    asking.then((real) => {
      // Recorded before waiting probes of the group continue.
      const { address, domain, smtputf8 } = question.recipient;
      if (real.state === 'answered' && real.reading.reason === 'accepted' && !smtputf8) {
        controls.recordAccepted({ domain, ip: real.target.ip }, address.slice(0, -domain.length - 1));
      }
      answered();
    }, answered);
    return asking;
  }

  /** Compiles the reply rules while the first connections are being made, so that the first refusal does not wait for them. */
  private warmUpRules(): void {
    if (!this.isWarm) setImmediate(() => setImmediate(warmUpRules));
    this.isWarm = true;
  }

  private questionFor({ address, route, provider, keepDialogue }: ProbeRequest): ProbeQuestion {
    const { traitsOf, controls } = this.options;
    const known = traitsOf(provider);
    const probed = wireForm(address);
    const firstContact = this.isFirstContact(probed);
    const traits = known === null ? defaultTraits : { ...defaultTraits, ...known };
    const question: ProbeQuestion = {
      recipient: { address: probed, domain: address.domain, smtputf8: address.needsSmtpUtf8 },
      targets: this.targetsOf(route),
      traits,
      // Only a provider with known traits shares a limit: other hosts may have the same name by chance.
      provider: known === null ? null : provider,
      read: (reply, { ourIp, ourName, target }) =>
        readReply(reply, { ...this.contextOf(probed, target.host, traits), ourIp, ourName, firstContact }),
      dialogue: keepDialogue === true ? new Dialogue() : null,
      onBatch: traits.acceptsAll
        ? null
        : (target, session) => {
            const ask = (localPart: string) => this.askSameHost(question, target, localPart, session);
            controls.askRandomInBatch({ domain: address.domain, ip: target.ip }, ask);
          },
    };
    return question;
  }

  /** Computed once for all addresses of a domain. */
  private targetsOf(route: MailRoute): readonly Target[] {
    const known = this.targets.get(route);
    if (known !== undefined) return known;
    const targets = targetsOf(route, this.options.port, this.options.sourceIp);
    this.targets.set(route, targets);
    return targets;
  }

  /** The answers of the control mailboxes, where they say something about the real one. */
  private async askControls(question: ProbeQuestion, real: Answered, caller: Caller): Promise<ControlAnswers | null> {
    const { signal } = caller;
    const { reading } = real;
    const { controls } = this.options;
    const place: DomainAtHost = { domain: question.recipient.domain, ip: real.target.ip };
    const ask = (localPart: string, inconclusive: ProbeOutcome | null): Promise<ProbeOutcome> => {
      if (inconclusive?.state === 'answered') inconclusive.session.retire();
      return this.askSameHost(question, real.target, localPart, inconclusive === null ? real.session : null);
    };
    const accepted = reading.reason === 'accepted';
    if (accepted || reading.vague) {
      const random = controls.knownRandom(place) ?? (await abortable(controls.random(place, ask), signal));
      const randomReading = this.readingOf(random, question.recipient.address);
      const answers = { random, randomReading, acceptedAgain: false, known: null };
      if (random.state !== 'answered') return answers;
      if (reading.vague) return { ...answers, known: await this.askKnownMailbox(question, real, random, caller) };
      if (randomOutcome(random) !== 'unclear') return answers;
      const acceptsAgain = async () => {
        const probeOutcome = await this.options.scheduler.ask({
          ...question,
          targets: [real.target],
          session: random.session,
        });
        return probeOutcome.state === 'answered' && probeOutcome.reading.reason === 'accepted';
      };
      return { ...answers, acceptedAgain: await abortable(controls.acceptsAgain(place, acceptsAgain), signal) };
    }
    if (reading.reason === 'greylisted') await abortable(controls.askRandomOnce(place, ask), signal);
    return null;
  }

  /**
   * The answer for a mailbox that the host should know, where only that can tell what a refusal means: one that it accepted in this
   * run, wherever it stands in the list, or else postmaster.
   */
  private async askKnownMailbox(
    question: ProbeQuestion,
    real: Answered,
    random: Answered,
    caller: Caller,
  ): Promise<KnownAnswer | null> {
    const { signal } = caller;
    const { domain, address } = question.recipient;
    const { controls } = this.options;
    const place: DomainAtHost = { domain, ip: real.target.ip };
    const readWith = (known: KnownAnswer | null) =>
      readReply(real.reply, {
        ...this.contextOf(address, real.target.host, question.traits),
        random: random.reply,
        known,
      });
    if (!readWith(null).vague) return null;
    if (controls.acceptedAt(place) !== null) return this.confirmAccepted(question, real, place, caller);
    const ask = () => this.askSameHost(question, real.target, 'postmaster', random.session);
    const isPostmaster = /^postmaster@/i.test(address);
    const postmaster = isPostmaster ? null : await abortable(controls.postmaster(place, ask), signal);
    if (readWith(postmaster).reason === 'mailbox_not_found') return postmaster;
    await abortable(this.pending.answered(groupKey(question, caller)), signal);
    return controls.acceptedAt(place) === null ? postmaster : this.confirmAccepted(question, real, place, caller);
  }

  /** The answer for a mailbox that the host accepted earlier, asked for after the refusal and in the same session where possible. */
  private async confirmAccepted(
    question: ProbeQuestion,
    real: Answered,
    place: DomainAtHost,
    { signal }: Caller,
  ): Promise<KnownAnswer> {
    const { controls, scheduler } = this.options;
    const localPart = controls.acceptedAt(place) ?? 'postmaster';
    const ask = () => this.askSameHost(question, real.target, localPart, real.session);
    const confirmed = await abortable(controls.confirmAccepted(place, ask), signal);
    const unproven: KnownAnswer = { mailbox: 'accepted_before', reply: null };
    if (confirmed.state !== 'answered') return unproven;
    const known: KnownAnswer = { mailbox: 'accepted_before', reply: confirmed.reply };
    if (confirmed.reply.code >= 300 || confirmed.session === real.session) return known;
    // The session of the refusal is over, and it may have refused everything.
    const again = await scheduler.ask({ ...question, targets: [real.target], session: confirmed.session });
    return again.state === 'answered' && again.reply.code === real.reply.code ? known : unproven;
  }

  /** Asks the same host for another mailbox of the domain, in the given session if it is still open. */
  private askSameHost(
    question: ProbeQuestion,
    target: Target,
    localPart: string,
    session: SessionHandle | null,
  ): Promise<ProbeOutcome> {
    const { domain } = question.recipient;
    const address = `${localPart}@${domain}`;
    return this.options.scheduler.ask({
      ...question,
      onBatch: null,
      recipient: { address, domain, smtputf8: false },
      targets: [target],
      read: (reply, { ourIp, ourName }) =>
        readReply(reply, { ...this.contextOf(address, target.host, question.traits), ourIp, ourName }),
      ...(session !== null && { session }),
    });
  }

  /** What a vague refusal means in the light of the control mailboxes. */
  private readWithControls(
    question: ProbeQuestion,
    reading: Reading | null,
    real: ProbeOutcome,
    answers: ControlAnswers | null,
  ): Reading | null {
    if (reading?.vague !== true || real.state !== 'answered' || answers?.random.state !== 'answered') return reading;
    const probed = question.recipient.address;
    const controls = { random: answers.random.reply, known: answers.known };
    return readReply(real.reply, { ...this.contextOf(probed, real.target.host, question.traits), ...controls });
  }

  /** What the answer, or the reply that ended the dialogue, means; null where no host replied. */
  private readingOf(probeOutcome: ProbeOutcome, probed: string): Reading | null {
    if (probeOutcome.state === 'answered') return probeOutcome.reading;
    if (probeOutcome.state !== 'faulted' || probeOutcome.fault.reply === null) return null;
    const firstContact = this.isFirstContact(probed);
    const context = this.contextOf(probed, probeOutcome.target?.host ?? '', defaultTraits);
    const reading = readReply(probeOutcome.fault.reply, { ...context, firstContact });
    return reading.reason === 'session_limit' ? { ...reading, reason: 'rate_limited' } : reading;
  }

  /** What replies may echo, and the rules of the user and for the provider. */
  private contextOf(probed: string, hostName: string, { replyRules: providerRules }: HostTraits) {
    const { extraRules, scheduler } = this.options;
    return { probed, hostName, senders: scheduler.senders, extraRules, providerRules };
  }

  private isFirstContact(probed: string): boolean {
    return this.deferred.get(probed) === undefined;
  }
}

/** Only control mailboxes tell what such an answer means, now or after greylisting. */
function needsControls({ reason, vague }: Reading): boolean {
  return vague || reason === 'accepted' || reason === 'greylisted';
}

/** Groups the probes of one domain in one list. */
function groupKey({ recipient }: ProbeQuestion, { priority, owner, taskId }: Caller): string {
  return `${recipient.domain} ${priority} ${owner} ${taskId}`;
}

/** The address as sent in RCPT. */
export function wireForm({ localPart, domain }: Address): string {
  return `${localPart}@${domain}`;
}
