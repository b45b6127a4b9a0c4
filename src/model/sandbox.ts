import { Failure } from './failure.js';

/** Addresses of this domain get the verdict that their local part names. `.test` is never delegated (RFC 6761 §6.2). */
export const sandboxDomain = 'sandbox.mailvet.test';

/** Keys with this prefix are accepted only for addresses of the sandbox, and cost nothing. */
export const testKeyPrefix = 'mv_test_';

export function isSandboxAddress(email: string): boolean {
  return email.trim().toLowerCase().endsWith(`@${sandboxDomain}`);
}

/** Whether a key is a test key, by the prefix in its record. */
export function isTestKey({ prefix }: { prefix: string }): boolean {
  return prefix.startsWith(testKeyPrefix);
}

/** Throws `forbidden` if a test key asks for an address outside of the sandbox. */
export function requireSandbox(key: { prefix: string }, emails: readonly string[]): void {
  if (!isTestKey(key) || emails.every((email) => email === '' || isSandboxAddress(email))) return;
  throw new Failure('forbidden', `A test key is answered only for addresses at ${sandboxDomain}.`, {
    hint: `Ask for valid@${sandboxDomain}, or use another key.`,
  });
}
