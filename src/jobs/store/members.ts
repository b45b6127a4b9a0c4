import type { MemberRole } from '../../model/member.js';

/** A person who signs in to the web application. Times are in ms since 1970. */
export interface MemberRecord {
  /** Begins with `memberPrefix`. */
  id: string;
  /** In lower case; unique. */
  email: string;
  name: string;
  role: MemberRole;
  createdAt: number;
  lastSignInAt: number | null;
  /** The hash of the password; null until the invitation is accepted. */
  passwordHash: string | null;
  /** The end of an open invitation. */
  invitedUntil: number | null;
}

const memberPrefix = 'member-';

export function memberId(uuid: string): string {
  return memberPrefix + uuid;
}

/** True for the id of a member, false for the id of a key. */
export function isMemberId(owner: string): boolean {
  return owner.startsWith(memberPrefix);
}

/** An invitation, identified by the hash of its one-time secret. */
export interface Invitation {
  hash: string;
  until: number;
  /** The owner of the session that created it. */
  createdBy: string;
}

export interface MemberChange {
  name?: string;
  role?: MemberRole;
}

/** The number of members is bounded, so that all fit on a page. */
export const maxMembers = 1_000;

export interface MemberStore {
  /** `taken`: another member has the address. `full`: there are `maxMembers`. */
  addMember(member: MemberRecord, invitation: Invitation): Promise<'added' | 'taken' | 'full'>;
  /** Oldest first. */
  listMembers(): Promise<MemberRecord[]>;
  hasMembers(): Promise<boolean>;
  getMember(id: string): Promise<MemberRecord | null>;
  findMember(email: string): Promise<MemberRecord | null>;
  /** With the role `member`, also deletes the webhooks and open invitations that they created as an administrator. */
  changeMember(id: string, change: MemberChange): Promise<MemberRecord | null>;
  /** Replaces an earlier invitation. The password stays until the invitation is accepted. */
  inviteMember(id: string, invitation: Invitation): Promise<MemberRecord | null>;
  findInvitation(hash: string, now: number): Promise<MemberRecord | null>;
  /** Sets the password, once for each invitation, and ends all sessions of the member. */
  acceptInvitation(hash: string, passwordHash: string, now: number): Promise<MemberRecord | null>;
  /** Replaces the current password and ends all sessions of the member; false if the password was changed meanwhile. */
  changeMemberPassword(id: string, passwordHash: string, currentHash: string): Promise<boolean>;
  recordSignIn(id: string, now: number): Promise<void>;
  /** Also ends the sessions, revokes the keys, cancels the jobs, deletes the webhooks and withdraws the open invitations of the member. */
  removeMember(id: string, now: number): Promise<MemberRecord | null>;
}

/** An entry of the audit log. Names are those at the time of the action. */
export interface AuditEntry {
  at: number;
  /** The administrator, a member or a key; empty for an unknown caller. */
  actor: string;
  actorName: string;
  /** For example `key_created`. */
  action: string;
  /** The id of the object of the action; may be empty. */
  subject: string;
  subjectName: string;
  /** The IPv4 address or IPv6 /64 of the caller; empty for the command line. */
  network: string;
}

export interface AuditStore {
  addAudit(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  listAudit(page: { skip: number; limit: number; search?: string }): Promise<{ entries: AuditEntry[]; total: number }>;
  /** Deletes entries before that time, and the oldest beyond `maxEntries`. */
  pruneAudit(before: number, maxEntries: number): Promise<number>;
}
