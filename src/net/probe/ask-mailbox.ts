import { recent } from '../../async/bounded-map.js';
import type { Clock } from '../../async/clock.js';
import { shareOf } from '../../async/work-share.js';
import type { Address } from '../../model/address.js';
import type { KnownAnswer, MailRoute } from '../../model/evidence.js';
import { defaultTraits, type TraitsOf } from '../pool/host-traits.js';
import type { SessionPool } from '../pool/pool.js';
import type { Asked, PoolQuestion, Seat } from '../pool/probe-task.js';
import { targetsOf } from '../pool/targets.js';
import { Dialogue } from '../pool/transcript.js';
import { readReply } from '../replies/read-reply.js';
import type { Reading } from '../replies/reading.js';
import { getRulesReady, type ReplyRule } from '../replies/rules.js';
import type { Target } from '../smtp/dial.js';
import { AskedTogether } from './asked-together.js';
import { type Controls, outcomeOf, type Place } from './controls.js';
import { interruptible } from './interruptible.js';
import {
  type Beside,
  catchAllEvidence,
  controlsEvidence,
  mailboxEvidence,
  retryAtOf,
  shown,
} from './probe-evidence.js';
import type { ProbeAnswer, ProbeRequest } from './prober.js';

interface MailboxAskerOptions {
  pool: SessionPool;
  controls: Controls;
  clock: Clock;
  port: number;
  /** The address of this machine that hosts are dialled from, where it is settled. */
  sourceIp: string | null;
  traitsOf: TraitsOf;
  extraRules: readonly ReplyRule[];
}

const rememberedDeferrals = 50_000;

type Answered = Extract<Asked, { state: 'answered' }>;

/** Asks for mailboxes, and for those beside them that tell what the answer means. */
export class MailboxAsker {
  private readonly deferred = recent<true>(rememberedDeferrals);
  private readonly together = new AskedTogether();
  private readonly targets = new WeakMap<MailRoute, readonly Target[]>();
  private ready = false;

  constructor(private readonly options: MailboxAskerOptions) {}

  async ask(request: ProbeRequest, signal?: AbortSignal): Promise<ProbeAnswer> {
    const { clock } = this.options;
    const startedAt = clock.elapsed();
    const probed = wireForm(request.address);
    const question = this.questionFor(request);
    const real = await this.askFor(question, signal);
    const first = this.readingOf(real, probed);
    const needed = real.state === 'answered' && !question.traits.acceptsAll && isOpen(real.reading);
    const beside = needed ? await this.askBeside(question, real, signal) : null;
    const reading = this.settled(first, real, beside, probed);
    if (reading !== null && reading.retryAfterSeconds !== null) this.deferred.set(probed, true);
    const dialogue = shown(question.dialogue?.lines ?? [], startedAt);
    const mailbox = mailboxEvidence(real, reading, clock.now(), dialogue);
    const controls = controlsEvidence(first, reading, beside);
    if (controls !== null) mailbox.controls = controls;
    const catchAll = catchAllEvidence(reading, real, beside, question.traits.acceptsAll);
    if (first?.reason === 'accepted' && catchAll.outcome === 'inconclusive') {
      mailbox.retryAt = retryAtOf(beside?.randomReading ?? null, clock.now());
    }
    return { mailbox, catchAll };
  }

  private askFor(question: PoolQuestion, signal?: AbortSignal): Promise<Asked> {
    const { pool, controls } = this.options;
    const answered = this.together.join(togetherKey(question, signal));
    const asking = pool.ask(question, signal);
    this.getReady();
    asking.then((real) => {
      // Before the others hear that it was answered.
      if (real.state === 'answered' && real.reading.reason === 'accepted') {
        controls.noteAccepted({ domain: question.recipient.domain, ip: real.target.ip }, real.reply);
      }
      answered();
    }, answered);
    return asking;
  }

  /**
   * While the first hosts have yet to speak, the rules are made ready: the first refusal would have to wait for them. Not before those
   * that connect at once have been heard of, so that their other sessions are on the way, too.
   */
  private getReady(): void {
    if (!this.ready) setImmediate(() => setImmediate(getRulesReady));
    this.ready = true;
  }

  private questionFor({ address, route, provider, keepDialogue }: ProbeRequest): PoolQuestion {
    const { traitsOf, controls } = this.options;
    const known = traitsOf(provider);
    const probed = wireForm(address);
    const firstContact = this.isFirstContact(probed);
    const traits = known === null ? defaultTraits : { ...defaultTraits, ...known };
    const question: PoolQuestion = {
      recipient: { address: probed, domain: address.domain, smtputf8: address.needsSmtpUtf8 },
      targets: this.targetsOf(route),
      traits,
      // Names that happen to be alike do not make hosts a provider: only one with traits of its own shares a limit.
      provider: known === null ? null : provider,
      read: (reply, { ourIp, ourName, target }) =>
        readReply(reply, { ...this.echoesOf(probed, target.host), ourIp, ourName, firstContact }),
      dialogue: keepDialogue === true ? new Dialogue() : null,
      alongside: traits.acceptsAll
        ? null
        : (target, seat) => {
            const ask = (localPart: string) => this.askThere(question, target, localPart, seat);
            controls.alongside({ domain: address.domain, ip: target.ip }, ask);
          },
    };
    return question;
  }

  /** Once for all addresses of a domain. */
  private targetsOf(route: MailRoute): readonly Target[] {
    const known = this.targets.get(route);
    if (known !== undefined) return known;
    const targets = targetsOf(route, this.options.port, this.options.sourceIp);
    this.targets.set(route, targets);
    return targets;
  }

  /** The answers to the controls, where they tell something of the real mailbox. */
  private async askBeside(question: PoolQuestion, real: Answered, signal?: AbortSignal): Promise<Beside | null> {
    const { reading } = real;
    const { controls } = this.options;
    const place: Place = { domain: question.recipient.domain, ip: real.target.ip };
    const ask = (localPart: string, inconclusive: Asked | null): Promise<Asked> => {
      if (inconclusive?.state === 'answered') inconclusive.seat.retire();
      return this.askThere(question, real.target, localPart, inconclusive === null ? real.seat : null);
    };
    const accepted = reading.reason === 'accepted';
    if (accepted || reading.vague) {
      const random = controls.knownRandom(place) ?? (await interruptible(controls.random(place, ask), signal));
      const randomReading = this.readingOf(random, question.recipient.address);
      const beside = { random, randomReading, tellsApart: false, known: null };
      if (random.state !== 'answered') return beside;
      if (reading.vague) return { ...beside, known: await this.askKnown(question, real, random, signal) };
      if (outcomeOf(random) !== 'unclear') return beside;
      const again = async () => {
        const asked = await this.options.pool.ask({ ...question, targets: [real.target], seat: random.seat });
        return asked.state === 'answered' && asked.reading.reason === 'accepted';
      };
      return { ...beside, tellsApart: await interruptible(controls.tellsApart(place, again), signal) };
    }
    if (reading.reason === 'greylisted') await interruptible(controls.introduce(place, ask), signal);
    return null;
  }

  /**
   * The answer to a mailbox that the host should know, where only that can tell what a refusal means. One that it accepts in this run
   * tells most, wherever it stands in the list, and postmaster costs a question.
   */
  private async askKnown(
    question: PoolQuestion,
    real: Answered,
    random: Answered,
    signal?: AbortSignal,
  ): Promise<KnownAnswer | null> {
    const { domain, address } = question.recipient;
    const { controls } = this.options;
    const place: Place = { domain, ip: real.target.ip };
    const readWith = (known: KnownAnswer | null) =>
      readReply(real.reply, { ...this.echoesOf(address, real.target.host), random: random.reply, known });
    if (!readWith(null).vague) return null;
    const before = controls.acceptedAt(place);
    if (before !== null) return before;
    const ask = () => this.askThere(question, real.target, 'postmaster', random.seat);
    const isPostmaster = /^postmaster@/i.test(address);
    const postmaster = isPostmaster ? null : await interruptible(controls.postmaster(place, ask), signal);
    if (readWith(postmaster).reason === 'mailbox_not_found') return postmaster;
    await interruptible(this.together.answered(togetherKey(question, signal)), signal);
    return controls.acceptedAt(place) ?? postmaster;
  }

  /** Asks the same host for another mailbox of the domain, in that session where it still stands. */
  private askThere(question: PoolQuestion, target: Target, localPart: string, seat: Seat | null): Promise<Asked> {
    const { domain } = question.recipient;
    const address = `${localPart}@${domain}`;
    return this.options.pool.ask({
      ...question,
      alongside: null,
      recipient: { address, domain, smtputf8: false },
      targets: [target],
      read: (reply, { ourIp, ourName }) => readReply(reply, { ...this.echoesOf(address, target.host), ourIp, ourName }),
      ...(seat !== null && { seat }),
    });
  }

  /** What a refusal that names no cause means beside the answers to the controls. */
  private settled(reading: Reading | null, real: Asked, beside: Beside | null, probed: string): Reading | null {
    if (reading?.vague !== true || real.state !== 'answered' || beside?.random.state !== 'answered') return reading;
    const controls = { random: beside.random.reply, known: beside.known };
    return readReply(real.reply, { ...this.echoesOf(probed, real.target.host), ...controls });
  }

  /** What the answer, or the reply that ended the dialogue, means; null where no host said anything. */
  private readingOf(asked: Asked, probed: string): Reading | null {
    if (asked.state === 'answered') return asked.reading;
    if (asked.state !== 'faulted' || asked.fault.reply === null) return null;
    const firstContact = this.isFirstContact(probed);
    const reading = readReply(asked.fault.reply, { ...this.echoesOf(probed, asked.target?.host ?? ''), firstContact });
    return reading.reason === 'session_limit' ? { ...reading, reason: 'rate_limited' } : reading;
  }

  /** What replies about a mailbox may repeat, and what the user has to say of their words. */
  private echoesOf(probed: string, hostName: string) {
    const { extraRules, pool } = this.options;
    return { probed, hostName, senders: pool.senders, extraRules };
  }

  private isFirstContact(probed: string): boolean {
    return this.deferred.get(probed) === undefined;
  }
}

/** Only other mailboxes tell what such an answer means, or will mean once a greylist lets us in. */
function isOpen({ reason, vague }: Reading): boolean {
  return vague || reason === 'accepted' || reason === 'greylisted';
}

/** Mailboxes of one domain in one list. */
function togetherKey({ recipient }: PoolQuestion, signal?: AbortSignal): string {
  const { urgency, owner, work } = shareOf(signal);
  return `${recipient.domain} ${urgency} ${owner} ${work}`;
}

/** The address as it goes on the wire. */
export function wireForm({ localPart, domain }: Address): string {
  return `${localPart}@${domain}`;
}
