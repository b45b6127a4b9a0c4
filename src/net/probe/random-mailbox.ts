import { createHmac } from 'node:crypto';

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
