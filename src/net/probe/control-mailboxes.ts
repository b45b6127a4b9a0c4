import { randomBytes } from 'node:crypto';
import type { KnownAnswer } from '../../model/evidence.js';
import type { Facts, HostKnowledge } from '../host-knowledge.js';
import type { ProbeOutcome } from '../pool/probe-task.js';
import { randomLocalPart } from './random-mailbox.js';

/** A domain at one host address. A backup MX may accept everything, so answers of one host say nothing about another. */
export interface DomainAtHost {
  domain: string;
  ip: string;
}

/** Asks for a mailbox of the domain: in the session of the real one, or in a fresh one after an inconclusive answer. */
type AskControl = (localPart: string, inconclusive: ProbeOutcome | null) => Promise<ProbeOutcome>;

/** What the answer for the random mailbox means. `unclear`: the words of the refusal may mean something else. */
type RandomOutcome = 'accepted' | 'refused' | 'unclear' | 'inconclusive';

/** A question for an accepted mailbox, and the one that follows it. */
interface Confirmation {
  running: Promise<ProbeOutcome>;
  next: Promise<ProbeOutcome> | null;
}

/**
 * The control mailboxes, which show what an answer for another mailbox means, once for a domain and host: a random one, which cannot
 * exist, and one that the host should know. The random names are derived from the secret.
 */
export class ControlMailboxes {
  private readonly firstTries: Facts<ProbeOutcome>;
  private readonly randomAnswers: Facts<ProbeOutcome>;
  private readonly knownMailboxes: Facts<KnownAnswer>;
  private readonly acceptedAgain: Facts<boolean>;
  private readonly accepted: Facts<string>;
  private readonly confirming = new Map<string, Confirmation>();
  private key: Uint8Array | null = null;

  constructor(
    knowledge: HostKnowledge,
    private readonly secret: () => Uint8Array = () => randomBytes(32),
  ) {
    this.firstTries = knowledge.open('random_mailbox_once');
    this.randomAnswers = knowledge.open('random_mailbox');
    this.knownMailboxes = knowledge.open('postmaster');
    this.acceptedAgain = knowledge.open('accepts_again');
    this.accepted = knowledge.open('accepted_mailbox');
  }

  /** Asks a greylisting host for the random mailbox, so that it accepts both at the next try. */
  async askRandomOnce(scope: DomainAtHost, ask: AskControl): Promise<void> {
    await this.first(scope, ask);
  }

  /** Asks for the random mailbox in the same batch as the real one, which saves a round trip. */
  askRandomInBatch(scope: DomainAtHost, ask: AskControl): void {
    if (!this.randomAnswers.has(keyOf(scope))) void this.first(scope, ask);
  }

  /** The answer for the random mailbox if it is known already. */
  knownRandom(scope: DomainAtHost): ProbeOutcome | null {
    const key = keyOf(scope);
    const first = this.firstTries.get(key);
    return first !== undefined && isSettled(first) ? first : (this.randomAnswers.get(key) ?? null);
  }

  /** The answer for the random mailbox. */
  async random(scope: DomainAtHost, ask: AskControl): Promise<ProbeOutcome> {
    const known = this.knownRandom(scope);
    // Storing the first answer again would double its lifetime.
    if (known !== null) return known;
    const learn = async () => {
      const first = await this.first(scope, ask);
      return isSettled(first) ? first : askAgain(this.nameFor(scope), first, ask);
    };
    return this.randomAnswers.getOrLearn(keyOf(scope), learn, { isSettled: isConclusive });
  }

  /** Records that the host accepted a mailbox. It is a control for its owner only: the dialogue shows it. */
  recordAccepted(scope: DomainAtHost, owner: string, localPart: string): void {
    this.accepted.set(keyOf(scope, owner), localPart);
  }

  /** The local part of a mailbox that the host accepted for the owner within the last hour, if any. */
  acceptedAt(scope: DomainAtHost, owner: string): string | null {
    return this.accepted.get(keyOf(scope, owner)) ?? null;
  }

  /** Asks again for an accepted mailbox, since the host may refuse everything by now. Refusals that wait share a question that follows them. */
  confirmAccepted(scope: DomainAtHost, owner: string, ask: () => Promise<ProbeOutcome>): Promise<ProbeOutcome> {
    const key = keyOf(scope, owner);
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

  /** The answer for postmaster, which every host must accept (RFC 5321 §4.5.1). */
  postmaster(scope: DomainAtHost, ask: () => Promise<ProbeOutcome>): Promise<KnownAnswer> {
    const learn = async (): Promise<KnownAnswer> => {
      const probeOutcome = await ask();
      return { mailbox: 'postmaster', reply: probeOutcome.state === 'answered' ? probeOutcome.reply : null };
    };
    return this.knownMailboxes.getOrLearn(keyOf(scope), learn, { isSettled: ({ reply }) => reply !== null });
  }

  /** Whether the host accepts the real mailbox again after it refused the random one in unclear words. */
  acceptsAgain(scope: DomainAtHost, acceptsAgain: () => Promise<boolean>): Promise<boolean> {
    return this.acceptedAgain.getOrLearn(keyOf(scope), acceptsAgain, { isSettled: (accepts) => accepts });
  }

  private first(scope: DomainAtHost, ask: AskControl): Promise<ProbeOutcome> {
    const learn = () => ask(this.nameFor(scope), null);
    return this.firstTries.getOrLearn(keyOf(scope), learn, { isSettled });
  }

  private nameFor({ domain }: DomainAtHost): string {
    this.key ??= this.secret();
    return randomLocalPart(this.key, domain);
  }
}

/** What the answer for the random mailbox says about the domain. */
export function randomOutcome(probeOutcome: ProbeOutcome): RandomOutcome {
  if (probeOutcome.state !== 'answered') return 'inconclusive';
  switch (probeOutcome.reading.reason) {
    case 'accepted':
    case 'cannot_verify':
      return 'accepted';
    case 'mailbox_not_found':
    case 'mailbox_disabled':
    case 'does_not_accept_mail':
      return 'refused';
    case 'antispam_system':
    case 'restricted_recipient':
    case 'needs_reverse_dns':
    case 'sender_rejected':
      return probeOutcome.reply.code >= 500 ? 'unclear' : 'inconclusive';
    default:
      return 'inconclusive';
  }
}

function isConclusive(probeOutcome: ProbeOutcome): boolean {
  return randomOutcome(probeOutcome) !== 'inconclusive';
}

/** Accepted, or refused in clear words. */
function isSettled(probeOutcome: ProbeOutcome): boolean {
  const outcome = randomOutcome(probeOutcome);
  return outcome === 'accepted' || outcome === 'refused';
}

/** Asks again in a fresh session if the first answer is not about the mailbox: some hosts limit the second RCPT. */
async function askAgain(localPart: string, first: ProbeOutcome, ask: AskControl): Promise<ProbeOutcome> {
  const second = await ask(localPart, first);
  return second.state !== 'answered' && first.state === 'answered' ? first : second;
}

function keyOf({ domain, ip }: DomainAtHost, owner = ''): string {
  return `${domain} ${ip} ${owner}`;
}
