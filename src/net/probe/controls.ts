import { randomBytes } from 'node:crypto';
import { recent } from '../../async/bounded-map.js';
import type { Clock } from '../../async/clock.js';
import type { KnownAnswer, SmtpReply } from '../../model/evidence.js';
import type { Asked } from '../pool/probe-task.js';
import { randomLocalPart } from './random-mailbox.js';

/** A domain at one address of a mail host. Many a backup takes everything: what one host says tells nothing of what another accepted. */
export interface Place {
  domain: string;
  ip: string;
}

/** Asks for a mailbox of the domain: beside the real one, or in a fresh session where a first try settled nothing. */
type AskBeside = (localPart: string, inconclusive: Asked | null) => Promise<Asked>;

/** What an answer to the random mailbox says of the domain. `unclear`: refused in words that may mean something else. */
type RandomOutcome = 'accepted' | 'refused' | 'unclear' | 'inconclusive';

const rememberedPlaces = 20_000;
const conclusiveMs = 3_600_000;
/** Shorter than the shortest wait for a greylist, after which the same mailbox is asked for again. */
const inconclusiveMs = 45_000;

interface Kept<Answer> {
  answer: Promise<Answer>;
  /** Null while it is on its way. */
  settled: Answer | null;
  until: number;
}

/** Something asked for once a place, and kept for as long as its answer is worth. */
class OncePerPlace<Answer> {
  private readonly entries = recent<Kept<Answer>>(rememberedPlaces);

  constructor(
    private readonly clock: Clock,
    private readonly isConclusive: (answer: Answer) => boolean,
  ) {}

  /** The answer that is there, or on its way; undefined where nobody asked, or its time is over. */
  known(place: Place): Kept<Answer> | undefined {
    const entry = this.entries.get(keyOf(place));
    return entry !== undefined && this.clock.elapsed() < entry.until ? entry : undefined;
  }

  get(place: Place, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.known(place);
    if (known !== undefined) return known.answer;
    const entry: Kept<Answer> = { answer: ask(), settled: null, until: Number.POSITIVE_INFINITY };
    this.entries.set(keyOf(place), entry);
    entry.answer.then(
      (answer) => {
        entry.settled = answer;
        entry.until = this.clock.elapsed() + (this.isConclusive(answer) ? conclusiveMs : inconclusiveMs);
      },
      () => {
        entry.until = 0;
      },
    );
    return entry.answer;
  }
}

/**
 * The mailboxes that tell what an answer for another one means, once a domain and host: a random one, which cannot exist, and one
 * that the host should know. With the secret of an earlier run, the random mailboxes have the same names.
 */
export class Controls {
  private readonly firsts: OncePerPlace<Asked>;
  private readonly randoms: OncePerPlace<Asked>;
  private readonly known: OncePerPlace<KnownAnswer>;
  private readonly apart: OncePerPlace<boolean>;
  private readonly accepted = recent<SmtpReply>(rememberedPlaces);
  private key: Uint8Array | null = null;

  constructor(
    clock: Clock,
    private readonly secret: () => Uint8Array = () => randomBytes(32),
  ) {
    const isConclusive = (asked: Asked) => outcomeOf(asked) !== 'inconclusive';
    this.firsts = new OncePerPlace(clock, isConclusive);
    this.randoms = new OncePerPlace(clock, isConclusive);
    this.known = new OncePerPlace(clock, ({ reply }) => reply !== null);
    this.apart = new OncePerPlace(clock, (apart) => apart);
  }

  /** Makes the random mailbox known to a host that has greylisted the real one, so that both are let in at the next try. */
  async introduce(place: Place, ask: AskBeside): Promise<void> {
    await this.first(place, ask);
  }

  /** Asks for the random mailbox in the same breath as the real one: mostly its answer is needed, and saves a round trip. */
  alongside(place: Place, ask: AskBeside): void {
    if (this.randoms.known(place) === undefined) void this.first(place, ask);
  }

  /** The answer to the random mailbox where it is there already, as for most of a list; else null. */
  knownRandom(place: Place): Asked | null {
    return this.randoms.known(place)?.settled ?? null;
  }

  /** The answer to the random mailbox. */
  random(place: Place, ask: AskBeside): Promise<Asked> {
    return this.randoms.get(place, async () => {
      const first = await this.first(place, ask);
      return isSettled(first) ? first : askAgain(this.nameFor(place), first, ask);
    });
  }

  /** The host accepted a mailbox of the domain: as good a control as postmaster, and it costs no question. */
  noteAccepted(place: Place, reply: SmtpReply): void {
    if (this.accepted.get(keyOf(place)) === undefined) this.accepted.set(keyOf(place), reply);
  }

  /** A mailbox of the domain that the host accepted in this run; null where there is none. */
  acceptedAt(place: Place): KnownAnswer | null {
    const reply = this.accepted.get(keyOf(place));
    return reply === undefined ? null : { mailbox: 'accepted_before', reply };
  }

  /** The answer to postmaster, whom every host should know (RFC 5321 §4.5.1). */
  postmaster(place: Place, ask: () => Promise<Asked>): Promise<KnownAnswer> {
    return this.known.get(place, async () => {
      const asked = await ask();
      return { mailbox: 'postmaster', reply: asked.state === 'answered' ? asked.reply : null };
    });
  }

  /** Whether the host accepts the real mailbox again where it has just refused the random one in unclear words. */
  tellsApart(place: Place, acceptsAgain: () => Promise<boolean>): Promise<boolean> {
    return this.apart.get(place, acceptsAgain);
  }

  private first(place: Place, ask: AskBeside): Promise<Asked> {
    return this.firsts.get(place, () => ask(this.nameFor(place), null));
  }

  private nameFor({ domain }: Place): string {
    this.key ??= this.secret();
    return randomLocalPart(this.key, domain);
  }
}

/** What the answer to the random mailbox says of the domain. */
export function outcomeOf(asked: Asked): RandomOutcome {
  if (asked.state !== 'answered') return 'inconclusive';
  switch (asked.reading.reason) {
    case 'accepted':
    case 'cannot_verify':
      return 'accepted';
    case 'mailbox_not_found':
    case 'mailbox_disabled':
    case 'does_not_accept_mail':
      return 'refused';
    case 'antispam_system':
    case 'needs_reverse_dns':
    case 'sender_rejected':
      return asked.reply.code >= 500 ? 'unclear' : 'inconclusive';
    default:
      return 'inconclusive';
  }
}

function isSettled(asked: Asked): boolean {
  const outcome = outcomeOf(asked);
  return outcome === 'accepted' || outcome === 'refused';
}

/** Once more in a fresh session where the first answer does not speak of the mailbox: some hosts limit the second RCPT. */
async function askAgain(localPart: string, first: Asked, ask: AskBeside): Promise<Asked> {
  const second = await ask(localPart, first);
  return second.state !== 'answered' && first.state === 'answered' ? first : second;
}

function keyOf({ domain, ip }: Place): string {
  return `${domain} ${ip}`;
}
