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
  contextOf(recipient: string, hostName: string, traits: HostTraits): ReadingContext;
  readingOf(outcome: ProbeOutcome, recipient: string): Reading | null;
  /** Resolves once the probes of the same list and domain that are pending now are answered. */
  waitForOthers(question: ProbeQuestion, caller: Caller): Promise<void>;
}

/** Asks for the control mailboxes that show what an answer means. */
export class ControlProbe {
  constructor(private readonly options: ControlProbeOptions) {}

  /** The answers of the control mailboxes, if they say something about the real one. */
  async ask(question: ProbeQuestion, outcome: Answered, caller: Caller): Promise<ControlAnswers | null> {
    const { signal } = caller;
    const { reading } = outcome;
    const { controls, readingOf } = this.options;
    const scope: DomainAtHost = { domain: question.recipient.domain, ip: outcome.target.ip };
    const ask = (localPart: string, inconclusive: ProbeOutcome | null): Promise<ProbeOutcome> => {
      if (inconclusive?.state === 'answered') inconclusive.session.closeAfterBatch();
      return this.askSameHost(question, outcome.target, localPart, inconclusive === null ? outcome.session : null);
    };
    const isAccepted = reading.reason === 'accepted';
    if (isAccepted || reading.vague) {
      const random = controls.knownRandom(scope) ?? (await abortable(controls.random(scope, ask), signal));
      const randomReading = readingOf(random, question.recipient.address);
      const answers = { random, randomReading, acceptedAgain: false, knownMailbox: null };
      if (random.state !== 'answered') return answers;
      if (reading.vague)
        return { ...answers, knownMailbox: await this.askKnownMailbox(question, outcome, random, caller) };
      if (randomOutcome(random) !== 'unclear') return answers;
      const acceptsAgain = async () => {
        const repeated = await this.askAgain(question, outcome.target, random.session);
        return repeated.state === 'answered' && repeated.reading.reason === 'accepted';
      };
      return { ...answers, acceptedAgain: await abortable(controls.acceptsAgain(scope, acceptsAgain), signal) };
    }
    if (reading.reason === 'greylisted') await abortable(controls.askRandomOnce(scope, ask), signal);
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
    outcome: Answered,
    random: Answered,
    caller: Caller,
  ): Promise<KnownAnswer | null> {
    const { signal, owner } = caller;
    const { domain, address } = question.recipient;
    const { controls, contextOf, waitForOthers } = this.options;
    const scope: DomainAtHost = { domain, ip: outcome.target.ip };
    const readWith = (knownMailbox: KnownAnswer | null) =>
      readReply(outcome.reply, {
        ...contextOf(address, outcome.target.host, question.traits),
        random: random.reply,
        knownMailbox,
      });
    const confirm = async (localPart: string | null, otherwise: KnownAnswer | null) =>
      localPart === null ? otherwise : this.confirmAccepted(question, outcome, scope, localPart, caller);
    if (!readWith(null).vague) return null;
    const accepted = await confirm(controls.acceptedAt(scope, owner), null);
    if (accepted !== null) return accepted;
    const ask = () => this.askSameHost(question, outcome.target, 'postmaster', random.session);
    const isPostmaster = /^postmaster@/i.test(address);
    const postmaster = isPostmaster ? null : await abortable(controls.postmaster(scope, ask), signal);
    if (readWith(postmaster).reason === 'mailbox_not_found') return postmaster;
    await abortable(waitForOthers(question, caller), signal);
    return confirm(controls.acceptedAt(scope, owner), postmaster);
  }

  /** The answer for a mailbox that the host accepted earlier, probed again after the refusal, in the same session if possible. */
  private async confirmAccepted(
    question: ProbeQuestion,
    outcome: Answered,
    scope: DomainAtHost,
    localPart: string,
    { owner, signal }: Caller,
  ): Promise<KnownAnswer> {
    const ask = () => this.askSameHost(question, outcome.target, localPart, outcome.session);
    const confirmed = await abortable(this.options.controls.confirmAccepted(scope, owner, ask), signal);
    const unproven: KnownAnswer = { mailbox: 'accepted_before', reply: null };
    if (confirmed.state !== 'answered') return unproven;
    const proven: KnownAnswer = { mailbox: 'accepted_before', reply: confirmed.reply };
    if (confirmed.reply.code >= 300 || confirmed.session === outcome.session) return proven;
    // The session of the refusal is over, and it may have refused everything.
    const repeated = await this.askAgain(question, outcome.target, confirmed.session);
    return repeated.state === 'answered' && repeated.reply.code === outcome.reply.code ? proven : unproven;
  }
}
