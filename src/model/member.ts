/** Administrators may do everything; members have their own lists and keys. */
export const memberRoles = ['administrator', 'member'] as const;

export type MemberRole = (typeof memberRoles)[number];

/** A person who signs in to the web application. Times are ISO 8601, UTC. */
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

/** A member and the one-time secret of the invitation, which is never shown again. */
export interface Invited {
  member: MemberView;
  token: string;
}
