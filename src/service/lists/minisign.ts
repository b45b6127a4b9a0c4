import { createHash, createPublicKey, verify } from 'node:crypto';
import { Failure } from '../../model/failure.js';

/** A minisign public key: its id and the Ed25519 key. */
interface MinisignKey {
  id: Buffer;
  key: Buffer;
}

/** The DER prefix of an Ed25519 public key (RFC 8410 §4). */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Parses a public key: its base64 line, or the text of a .pub file. */
export function parseMinisignKey(text: string): MinisignKey {
  const bytes = Buffer.from(text.trim().split(/\r?\n/).at(-1) ?? '', 'base64');
  if (bytes.length !== 42 || bytes.toString('latin1', 0, 2) !== 'Ed') {
    throw new Failure('usage', 'The key is not a minisign public key.', {
      hint: 'Give the line of the .pub file that begins with RW, or the path of that file.',
    });
  }
  return { id: bytes.subarray(2, 10), key: bytes.subarray(10) };
}

/** Throws unless `signature`, the text of a .minisig file, is the key owner's signature of `content`. */
export function checkMinisign(content: Uint8Array, signature: string, { id, key }: MinisignKey): void {
  const [, encoded = '', comment = '', global = ''] = signature.trim().split(/\r?\n/);
  const bytes = Buffer.from(encoded, 'base64');
  const algorithm = bytes.toString('latin1', 0, 2);
  if (bytes.length !== 74 || !['Ed', 'ED'].includes(algorithm))
    throw invalidSignature('The signature is not a minisign signature.');
  if (!bytes.subarray(2, 10).equals(id)) throw invalidSignature('The lists are signed with another key.');
  const publicKey = createPublicKey({ key: Buffer.concat([ed25519Prefix, key]), format: 'der', type: 'spki' });
  const isSigned = (message: Uint8Array, signature: Uint8Array): boolean => verify(null, message, publicKey, signature);
  // ED signs the BLAKE2b-512 hash, Ed the content itself.
  const signedBytes = algorithm === 'ED' ? createHash('blake2b512').update(content).digest() : content;
  const proof = bytes.subarray(10);
  const trustedBytes = Buffer.concat([proof, Buffer.from(comment.replace(/^trusted comment: /, ''), 'utf8')]);
  if (!isSigned(signedBytes, proof) || !isSigned(trustedBytes, Buffer.from(global, 'base64'))) {
    throw invalidSignature('The signature does not match the lists.');
  }
}

function invalidSignature(message: string): Failure {
  return new Failure('bad_input', `${message} The lists were not installed.`, {
    hint: 'Download both files again. If that does not help, ask the publisher for the right key.',
  });
}
