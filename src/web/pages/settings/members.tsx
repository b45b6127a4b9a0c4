import { useState } from 'preact/hooks';
import type { Invited, MemberView } from '../../../model/member.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { type Column, Table } from '../../../report/components/panel.js';
import { invitationLink } from '../../../wire/app.js';
import { Button } from '../../parts/button.js';
import { Menu } from '../../parts/menu.js';
import { PageHead } from '../../parts/page-head.js';
import { ProblemNote, RemoteContent } from '../../parts/remote-content.js';
import { MenuItem, ShownOnce } from '../../parts/shown-once.js';
import { RelativeTime } from '../../parts/time.js';
import { call } from '../../server/call.js';
import { useAction, useAnswer } from '../../server/use-answer.js';
import { AddMember, EditMember, RemoveMember } from './member-dialogs.js';

type Question = { action: 'change' | 'remove'; member: MemberView } | { action: 'add' } | null;

/** Invites, renames and removes members, and changes their roles. */
export function MembersSection() {
  const list = useAnswer(
    'members',
    (signal) => call('listMembers', { signal }),
    () => 15_000,
  );
  const [question, setQuestion] = useState<Question>(null);
  const [invited, setInvited] = useState<Invited | null>(null);
  const close = (): void => setQuestion(null);
  const done = (): void => {
    close();
    list.refresh();
  };
  const showInvitation = (created: Invited): void => {
    setInvited(created);
    done();
  };
  const invite = useAction(async (signal, id: string) => showInvitation(await call('inviteMember', { id, signal })));
  return (
    <>
      <PageHead title="Members" description="People who sign in with their own email address and password.">
        <Button kind="main" onClick={() => setQuestion({ action: 'add' })}>
          Invite a member
        </Button>
      </PageHead>
      <ProblemNote problem={invite.problem} />
      {invited !== null && <InvitationPanel invited={invited} onClose={() => setInvited(null)} />}
      <RemoteContent remote={list}>
        {({ members }) => (
          <section class="panel" aria-label="Members">
            {members.length === 0 ? (
              <div class="empty">
                <p>There is no member yet.</p>
                <p class="muted">
                  Members have lists and keys of their own. Administrators do everything you can do here.
                </p>
              </div>
            ) : (
              <MemberTable members={members} onAsk={setQuestion} onInvite={(id) => void invite.start(id)} />
            )}
          </section>
        )}
      </RemoteContent>
      {question?.action === 'add' && <AddMember onClose={close} onAdded={showInvitation} />}
      {question?.action === 'change' && <EditMember member={question.member} onClose={close} onDone={done} />}
      {question?.action === 'remove' && <RemoveMember member={question.member} onClose={close} onDone={done} />}
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

interface MemberTableProps {
  members: readonly MemberView[];
  onAsk: (question: Question) => void;
  onInvite: (id: string) => void;
}

function MemberTable({ members, onAsk, onInvite }: MemberTableProps) {
  const columns: Column<MemberView>[] = [
    { name: 'Name', class: 'breaks strong', isBare: true, cell: ({ name }) => <UntrustedText text={name} /> },
    { name: 'Email', class: 'breaks', cell: ({ email }) => <UntrustedText text={email} /> },
    { name: 'Role', cell: ({ role }) => role },
    { name: 'Last sign-in', class: 'tight', cell: (member) => <RelativeTime at={member.last_sign_in_at} /> },
    {
      ...{ name: 'State', class: 'tight', isBare: true },
      cell: ({ state }) => <span class={`badge ${states[state].tone}`}>{states[state].word}</span>,
    },
    {
      ...{ name: 'Change', class: 'number', isHidden: true },
      cell: (member) => (
        <Menu name={`Change ${member.name}`} label="⋯">
          <MenuItem onClick={() => onAsk({ action: 'change', member })}>Edit…</MenuItem>
          <MenuItem onClick={() => onInvite(member.id)}>
            {member.state === 'active' ? 'Reset password' : 'New invitation'}
          </MenuItem>
          <MenuItem danger onClick={() => onAsk({ action: 'remove', member })}>
            Remove…
          </MenuItem>
        </Menu>
      ),
    },
  ];
  return <Table caption="Members" stacks allowOverflow columns={columns} rows={members} keyOf={({ id }) => id} />;
}
