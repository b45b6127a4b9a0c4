import { recent } from '../../async/bounded-map.js';
import type { Clock } from '../../async/clock.js';
import type { Address } from '../../model/address.js';
import { defaultTraits, type TraitsOf } from '../pool/host-traits.js';
import type { SessionPool } from '../pool/pool.js';
import type { Asked, PoolQuestion } from '../pool/probe-task.js';
import { targetsOf } from '../pool/targets.js';
import { Dialogue } from '../pool/transcript.js';
import { readReply } from '../replies/read-reply.js';
import type { Reading } from '../replies/reading.js';
import type { ReplyRule } from '../replies/rules.js';
import type { CatchAllBook } from './catch-all.js';
import { interruptible } from './interruptible.js';
import { catchAllEvidence, mailboxEvidence, retryAtOf, shown } from './probe-evidence.js';
import type { ProbeAnswer, ProbeRequest } from './prober.js';

export interface MailboxAskerOptions {
  pool: SessionPool;
  catchAlls: CatchAllBook;
  clock: Clock;
  port: number;
  traitsOf: TraitsOf;
  extraRules: readonly ReplyRule[];
}

const rememberedDeferrals = 50_000;

/** Asks for mailboxes, and for those beside them that tell what the answer means. */
export class MailboxAsker {
  private readonly deferred = recent<true>(rememberedDeferrals);

  constructor(private readonly options: MailboxAskerOptions) {}

  async ask(request: ProbeRequest, signal?: AbortSignal): Promise<ProbeAnswer> {
    const { clock, pool } = this.options;
    const startedAt = clock.elapsed();
    const probed = wireForm(request.address);
    const question = this.questionFor(request);
    const real = await pool.ask(question, signal);
    const first = this.readingOf(real, probed);
    const random = await this.askBeside(question, real, first, signal);
    const reading = this.settled(first, real, random, probed);
    if (reading !== null && reading.retryAfterSeconds !== null) this.deferred.set(probed, true);
    const dialogue = shown(question.dialogue?.lines ?? [], startedAt);
    const mailbox = mailboxEvidence(real, reading, clock.now(), dialogue);
    const randomRead = random === null ? null : { asked: random, reading: this.readingOf(random, probed) };
    const catchAll = catchAllEvidence(reading, real, randomRead, question.traits.acceptsAll);
    if (first?.reason === 'accepted' && catchAll.outcome === 'inconclusive') {
      mailbox.retryAt = retryAtOf(randomRead?.reading ?? null, clock.now());
    }
    return { mailbox, catchAll };
  }

  private questionFor({ address, route, provider, keepDialogue }: ProbeRequest): PoolQuestion {
    const { port, traitsOf, extraRules } = this.options;
    const known = traitsOf(provider);
    const probed = wireForm(address);
    const firstContact = this.isFirstContact(probed);
    return {
      recipient: { address: probed, domain: address.domain, smtputf8: address.needsSmtpUtf8 },
      targets: targetsOf(route, port),
      traits: known === null ? defaultTraits : { ...defaultTraits, ...known },
      // Names that happen to be alike do not make hosts a provider: only one with traits of its own shares a limit.
      provider: known === null ? null : provider,
      read: (reply, { ourIp, ourName, target }) =>
        readReply(reply, { probed, ourIp, ourName, hostName: target.host, firstContact, extraRules }),
      dialogue: keepDialogue === true ? new Dialogue() : null,
    };
  }

  /** The answer to the random mailbox of the domain, where it tells something of the real one; null where nobody asks. */
  private async askBeside(
    question: PoolQuestion,
    real: Asked,
    reading: Reading | null,
    signal?: AbortSignal,
  ): Promise<Asked | null> {
    if (real.state !== 'answered' || reading === null || question.traits.acceptsAll) return null;
    const { pool, catchAlls, extraRules } = this.options;
    const { domain } = question.recipient;
    const { host, ip } = real.target;
    const ask = (localPart: string, inconclusive: Asked | null = null): Promise<Asked> => {
      const address = `${localPart}@${domain}`;
      if (inconclusive?.state === 'answered') inconclusive.seat.retire();
      return pool.ask({
        ...question,
        recipient: { address, domain, smtputf8: false },
        targets: [real.target],
        read: (reply, { ourIp, ourName }) =>
          readReply(reply, { probed: address, ourIp, ourName, hostName: host, extraRules }),
        ...(inconclusive === null && { seat: real.seat }),
      });
    };
    if (reading.reason === 'accepted' || reading.vague) {
      return interruptible(catchAlls.answerFor(domain, ip, ask), signal);
    }
    if (reading.reason === 'greylisted') await interruptible(catchAlls.introduce(domain, ip, ask), signal);
    return null;
  }

  /** What a vague refusal means beside the answer to the random mailbox. */
  private settled(reading: Reading | null, real: Asked, random: Asked | null, probed: string): Reading | null {
    if (reading?.vague !== true || real.state !== 'answered' || random?.state !== 'answered') return reading;
    const { extraRules } = this.options;
    return readReply(real.reply, { probed, hostName: real.target.host, random: random.reply, extraRules });
  }

  /** What the answer, or the reply that ended the dialogue, means; null where no host said anything. */
  private readingOf(asked: Asked, probed: string): Reading | null {
    if (asked.state === 'answered') return asked.reading;
    if (asked.state !== 'faulted' || asked.fault.reply === null) return null;
    const reading = readReply(asked.fault.reply, {
      probed,
      hostName: asked.target?.host ?? '',
      firstContact: this.isFirstContact(probed),
      extraRules: this.options.extraRules,
    });
    return reading.reason === 'session_limit' ? { ...reading, reason: 'rate_limited' } : reading;
  }

  private isFirstContact(probed: string): boolean {
    return this.deferred.get(probed) === undefined;
  }
}

/** The address as it goes on the wire. */
export function wireForm({ localPart, domain }: Address): string {
  return `${localPart}@${domain}`;
}
