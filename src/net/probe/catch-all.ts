import { createHmac, randomBytes } from 'node:crypto';
import { recent } from '../../async/bounded-map.js';
import type { Clock } from '../../async/clock.js';
import type { CatchAllEvidence } from '../../model/evidence.js';
import type { Asked } from '../pool/probe-task.js';
import type { Reading } from '../replies/reading.js';

/** Asks for the mailbox: beside the real one, or in a fresh session where a first try settled nothing. */
export type AskRandom = (localPart: string, inconclusive: Asked | null) => Promise<Asked>;

/** Asks for one random mailbox a domain and host, for all addresses that this host answered for. */
export interface CatchAllBook {
  /** `ask` is called with the random local part where no answer is known, and once more with how the first try ended. */
  answerFor(domain: string, ip: string, ask: AskRandom): Promise<Asked>;
  /**
   * Makes the random mailbox known to a host that has greylisted the real one, so that both are let in at the next try; `ask` is
   * called once a domain and host.
   */
  introduce(domain: string, ip: string, ask: (localPart: string) => Promise<Asked>): Promise<void>;
}

const rememberedDomains = 20_000;
const conclusiveMs = 3_600_000;
/** Shorter than the shortest wait for a greylist, after which the same mailbox is asked for again. */
const inconclusiveMs = 45_000;

interface Entry {
  answer: Promise<Asked>;
  /** Infinity while the answer is under way. */
  until: number;
}

/** A book for one run. With the secret of an earlier one, the random mailboxes have the same names. */
export function catchAllBook(clock: Clock, secret: () => Uint8Array = () => randomBytes(32)): CatchAllBook {
  const entries = recent<Entry>(rememberedDomains);
  const introduced = recent<true>(rememberedDomains);
  let key: Uint8Array | null = null;
  const nameFor = (domain: string): string => {
    key ??= secret();
    return randomLocalPart(key, domain);
  };
  return {
    answerFor(domain, ip, ask) {
      // Many a backup takes everything: what one host says of the domain tells nothing of an address that another accepted.
      const place = `${domain} ${ip}`;
      const known = entries.get(place);
      if (known !== undefined && clock.elapsed() < known.until) return known.answer;
      const entry: Entry = { until: Number.POSITIVE_INFINITY, answer: askTwice(nameFor(domain), ask) };
      entry.answer.then(
        (answer) => {
          const conclusive = answer.state === 'answered' && outcomeOf(answer.reading, true) !== 'inconclusive';
          entry.until = clock.elapsed() + (conclusive ? conclusiveMs : inconclusiveMs);
        },
        () => {
          entry.until = 0;
        },
      );
      entries.set(place, entry);
      return entry.answer;
    },
    async introduce(domain, ip, ask) {
      const place = `${domain} ${ip}`;
      if (introduced.get(place) !== undefined) return;
      introduced.set(place, true);
      await ask(nameFor(domain));
    },
  };
}

/** Once more in a fresh session where the first answer does not speak of the mailbox: some hosts limit the second RCPT. */
async function askTwice(localPart: string, ask: AskRandom): Promise<Asked> {
  const first = await ask(localPart, null);
  if (first.state === 'answered' && !first.reading.vague && outcomeOf(first.reading, false) !== 'inconclusive') {
    return first;
  }
  const second = await ask(localPart, first);
  return second.state !== 'answered' && first.state === 'answered' ? first : second;
}

/**
 * What the answer to the random mailbox says of the domain. Beside an accepted mailbox, a refusal to relay and one without a
 * cause are refusals of this mailbox: host, sender and domain were good enough a moment before.
 */
export function outcomeOf(reading: Reading, besideAccepted: boolean): CatchAllEvidence['outcome'] {
  switch (reading.reason) {
    case 'accepted':
    case 'cannot_verify':
      return 'accepted';
    case 'mailbox_not_found':
    case 'mailbox_disabled':
    case 'does_not_accept_mail':
      return 'refused';
    case 'antispam_system':
      if (reading.vague) return 'refused';
      return besideAccepted && ['text:relay', 'text:policy', 'text:refusal', 'enhanced:5.7.1'].includes(reading.rule)
        ? 'refused'
        : 'inconclusive';
    default:
      return 'inconclusive';
  }
}

const consonants = 'bcdfghjklmnprstvwz';
const vowels = 'aeiou';

/**
 * A local part that nobody has: shaped like a name, with 58 bits of chance, as hosts turn obvious noise away unseen. A greylist knows
 * a mailbox by its name, so the same secret gives the same one for a domain at any time.
 */
export function randomLocalPart(secret: Uint8Array, domain: string): string {
  const chance = createHmac('sha256', secret).update(domain).digest();
  const syllable = (_: unknown, index: number) => {
    const drawn = chance.readUInt16BE(2 * index);
    return `${consonants[drawn % consonants.length]}${vowels[Math.floor(drawn / consonants.length) % vowels.length]}`;
  };
  const syllables = Array.from({ length: 9 }, syllable);
  return `${syllables.slice(0, 4).join('')}.${syllables.slice(4).join('')}`;
}
