import { randomInt } from 'node:crypto';
import type { CatchAllEvidence } from '../model/evidence.js';
import type { Clock } from './clock.js';
import type { Asked } from './probe-task.js';
import { recent } from './recent.js';
import type { Reading } from './smtp-reply.js';

/** Asks for the mailbox: beside the real one, or in a fresh session where a first try settled nothing. */
export type AskRandom = (localPart: string, inconclusive: Asked | null) => Promise<Asked>;

/** Asks for one random mailbox a domain and host, for all addresses that this host answered for. */
export interface CatchAllBook {
  /** `ask` is called with the random local part where no answer is known, and once more with how the first try ended. */
  answerFor(domain: string, ip: string, ask: AskRandom): Promise<Asked>;
}

const rememberedDomains = 20_000;
const conclusiveMs = 3_600_000;
/** Shorter than the shortest wait for a greylist, after which the same mailbox is asked for again. */
const inconclusiveMs = 45_000;

interface Entry {
  localPart: string;
  answer: Promise<Asked>;
  /** Infinity while the answer is under way. */
  until: number;
}

/** A book for one run. */
export function catchAllBook(clock: Clock): CatchAllBook {
  const entries = recent<Entry>(rememberedDomains);
  return {
    answerFor(domain, ip, ask) {
      // Many a backup takes everything: what one host says of the domain tells nothing of an address that another accepted.
      const key = `${domain} ${ip}`;
      const known = entries.get(key);
      if (known !== undefined && clock.elapsed() < known.until) return known.answer;
      // A greylist knows the mailbox by its name: the second time must be the same.
      const localPart = known?.localPart ?? randomLocalPart();
      const entry: Entry = { localPart, until: Number.POSITIVE_INFINITY, answer: askTwice(localPart, ask) };
      entry.answer.then(
        (answer) => {
          const conclusive = answer.state === 'answered' && outcomeOf(answer.reading, true) !== 'inconclusive';
          entry.until = clock.elapsed() + (conclusive ? conclusiveMs : inconclusiveMs);
        },
        () => {
          entry.until = 0;
        },
      );
      entries.set(key, entry);
      return entry.answer;
    },
  };
}

/** Once more in a fresh session where the first answer does not speak of the mailbox: some hosts limit the second RCPT. */
async function askTwice(localPart: string, ask: AskRandom): Promise<Asked> {
  const first = await ask(localPart, null);
  if (first.state === 'answered' && !first.reading.needsRandom && outcomeOf(first.reading, false) !== 'inconclusive') {
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
      if (reading.needsRandom) return 'refused';
      return besideAccepted && ['text:relay', 'text:policy', 'text:refusal', 'enhanced:5.7.1'].includes(reading.rule)
        ? 'refused'
        : 'inconclusive';
    default:
      return 'inconclusive';
  }
}

const consonants = 'bcdfghjklmnprstvwz';
const vowels = 'aeiou';

/** A local part that nobody has: shaped like a name, with 60 bits of chance, as hosts turn obvious noise away unseen. */
export function randomLocalPart(): string {
  const syllable = () => `${consonants[randomInt(consonants.length)]}${vowels[randomInt(vowels.length)]}`;
  const name = (syllables: number) => Array.from({ length: syllables }, syllable).join('');
  return `${name(4)}.${name(5)}`;
}
