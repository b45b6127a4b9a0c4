import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { hashPassword, type ScryptCost } from '../../jobs/admin-password.js';
import { hashKey } from '../../jobs/api-keys.js';
import { foldEmail } from '../../jobs/members.js';
import type { MemberRecord } from '../../jobs/store/members.js';
import { adminOwner } from '../../jobs/store/sessions.js';
import type { JobStore } from '../../jobs/store/store.js';
import { Failure } from '../../model/failure.js';
import { networkOf } from '../access/edge.js';
import { cookieIn, createPasswordCheck } from '../access/sessions.js';
import { countersFor, createSignInThrottle, deviceIn } from '../access/sign-in-throttle.js';
import type { ServerContext } from '../server-context.js';

/** The administrator or a member, with the password to sign in. */
interface Account {
  /** The owner of its sessions; empty for an address without a member. */
  owner: string;
  name: string;
  /** Null: no password opens it. */
  passwordHash: string | null;
  /** Attempts are counted by it, whether the address has a member or not. */
  throttleName: string;
}

/** Checks credentials; every attempt is throttled, and failed ones are in the audit log. */
export type SignIn = ReturnType<typeof createSignIn>;

const noAccount = { account: null, passwordHash: null };

interface SignInDependencies extends Pick<ServerContext, 'edge' | 'audit'> {
  store: JobStore;
  web: { passwordCost?: ScryptCost };
}

export function createSignIn({ store, edge, audit, web }: SignInDependencies) {
  const passwords = createPasswordCheck();
  const throttle = createSignInThrottle();
  /** The hash of a secret that is not kept: unknown addresses take as long as known ones. */
  let decoyHash: Promise<string> | null = null;
  const findDecoyHash = (): Promise<string> => {
    decoyHash ??= hashPassword(randomBytes(32).toString('base64url'), web.passwordCost);
    return decoyHash;
  };
  const adminAccount = async (): Promise<Account> => {
    const passwordHash = await store.adminPasswordHash();
    return { owner: adminOwner, name: 'Admin', passwordHash, throttleName: adminOwner };
  };
  const toAccount = (member: MemberRecord | null, email: string): Account => ({
    owner: member?.id ?? '',
    name: member?.name ?? '',
    passwordHash: member?.passwordHash ?? null,
    throttleName: `email ${hashKey(email)}`,
  });

  /** Counts an attempt; one that throws has failed. */
  const throttled = async <Done>(
    { raw }: FastifyRequest,
    { account, passwordHash }: { account: string | null; passwordHash: string | null },
    attempt: (isKnownDevice: boolean) => Promise<Done>,
  ): Promise<Done> => {
    const token = cookieIn(raw, 'device', edge.isEncrypted(raw));
    const device = account === null || passwordHash === null ? null : deviceIn(token, account, passwordHash);
    const counters = countersFor({ network: networkOf(edge.clientAddress(raw)), account, device });
    throttle.begin(counters);
    try {
      const outcome = await attempt(device !== null);
      throttle.recordSuccess(counters);
      return outcome;
    } catch (error) {
      // The queue of password checks was full, so nothing was guessed.
      if (error instanceof Failure && error.code === 'rate_limited') throttle.takeBack(counters);
      throw error;
    }
  };
  return {
    /** Throttles secrets that belong to no known account. */
    throttledSecret: <Done>(request: FastifyRequest, attempt: () => Promise<Done>): Promise<Done> =>
      throttled(request, noAccount, attempt),
    /** The member with that address; without an address, the administrator. */
    findAccount: async (email: string | undefined): Promise<Account> => {
      if (email === undefined) return adminAccount();
      const folded = foldEmail(email);
      return toAccount(await store.findMember(folded), folded);
    },
    /** The account of a session with a password. */
    accountOf: async (owner: string): Promise<Account> => {
      if (owner === adminOwner) return adminAccount();
      const member = await store.getMember(owner);
      return toAccount(member, member?.email ?? owner);
    },
    /** Throws `refusal` for a wrong password. */
    checkPassword: (
      request: FastifyRequest,
      { owner, name, passwordHash, throttleName }: Account,
      password: string,
      refusal: Failure,
    ): Promise<void> =>
      throttled(request, { account: throttleName, passwordHash }, async (isKnownDevice) => {
        const isCorrect = await passwords.isCorrect(password, passwordHash ?? (await findDecoyHash()), isKnownDevice);
        if (isCorrect && passwordHash !== null) return;
        await audit.record(request, { action: 'sign_in_failed', subject: owner, subjectName: name });
        throw refusal;
      }),
    /** The id of a valid key. */
    checkKey: (request: FastifyRequest, key: string): Promise<string> =>
      throttled(request, noAccount, async () => {
        // Not from the key cache: a revoked key must not sign in.
        const record = await store.findKey(hashKey(key.trim()), Date.now());
        if (record !== null) return record.id;
        await audit.record(request, { action: 'sign_in_failed', subject: 'key' });
        throw signInRefused('The key is not known, was revoked or has expired.');
      }),
  };
}

export function signInRefused(message: string): Failure {
  return new Failure('key_refused', message, { hint: 'Check the spelling, then try again.' });
}
