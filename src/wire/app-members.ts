/** Administrators may do everything; members have lists and keys of their own. */
export const memberRoles = ['administrator', 'member'] as const;

export type MemberRole = (typeof memberRoles)[number];

export interface MemberView {
  id: string;
  email: string;
  name: string;
  role: MemberRole;
  /** `expired`: the invitation was not accepted in time. */
  state: 'active' | 'invited' | 'expired';
  created_at: string;
  last_sign_in_at: string | null;
  /** The end of an open invitation. */
  invited_until: string | null;
}

export interface NewMember {
  email: string;
  name: string;
  role: MemberRole;
}

export interface MemberChange {
  name?: string;
  role?: MemberRole;
}

/** A member and the one-time secret of the invitation, which is never shown again. */
export interface Invited {
  member: MemberView;
  token: string;
}

export interface InvitationView {
  email: string;
  name: string;
  expires_at: string;
}

export interface OwnSession {
  id: string;
  user_agent: string;
  /** The network that signed in; empty if unknown. */
  address: string;
  created_at: string;
  last_used_at: string;
  /** The session of this request. */
  current: boolean;
}

export interface AuditView {
  at: string;
  /** Empty for an unknown caller. */
  actor_name: string;
  action: string;
  subject: string;
  subject_name: string;
  address: string;
}

export interface AuditPage {
  entries: AuditView[];
  total: number;
  skip: number;
  limit: number;
  kept_days: number;
}
