import type { MemberRole } from '../model/member.js';

export interface MemberChange {
  name?: string;
  role?: MemberRole;
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
