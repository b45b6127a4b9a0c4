import type { AppCall, appDownloads } from '../../wire/app.js';

/**
 * Who may make a call. `public`: without a session, too. `signed_in`: keys, members and administrators, each for what they
 * own. `member`: members and administrators.
 */
export type Permission = 'public' | 'signed_in' | 'member' | 'administrator';

/** The permission of every call; one without an entry does not compile. */
export const permissions: Readonly<Record<AppCall | keyof typeof appDownloads, Permission>> = {
  session: 'public',
  setUp: 'public',
  signIn: 'public',
  signOut: 'public',
  checkInvitation: 'public',
  acceptInvitation: 'public',
  changePassword: 'member',
  listSessions: 'signed_in',
  endSession: 'signed_in',
  check: 'signed_in',
  uploadPlan: 'signed_in',
  listJobs: 'signed_in',
  getJob: 'signed_in',
  resumeJob: 'signed_in',
  retryUnknown: 'signed_in',
  deleteJob: 'signed_in',
  jobStats: 'signed_in',
  jobRows: 'signed_in',
  results: 'signed_in',
  report: 'signed_in',
  usage: 'signed_in',
  listKeys: 'member',
  createKey: 'member',
  changeKey: 'member',
  revokeKey: 'member',
  listWebhooks: 'member',
  addWebhook: 'member',
  removeWebhook: 'member',
  rotateWebhook: 'member',
  forgetAddress: 'administrator',
  setRetention: 'administrator',
  listMembers: 'administrator',
  addMember: 'administrator',
  changeMember: 'administrator',
  inviteMember: 'administrator',
  removeMember: 'administrator',
  listAudit: 'administrator',
  status: 'administrator',
  runAllChecks: 'administrator',
};
