import { randomBytes, randomUUID } from 'node:crypto';
import { formatAmount } from '../model/amount.js';
import { Failure } from '../model/failure.js';
import { safeText } from '../model/text/safe-text.js';
import type { Invited, MemberView, NewMember } from '../wire/app.js';
import { limits } from '../wire/schema.js';
import { hashKey } from './api-keys.js';
import { type Invitation, type MemberRecord, type MemberStore, maxMembers } from './store/members.js';
import { memberId } from './store/sessions.js';

const invitationMs = 7 * 24 * 60 * 60_000;

/** Adds a member and returns the secret of the invitation. */
export async function addMember(
  store: MemberStore,
  { email, name, role }: NewMember,
  createdBy: string,
): Promise<Invited> {
  const { token, invitation } = createInvitation(createdBy);
  const member: MemberRecord = {
    id: memberId(randomUUID()),
    email: requireEmail(email),
    name: requireName(name),
    role,
    createdAt: Date.now(),
    lastSignInAt: null,
    passwordHash: null,
    invitedUntil: invitation.until,
  };
  const outcome = await store.addMember(member, invitation);
  if (outcome !== 'added') throw notAdded(outcome);
  return { member: toMemberView(member), token };
}

/** Replaces the invitation of a member. */
export async function inviteAgain(store: MemberStore, id: string, createdBy: string): Promise<Invited> {
  const { token, invitation } = createInvitation(createdBy);
  const member = await store.inviteMember(id, invitation);
  if (member === null) throw memberNotFound();
  return { member: toMemberView(member), token };
}

/** A one-time secret of 256 bits; only its hash is stored. */
function createInvitation(createdBy: string): { token: string; invitation: Invitation } {
  const token = randomBytes(32).toString('base64url');
  return { token, invitation: { hash: hashKey(token), until: Date.now() + invitationMs, createdBy } };
}

export function toMemberView(member: MemberRecord): MemberView {
  const { id, email, name, role, createdAt, lastSignInAt, invitedUntil, passwordHash } = member;
  const isOpen = (invitedUntil ?? 0) > Date.now();
  return {
    id,
    email,
    name,
    role,
    state: passwordHash !== null ? 'active' : isOpen ? 'invited' : 'expired',
    created_at: new Date(createdAt).toISOString(),
    last_sign_in_at: lastSignInAt === null ? null : new Date(lastSignInAt).toISOString(),
    invited_until: invitedUntil === null || !isOpen ? null : new Date(invitedUntil).toISOString(),
  };
}

/** Addresses of members are compared without case. */
export function foldEmail(email: string): string {
  return email.trim().toLowerCase();
}

function requireEmail(text: string): string {
  const email = foldEmail(text);
  if (/^[^\s@]+@[^\s@]+$/.test(email) && safeText(email) === email) return email;
  throw new Failure('bad_input', 'This is not an email address.', { hint: 'Write it as name@example.com.' });
}

/** The name without surrounding spaces; throws `bad_input` if it is empty, too long, or has invisible characters. */
export function requireName(text: string): string {
  const trimmed = text.trim();
  const isSafe = safeText(trimmed) === trimmed && !/\p{Surrogate}/u.test(trimmed);
  if (trimmed !== '' && trimmed.length <= limits.name.maxLength && isSafe) return trimmed;
  throw new Failure('bad_input', 'The name is empty, too long, or contains characters that cannot be seen.');
}

function notAdded(outcome: 'taken' | 'full'): Failure {
  if (outcome === 'taken') {
    return new Failure('conflict', 'A member with this address exists already.', {
      hint: 'If they forgot their password, reset it.',
    });
  }
  return new Failure('conflict', `There are ${formatAmount(maxMembers, 'member')} already, the most there can be.`);
}

export function memberNotFound(): Failure {
  return new Failure('not_found', 'There is no such member.', { hint: 'They may have been removed.' });
}
