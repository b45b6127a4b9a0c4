import { Failure } from '../../model/failure.js';
import { isSandboxAddress, isTestKey, sandboxDomain } from '../../model/sandbox.js';

/** Throws `forbidden` if a test key asks for an address outside of the sandbox. */
export function requireSandbox(key: { prefix: string }, emails: readonly string[]): void {
  if (!isTestKey(key) || emails.every((email) => email === '' || isSandboxAddress(email))) return;
  throw new Failure('forbidden', `A test key is answered only for addresses at ${sandboxDomain}.`, {
    hint: `Ask for valid@${sandboxDomain}, or use another key.`,
  });
}
