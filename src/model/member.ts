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

/** The members of this machine's server. One is found by email address, id or the beginning of an id. */
export interface Members {
  list(): Promise<MemberView[]>;
  invite(member: NewMember): Promise<Invited>;
  /** Creates a new invitation, which sets another password. */
  reset(idOrEmail: string): Promise<Invited>;
  changeRole(idOrEmail: string, role: MemberRole): Promise<MemberView>;
  find(idOrEmail: string): Promise<MemberView>;
  remove(idOrEmail: string): Promise<MemberView>;
}
