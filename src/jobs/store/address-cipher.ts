import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { LruMap } from '../../async/lru-map.js';

/** Hides addresses: without the secret of the store, neither a key nor an answer tells its address. */
export interface AddressCipher {
  /** Names an address. */
  hash(address: string): string;
  /** Encrypts a text that may repeat the address, under a key that is made from it. */
  seal(address: string, text: string): string;
  /** Null for a damaged text. */
  open(address: string, sealed: string): string | null;
}

const cipher = 'aes-256-ctr';
const ivBytes = 16;

/** Reads the secret at the first address. */
export function createAddressCipher(readSecret: () => Uint8Array): AddressCipher {
  let secret: Uint8Array | null = null;
  // An address is read, sealed and written one after the other.
  const digests = new LruMap<Buffer>({ maxEntries: 2 ** 16 });
  const digest = (address: string): Buffer =>
    digests.getOrCreate(address, () => {
      secret ??= readSecret();
      return createHmac('sha512', secret).update(address).digest();
    });
  return {
    hash: (address) => digest(address).toString('base64url', 0, 32),
    seal: (address, text) => {
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, digest(address).subarray(32), iv);
      return Buffer.concat([iv, sealing.update(text, 'utf8'), sealing.final()]).toString('base64');
    },
    open: (address, sealed) => {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length <= ivBytes) return null;
      const opening = createDecipheriv(cipher, digest(address).subarray(32), bytes.subarray(0, ivBytes));
      return Buffer.concat([opening.update(bytes.subarray(ivBytes)), opening.final()]).toString('utf8');
    },
  };
}
