import { useState } from 'preact/hooks';
import { UntrustedText } from '../../../report/components/domain-name.js';
import type { Column } from '../../../report/components/panel.js';
import type { Invited, MemberView } from '../../../wire/app.js';
import { invitationLink } from '../../../wire/app.js';
import { Button } from '../../parts/button.js';
import { PageHead } from '../../parts/page-head.js';
import { ProblemNote } from '../../parts/remote-content.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { changeColumn, Things, useDialog } from '../../parts/things.js';
import { RelativeTime } from '../../parts/time.js';
import { call } from '../../server/call.js';
import { useAction, useAnswer } from '../../server/use-answer.js';
import { AddMember, EditMember, RemoveMember } from './member-dialogs.js';

/** Invites, renames and removes members, and changes their roles. */
export function MembersSection() {
  const list = useAnswer(
    'members',
    (signal) => call('listMembers', { signal }),
    () => 15_000,
  );
  const within = useDialog(list.refresh);
  const [invited, setInvited] = useState<Invited | null>(null);
  const showInvitation = (created: Invited): void => {
    setInvited(created);
    within.done();
  };
  const invite = useAction(async (signal, id: string) => showInvitation(await call('inviteMember', { id, signal })));
  const change = changeColumn<MemberView>(
    ({ name }) => name,
    (member) => [
      ['Edit…', () => within.open(<EditMember member={member} within={within} />)],
      [member.state === 'active' ? 'Reset password' : 'New invitation', () => void invite.start(member.id)],
      ['Remove…', () => within.open(<RemoveMember member={member} within={within} />), 'danger'],
    ],
  );
  return (
    <>
      <PageHead title="Members" description="People who sign in with their own email address and password.">
        <Button kind="main" onClick={() => within.open(<AddMember onClose={within.close} onAdded={showInvitation} />)}>
          Invite a member
        </Button>
      </PageHead>
      <ProblemNote problem={invite.problem} />
      {invited !== null && <InvitationPanel invited={invited} onClose={() => setInvited(null)} />}
      <Things
        name="Members"
        remote={list}
        rowsOf={({ members }) => members}
        empty={[
          'There is no member yet.',
          'Members have lists and keys of their own. Administrators do everything you can do here.',
        ]}
        allowOverflow
        columns={[...columns, change]}
        keyOf={({ id }) => id}
      />
      {within.dialog}
    </>
  );
}

/** Shows the link of an invitation, once. */
function InvitationPanel({ invited: { member, token }, onClose }: { invited: Invited; onClose: () => void }) {
  const title = (
    <>
      Send this link to <UntrustedText text={member.name} class="breaks" />. It is not shown again.
    </>
  );
  const lines = [{ text: invitationLink(location.origin, token), button: 'Copy' }];
  return (
    <ShownOnce name="The invitation" title={title} lines={lines} onClose={onClose}>
      <p class="muted small">
        It works once, until <RelativeTime at={member.invited_until} />. The person who opens it chooses the password.
      </p>
    </ShownOnce>
  );
}

const states: Record<MemberView['state'], { word: string; tone: string }> = {
  active: { word: 'active', tone: 'valid' },
  invited: { word: 'invited', tone: 'unknown' },
  expired: { word: 'invitation expired', tone: 'risky' },
};

const columns: Column<MemberView>[] = [
  { name: 'Name', class: 'breaks strong', isBare: true, cell: ({ name }) => <UntrustedText text={name} /> },
  { name: 'Email', class: 'breaks', cell: ({ email }) => <UntrustedText text={email} /> },
  { name: 'Role', cell: ({ role }) => role },
  { name: 'Last sign-in', class: 'tight', cell: (member) => <RelativeTime at={member.last_sign_in_at} /> },
  {
    ...{ name: 'State', class: 'tight', isBare: true },
    cell: ({ state }) => <span class={`badge ${states[state].tone}`}>{states[state].word}</span>,
  },
];
