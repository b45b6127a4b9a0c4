import { abortable } from '../../async/abortable.js';
import type { Caller } from '../../async/caller.js';
import type { KnownAnswer } from '../../model/evidence.js';
import type { HostScheduler } from '../pool/host-scheduler.js';
import type { HostTraits } from '../pool/host-traits.js';
import type { ProbeOutcome, ProbeQuestion, SessionHandle } from '../pool/probe-task.js';
import { type ReadingContext, readReply } from '../replies/read-reply.js';
import type { Reading } from '../replies/reading.js';
import type { Target } from '../smtp/dial.js';
import { type ControlMailboxes, type DomainAtHost, randomOutcome } from './control-mailboxes.js';
import type { ControlAnswers } from './probe-evidence.js';

type Answered = Extract<ProbeOutcome, { state: 'answered' }>;

interface ControlProbeOptions {
  scheduler: HostScheduler;
  controls: ControlMailboxes;
  contextOf(probed: string, hostName: string, traits: HostTraits): ReadingContext;
  readingOf(outcome: ProbeOutcome, probed: string): Reading | null;
  /** Resolves once the probes of the same list and domain that are pending now are answered. */
  waitForOthers(question: ProbeQuestion, caller: Caller): Promise<void>;
}

/** Asks for the control mailboxes that tell what an answer means. */
export class ControlProbe {
  constructor(private readonly options: ControlProbeOptions) {}

  /** The answers of the control mailboxes, if they say something about the real one. */
  async ask(question: ProbeQuestion, real: Answered, caller: Caller): Promise<ControlAnswers | null> {
    const { signal } = caller;
    const { reading } = real;
    const { controls, readingOf } = this.options;
    const place: DomainAtHost = { domain: question.recipient.domain, ip: real.target.ip };
    const ask = (localPart: string, inconclusive: ProbeOutcome | null): Promise<ProbeOutcome> => {
      if (inconclusive?.state === 'answered') inconclusive.session.retire();
      return this.askSameHost(question, real.target, localPart, inconclusive === null ? real.session : null);
    };
    const isAccepted = reading.reason === 'accepted';
    if (isAccepted || reading.vague) {
      const random = controls.knownRandom(place) ?? (await abortable(controls.random(place, ask), signal));
      const randomReading = readingOf(random, question.recipient.address);
      const answers = { random, randomReading, acceptedAgain: false, knownMailbox: null };
      if (random.state !== 'answered') return answers;
      if (reading.vague)
        return { ...answers, knownMailbox: await this.askKnownMailbox(question, real, random, caller) };
      if (randomOutcome(random) !== 'unclear') return answers;
      const acceptsAgain = async () => {
        const again = await this.askAgain(question, real.target, random.session);
        return again.state === 'answered' && again.reading.reason === 'accepted';
      };
      return { ...answers, acceptedAgain: await abortable(controls.acceptsAgain(place, acceptsAgain), signal) };
    }
    if (reading.reason === 'greylisted') await abortable(controls.askRandomOnce(place, ask), signal);
    return null;
  }

  /** Asks the same host for another mailbox of the domain, in the given session if it is still open. */
  askSameHost(
    question: ProbeQuestion,
    target: Target,
    localPart: string,
    session: SessionHandle | null,
  ): Promise<ProbeOutcome> {
    const { scheduler, contextOf } = this.options;
    const { domain } = question.recipient;
    const address = `${localPart}@${domain}`;
    return scheduler.ask({
      ...question,
      onBatch: null,
      recipient: { address, domain, smtputf8: false },
      targets: [target],
      read: (reply, { ourIp, ourName }) =>
        readReply(reply, { ...contextOf(address, target.host, question.traits), ourIp, ourName }),
      ...(session !== null && { session }),
    });
  }

  private askAgain(question: ProbeQuestion, target: Target, session: SessionHandle): Promise<ProbeOutcome> {
    return this.options.scheduler.ask({ ...question, targets: [target], session });
  }

  /**
   * The answer for a mailbox that the host should know, if only that can tell what a refusal means: one that it accepted for the
   * same owner, anywhere in the list, or else postmaster.
   */
  private async askKnownMailbox(
    question: ProbeQuestion,
    real: Answered,
    random: Answered,
    caller: Caller,
  ): Promise<KnownAnswer | null> {
    const { signal, owner } = caller;
    const { domain, address } = question.recipient;
    const { controls, contextOf, waitForOthers } = this.options;
    const place: DomainAtHost = { domain, ip: real.target.ip };
    const readWith = (knownMailbox: KnownAnswer | null) =>
      readReply(real.reply, {
        ...contextOf(address, real.target.host, question.traits),
        random: random.reply,
        knownMailbox,
      });
    const confirm = async (localPart: string | null, otherwise: KnownAnswer | null) =>
      localPart === null ? otherwise : this.confirmAccepted(question, real, place, localPart, caller);
    if (!readWith(null).vague) return null;
    const accepted = await confirm(controls.acceptedAt(place, owner), null);
    if (accepted !== null) return accepted;
    const ask = () => this.askSameHost(question, real.target, 'postmaster', random.session);
    const isPostmaster = /^postmaster@/i.test(address);
    const postmaster = isPostmaster ? null : await abortable(controls.postmaster(place, ask), signal);
    if (readWith(postmaster).reason === 'mailbox_not_found') return postmaster;
    await abortable(waitForOthers(question, caller), signal);
    return confirm(controls.acceptedAt(place, owner), postmaster);
  }

  /** The answer for a mailbox that the host accepted earlier, asked for after the refusal and in the same session if possible. */
  private async confirmAccepted(
    question: ProbeQuestion,
    real: Answered,
    place: DomainAtHost,
    localPart: string,
    { owner, signal }: Caller,
  ): Promise<KnownAnswer> {
    const ask = () => this.askSameHost(question, real.target, localPart, real.session);
    const confirmed = await abortable(this.options.controls.confirmAccepted(place, owner, ask), signal);
    const unproven: KnownAnswer = { mailbox: 'accepted_before', reply: null };
    if (confirmed.state !== 'answered') return unproven;
    const proven: KnownAnswer = { mailbox: 'accepted_before', reply: confirmed.reply };
    if (confirmed.reply.code >= 300 || confirmed.session === real.session) return proven;
    // The session of the refusal is over, and it may have refused everything.
    const again = await this.askAgain(question, real.target, confirmed.session);
    return again.state === 'answered' && again.reply.code === real.reply.code ? proven : unproven;
  }
}
