import { createHmac } from 'node:crypto';

const consonants = 'bcdfghjklmnprstvwz';
const vowels = 'aeiou';

/**
 * A local part that does not exist, with 58 random bits. It looks like a name, since some hosts reject random characters without a
 * lookup. It is derived from the secret and the domain, since a greylist identifies a mailbox by its name.
 */
export function randomLocalPart(secret: Uint8Array, domain: string): string {
  const bytes = createHmac('sha256', secret).update(domain).digest();
  const syllable = (_: unknown, index: number) => {
    const value = bytes.readUInt16BE(2 * index);
    return `${consonants[value % consonants.length]}${vowels[Math.floor(value / consonants.length) % vowels.length]}`;
  };
  const syllables = Array.from({ length: 9 }, syllable);
  return `${syllables.slice(0, 4).join('')}.${syllables.slice(4).join('')}`;
}
