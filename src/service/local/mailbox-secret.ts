import { persistentSecret } from '../../disk/persistent-secret.js';

/** With it a later run asks a domain for the same random mailbox, which a greylist then knows. */
export function mailboxSecret(home: string): () => Uint8Array {
  return persistentSecret(home, 'random-mailbox.key');
}
