import { Failure } from '../../../model/failure.js';
import type { Invited, MemberRole, MemberView } from '../../../model/member.js';
import { renderAgo } from '../../../model/text/time.js';
import type { Context } from '../../context.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { renderFittingGrid } from '../../render/style/grid.js';
import { printRecord, printRecords, showsTable } from '../../results/print-records.js';
import { canAsk, confirmDeletion } from '../../terminal/confirm-deletion.js';
import { readLines } from '../../terminal/read-lines.js';

export type MemberAction = 'list' | 'invite' | 'role' | 'reset' | 'remove';

export type MemberFlags = FormatFlags & {
  name?: string;
  role?: MemberRole;
  publicUrl: string;
  yes?: boolean;
};

/** Lists, invites, changes and removes the members of the web application. */
export async function runAdminMembers(
  context: Context,
  action: MemberAction,
  idOrEmail: string | undefined,
  flags: MemberFlags,
): Promise<number> {
  const { members } = await context.keys();
  if (action === 'list') return showMembers(context, await members.list(), flags);
  if (idOrEmail === undefined) {
    throw new Failure('usage', `mailvet admin members ${action} needs the email address of the member.`, {
      hint: `For example: mailvet admin members ${action} ada@example.org`,
    });
  }
  if (action === 'invite') {
    const { name = idOrEmail, role = 'member' } = flags;
    return showInvitation(context, await members.invite({ email: idOrEmail, name, role }), flags);
  }
  if (action === 'reset') return showInvitation(context, await members.reset(idOrEmail), flags);
  if (action === 'role') {
    if (flags.role === undefined) {
      throw new Failure('usage', 'mailvet admin members role needs --role administrator or --role member.');
    }
    const changed = await members.changeRole(idOrEmail, flags.role);
    return showMember(context, changed, `${changed.name} has the role ${changed.role} from now on.`, flags);
  }
  return removeMember(context, idOrEmail, flags);
}

async function removeMember(context: Context, idOrEmail: string, flags: MemberFlags): Promise<number> {
  const { members } = await context.keys();
  const { id, name, email } = await members.find(idOrEmail);
  if (!flags.yes && !canAsk(context)) {
    throw new Failure('usage', `Removing ${email} needs confirmation.`, {
      hint: 'Add --yes to sign them out, revoke their keys and cancel their running lists.',
    });
  }
  const question = `Remove ${name} (${email}), revoke their keys and cancel their lists?`;
  if (!(await confirmDeletion(context, question, flags.yes))) return 0;
  const removed = await members.remove(id);
  return showMember(context, removed, `${name} was removed. Finished lists stay, for administrators.`, flags);
}

async function showMembers(context: Context, members: readonly MemberView[], flags: MemberFlags): Promise<number> {
  const screen = (): string => (members.length === 0 ? '' : renderMembers(members, context.terminal.stdout));
  await printRecords(context, flags, { rows: members, document: { members }, screen });
  if (members.length === 0) {
    context.note('There are no members. Invite one with: mailvet admin members invite EMAIL --name NAME');
  }
  return 0;
}

function renderMembers(members: readonly MemberView[], style: { color: boolean; columns: number }): string {
  const rows = members.map(({ email, role, state, last_sign_in_at: last, name }) => [
    email,
    role,
    state,
    last === null ? 'never' : renderAgo(Date.now() - Date.parse(last)),
    name,
  ]);
  return renderFittingGrid(['EMAIL', 'ROLE', 'STATE', 'SIGNED IN', 'NAME'], rows, style);
}

/** The link is shown once, and opens the page where the member chooses a password. */
async function showInvitation(context: Context, { member, token }: Invited, flags: MemberFlags): Promise<number> {
  const url = `${flags.publicUrl.replace(/\/+$/, '')}/invitation#${token}`;
  await printRecord(context, flags, { ...member, url }, () => `${url}\n`);
  if (showsTable(context, flags))
    context.note(`Send this link to ${member.email}. It is shown once, and valid once, for 7 days.`);
  return 0;
}

async function showMember(context: Context, member: MemberView, sentence: string, flags: MemberFlags): Promise<number> {
  await printRecord(context, flags, member, () => '');
  if (showsTable(context, flags)) context.note(sentence);
  return 0;
}

/** Sets the password of the web application. */
export async function runAdminPassword(context: Context, { fromStdin }: { fromStdin: boolean }): Promise<number> {
  const password = fromStdin ? await readPassword(context) : await askTwice(context);
  await (await context.keys()).setAdminPassword(password);
  context.note('The password is set. All sessions were signed out.');
  return 0;
}

async function readPassword({ terminal, signal }: Context): Promise<string> {
  for await (const [line] of readLines(terminal.stdin.stream, signal, { keepBlanks: true }))
    if (line !== undefined) return line;
  throw new Failure('usage', 'There is no password on stdin.');
}

async function askTwice({ terminal: { stdin, stderr } }: Context): Promise<string> {
  if (!stdin.isTty || !stderr.isTty) {
    throw new Failure('usage', 'There is no terminal to ask for the password.', { hint: 'Pipe it in with --stdin.' });
  }
  const { askPassword } = await import('../../terminal/prompt.js');
  const password = await askPassword('New password', 'A password is needed.');
  if (password === (await askPassword('Repeat the password', 'A password is needed.'))) return password;
  throw new Failure('usage', 'The two passwords differ; nothing was changed.');
}
