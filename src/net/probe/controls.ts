import { randomBytes } from 'node:crypto';
import { abortable } from '../../async/abortable.js';
import type { Caller } from '../../async/caller.js';
import { LruMap } from '../../async/lru-map.js';
import type { KnownAnswer } from '../../model/evidence.js';
import type { Facts, HostKnowledge } from '../host-knowledge.js';
import type { HostScheduler } from '../pool/host-scheduler.js';
import type { HostTraits } from '../pool/host-traits.js';
import {
  controlOutcome,
  controlQuestion,
  isSettledControl,
  type ProbeOutcome,
  type ProbeQuestion,
  type SessionHandle,
} from '../pool/probe-task.js';
import { readReply } from '../replies/read-reply.js';
import type { Reading, ReadingContext } from '../replies/reading.js';
import type { Target } from '../smtp/dial.js';
import type { ControlAnswers } from './probe-evidence.js';
import { defaultShape, patternOf, randomLocalPart, shapeOf } from './random-mailbox.js';

type Answered = Extract<ProbeOutcome, { state: 'answered' }>;

interface ControlsOptions {
  scheduler: HostScheduler;
  knowledge: HostKnowledge;
  /** The names of random mailboxes are derived from it. */
  secret?: (() => Uint8Array) | null | undefined;
  contextOf(recipient: string, hostName: string, traits: HostTraits): ReadingContext;
  readingOf(outcome: ProbeOutcome, recipient: string): Reading | null;
  /** Resolves once the probes of the same list and domain that are pending now are answered. */
  waitForOthers(question: ProbeQuestion, caller: Caller): Promise<void>;
}

/** A question for an accepted mailbox, and the one that follows it. */
interface Confirmation {
  running: Promise<ProbeOutcome>;
  next: Promise<ProbeOutcome> | null;
}

/**
 * The control mailboxes, which show what an answer means, once for a domain and host address, since a backup MX may accept everything:
 * random ones, which cannot exist, and one that the host should know.
 */
export class Controls {
  private readonly randomAnswers: Facts<ProbeOutcome>;
  private readonly postmasters: Facts<KnownAnswer>;
  private readonly acceptedAgain: Facts<boolean>;
  private readonly accepted: Facts<string>;
  private readonly confirming = new Map<string, Confirmation>();
  private readonly names = new LruMap<readonly string[]>({ maxEntries: 5_000 });
  private key: Uint8Array | null = null;

  constructor(private readonly options: ControlsOptions) {
    const { knowledge } = options;
    this.randomAnswers = knowledge.open('random_mailbox');
    this.postmasters = knowledge.open('postmaster');
    this.acceptedAgain = knowledge.open('accepts_again');
    this.accepted = knowledge.open('accepted_mailbox');
  }

  /**
   * The random mailboxes for an address: one that serves the whole domain, and one of the address's shape, since hosts may accept or
   * refuse names by a pattern. Known providers do not.
   */
  namesFor(localPart: string, domain: string, isProvider: boolean): readonly string[] {
    const pattern = isProvider ? null : patternOf(localPart);
    return this.names.getOrCreate(`${domain} ${pattern}`, () => {
      this.key ??= (this.options.secret ?? (() => randomBytes(32)))();
      const random = randomLocalPart(this.key, domain);
      const shape = pattern === null ? defaultShape : shapeOf(pattern);
      return shape === defaultShape ? [random] : [random, randomLocalPart(this.key, domain, shape)];
    });
  }

  /** Records that the host accepted a mailbox. It is a control for its owner only: the dialogue shows it. */
  recordAccepted(domain: string, { ip }: Target, owner: string, localPart: string): void {
    this.accepted.set(`${domain} ${ip} ${owner}`, localPart);
  }

  /** The answers of the control mailboxes, if they say something about the real one. */
  async ask(question: ProbeQuestion, outcome: Answered, caller: Caller): Promise<ControlAnswers | null> {
    const { signal } = caller;
    const { reading, target, session } = outcome;
    const [randomName = ''] = question.controls;
    const isAccepted = reading.reason === 'accepted';
    if (reading.reason === 'greylisted') {
      // The host accepts or refuses them at the next try, like the real one.
      for (const name of question.controls)
        await abortable(this.options.scheduler.askControl(question, target, name, session), signal);
    }
    if (!isAccepted && !reading.vague) return null;
    const random = await abortable(this.random(question, outcome, randomName), signal);
    const answers: ControlAnswers = {
      random,
      randomReading: this.options.readingOf(random, question.recipient.address),
      shaped: null,
      acceptedAgain: false,
      knownMailbox: null,
    };
    if (random.state !== 'answered') return answers;
    if (reading.vague)
      return { ...answers, knownMailbox: await this.askKnownMailbox(question, outcome, random, caller) };
    const isUnclear = controlOutcome(random) === 'unclear';
    if (isUnclear) answers.acceptedAgain = await abortable(this.acceptsAgain(question, target, random.session), signal);
    const isRefused = isUnclear ? answers.acceptedAgain : controlOutcome(random) === 'refused';
    if (isRefused) answers.shaped = await abortable(this.shaped(question, outcome), signal);
    return answers;
  }

  /** The answer for the random mailbox; asked again in a fresh session if the first one is not about the mailbox: some hosts limit the second RCPT. */
  private random(question: ProbeQuestion, { target, session }: Answered, localPart: string): Promise<ProbeOutcome> {
    const { scheduler } = this.options;
    const learn = async () => {
      const first = await scheduler.askControl(question, target, localPart, session);
      if (isSettledControl(first)) return first;
      if (first.state === 'answered') first.session.closeAfterBatch();
      const second = await scheduler.ask(controlQuestion(question, target, localPart));
      return second.state !== 'answered' && first.state === 'answered' ? first : second;
    };
    const isSettled = (answer: ProbeOutcome) => controlOutcome(answer) !== 'inconclusive';
    const known = scheduler.knownControl(question, target, localPart);
    // Storing the first answer again would double its lifetime.
    if (known !== null && isSettledControl(known)) return Promise.resolve(known);
    return this.randomAnswers.getOrLearn(keyOf(question, target), learn, { isSettled });
  }

  /** The answer for the random mailbox of the address's shape; null if the other one has that shape. */
  private async shaped(question: ProbeQuestion, { target, session }: Answered): Promise<ControlAnswers['shaped']> {
    const { recipient, controls, provider } = question;
    const [, name] = controls;
    if (name !== undefined) return this.options.scheduler.askControl(question, target, name, session);
    const isUnshaped =
      provider === null && patternOf(recipient.address.slice(0, -recipient.domain.length - 1)) === null;
    return isUnshaped ? 'not_possible' : null;
  }

  /** Whether the host accepts the real mailbox again after it refused the random one in unclear words. */
  private acceptsAgain(question: ProbeQuestion, target: Target, session: SessionHandle): Promise<boolean> {
    const learn = async () => {
      const repeated = await this.askAgain(question, target, session);
      return repeated.state === 'answered' && repeated.reading.reason === 'accepted';
    };
    return this.acceptedAgain.getOrLearn(keyOf(question, target), learn, { isSettled: (accepts) => accepts });
  }

  private askAgain(question: ProbeQuestion, target: Target, session: SessionHandle): Promise<ProbeOutcome> {
    return this.options.scheduler.ask({ ...question, controls: [], targets: [target], session });
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
    const { target } = outcome;
    const { domain, address } = question.recipient;
    const { contextOf, waitForOthers } = this.options;
    const context = contextOf(address, target.host, question.traits);
    const readWith = (knownMailbox: KnownAnswer | null) =>
      readReply(outcome.reply, { ...context, random: random.reply, knownMailbox });
    const acceptedOr = async (otherwise: KnownAnswer | null) => {
      const localPart = this.accepted.get(`${domain} ${target.ip} ${owner}`);
      return localPart === undefined ? otherwise : this.confirmAccepted(question, outcome, localPart, caller);
    };
    if (!readWith(null).vague) return null;
    const accepted = await acceptedOr(null);
    if (accepted !== null) return accepted;
    const isPostmaster = /^postmaster@/i.test(address);
    const postmaster = isPostmaster ? null : await abortable(this.askPostmaster(question, target, random), signal);
    if (readWith(postmaster).reason === 'mailbox_not_found') return postmaster;
    await abortable(waitForOthers(question, caller), signal);
    return acceptedOr(postmaster);
  }

  /** The answer for postmaster, which every host must accept (RFC 5321 §4.5.1). */
  private askPostmaster(question: ProbeQuestion, target: Target, { session }: Answered): Promise<KnownAnswer> {
    const learn = async (): Promise<KnownAnswer> => {
      const answer = await this.options.scheduler.ask({ ...controlQuestion(question, target, 'postmaster'), session });
      return { mailbox: 'postmaster', reply: answer.state === 'answered' ? answer.reply : null };
    };
    return this.postmasters.getOrLearn(keyOf(question, target), learn, { isSettled: ({ reply }) => reply !== null });
  }

  /** The answer for a mailbox that the host accepted earlier, probed again after the refusal, in the same session if possible. */
  private async confirmAccepted(
    question: ProbeQuestion,
    { reply, target, session }: Answered,
    localPart: string,
    { owner, signal }: Caller,
  ): Promise<KnownAnswer> {
    const ask = () => this.options.scheduler.ask({ ...controlQuestion(question, target, localPart), session });
    const confirmed = await abortable(this.shareConfirmation(`${keyOf(question, target)} ${owner}`, ask), signal);
    const unproven: KnownAnswer = { mailbox: 'accepted_before', reply: null };
    if (confirmed.state !== 'answered') return unproven;
    const proven: KnownAnswer = { mailbox: 'accepted_before', reply: confirmed.reply };
    if (confirmed.reply.code >= 300 || confirmed.session === session) return proven;
    // The session of the refusal is over, and it may have refused everything.
    const repeated = await this.askAgain(question, target, confirmed.session);
    return repeated.state === 'answered' && repeated.reply.code === reply.code ? proven : unproven;
  }

  /** Refusals that wait share a question that follows them, since the host may refuse everything by then. */
  private shareConfirmation(key: string, ask: () => Promise<ProbeOutcome>): Promise<ProbeOutcome> {
    const start = (): Promise<ProbeOutcome> => {
      const entry: Confirmation = { running: ask(), next: null };
      this.confirming.set(key, entry);
      const end = (): void => {
        if (entry.next === null) this.confirming.delete(key);
      };
      entry.running.then(end, end);
      return entry.running;
    };
    const entry = this.confirming.get(key);
    if (entry === undefined) return start();
    entry.next ??= entry.running.then(start, start);
    return entry.next;
  }
}

function keyOf({ recipient }: ProbeQuestion, { ip }: Target): string {
  return `${recipient.domain} ${ip}`;
}
