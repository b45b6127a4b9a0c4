import { randomBytes } from 'node:crypto';
import type { Clock } from '../../async/clock.js';
import { LruMap } from '../../async/lru-map.js';
import type { KnownAnswer, SmtpReply } from '../../model/evidence.js';
import type { ProbeOutcome } from '../pool/probe-task.js';
import { randomLocalPart } from './random-mailbox.js';

/** A domain at one host address. A backup MX may accept everything, so answers of one host say nothing about another. */
export interface DomainAtHost {
  domain: string;
  ip: string;
}

/** Asks for a mailbox of the domain: in the session of the real one, or in a fresh one after an inconclusive answer. */
type AskControl = (localPart: string, inconclusive: ProbeOutcome | null) => Promise<ProbeOutcome>;

/** What the answer for the random mailbox says. `unclear`: refused in words that may mean something else. */
type RandomOutcome = 'accepted' | 'refused' | 'unclear' | 'inconclusive';

const maxEntries = 20_000;
const conclusiveTtlMs = 3_600_000;
/** Shorter than the first greylist retry, which asks for the same mailbox again. */
const inconclusiveTtlMs = 45_000;

interface CacheEntry<Answer> {
  answer: Promise<Answer>;
  /** Null while it is in flight. */
  settled: Answer | null;
  until: number;
}

/** A control that is asked once for a domain and host, and cached. */
class CachedControl<Answer> {
  private readonly entries = new LruMap<CacheEntry<Answer>>({ maxEntries: maxEntries });

  constructor(
    private readonly clock: Clock,
    private readonly isConclusive: (answer: Answer) => boolean,
  ) {}

  /** The cached or in-flight answer; undefined where there is none, or it has expired. */
  known(place: DomainAtHost): CacheEntry<Answer> | undefined {
    const entry = this.entries.get(keyOf(place));
    return entry !== undefined && this.clock.elapsed() < entry.until ? entry : undefined;
  }

  get(place: DomainAtHost, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.known(place);
    if (known !== undefined) return known.answer;
    const entry: CacheEntry<Answer> = { answer: ask(), settled: null, until: Number.POSITIVE_INFINITY };
    this.entries.set(keyOf(place), entry);
    entry.answer.then(
      (answer) => {
        entry.settled = answer;
        entry.until = this.clock.elapsed() + (this.isConclusive(answer) ? conclusiveTtlMs : inconclusiveTtlMs);
      },
      () => {
        entry.until = 0;
      },
    );
    return entry.answer;
  }
}

/**
 * The mailboxes that tell what an answer for another one means, once for a domain and host: a random one, which cannot exist, and one
 * that the host should know. The same secret gives the same random names.
 */
export class ControlMailboxes {
  private readonly firstTries: CachedControl<ProbeOutcome>;
  private readonly randoms: CachedControl<ProbeOutcome>;
  private readonly known: CachedControl<KnownAnswer>;
  private readonly acceptedAgain: CachedControl<boolean>;
  private readonly accepted: LruMap<SmtpReply>;
  private key: Uint8Array | null = null;

  constructor(
    clock: Clock,
    private readonly secret: () => Uint8Array = () => randomBytes(32),
  ) {
    const isConclusive = (asked: ProbeOutcome) => randomOutcome(asked) !== 'inconclusive';
    this.firstTries = new CachedControl(clock, isConclusive);
    this.randoms = new CachedControl(clock, isConclusive);
    this.known = new CachedControl(clock, ({ reply }) => reply !== null);
    this.acceptedAgain = new CachedControl(clock, (apart) => apart);
    this.accepted = new LruMap({ maxEntries, ttlMs: conclusiveTtlMs, now: clock.elapsed });
  }

  /** Asks a greylisting host for the random mailbox, so that it accepts both at the next try. */
  async askRandomOnce(place: DomainAtHost, ask: AskControl): Promise<void> {
    await this.first(place, ask);
  }

  /** Asks for the random mailbox in the same batch as the real one, which saves a round trip. */
  askRandomInBatch(place: DomainAtHost, ask: AskControl): void {
    if (this.randoms.known(place) === undefined) void this.first(place, ask);
  }

  /** The answer for the random mailbox if it is known already. */
  knownRandom(place: DomainAtHost): ProbeOutcome | null {
    return this.randoms.known(place)?.settled ?? null;
  }

  /** The answer for the random mailbox. */
  random(place: DomainAtHost, ask: AskControl): Promise<ProbeOutcome> {
    return this.randoms.get(place, async () => {
      const first = await this.first(place, ask);
      return isSettled(first) ? first : askAgain(this.nameFor(place), first, ask);
    });
  }

  /** Records that the host accepted a mailbox of the domain: a control that costs no question. */
  recordAccepted(place: DomainAtHost, reply: SmtpReply): void {
    this.accepted.set(keyOf(place), reply);
  }

  /** A mailbox of the domain that the host accepted within the last hour, if any. */
  acceptedAt(place: DomainAtHost): KnownAnswer | null {
    const reply = this.accepted.get(keyOf(place));
    return reply === undefined ? null : { mailbox: 'accepted_before', reply };
  }

  /** The answer for postmaster, which every host must accept (RFC 5321 §4.5.1). */
  postmaster(place: DomainAtHost, ask: () => Promise<ProbeOutcome>): Promise<KnownAnswer> {
    return this.known.get(place, async () => {
      const asked = await ask();
      return { mailbox: 'postmaster', reply: asked.state === 'answered' ? asked.reply : null };
    });
  }

  /** Whether the host accepts the real mailbox again after it refused the random one in unclear words. */
  acceptsAgain(place: DomainAtHost, acceptsAgain: () => Promise<boolean>): Promise<boolean> {
    return this.acceptedAgain.get(place, acceptsAgain);
  }

  private first(place: DomainAtHost, ask: AskControl): Promise<ProbeOutcome> {
    return this.firstTries.get(place, () => ask(this.nameFor(place), null));
  }

  private nameFor({ domain }: DomainAtHost): string {
    this.key ??= this.secret();
    return randomLocalPart(this.key, domain);
  }
}

/** What the answer for the random mailbox says about the domain. */
export function randomOutcome(asked: ProbeOutcome): RandomOutcome {
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

function isSettled(asked: ProbeOutcome): boolean {
  const outcome = randomOutcome(asked);
  return outcome === 'accepted' || outcome === 'refused';
}

/** Asks again in a fresh session where the first answer is not about the mailbox: some hosts limit the second RCPT. */
async function askAgain(localPart: string, first: ProbeOutcome, ask: AskControl): Promise<ProbeOutcome> {
  const second = await ask(localPart, first);
  return second.state !== 'answered' && first.state === 'answered' ? first : second;
}

function keyOf({ domain, ip }: DomainAtHost): string {
  return `${domain} ${ip}`;
}
