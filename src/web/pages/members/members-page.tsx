import { useEffect, useRef, useState } from 'preact/hooks';
import type { Invited, MemberView } from '../../../model/member.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { Table } from '../../../report/components/panel.js';
import { invitationLink } from '../../../wire/app.js';
import { Button, CopyButton } from '../../parts/button.js';
import { Menu } from '../../parts/menu.js';
import { PageHead } from '../../parts/page-head.js';
import { ProblemNote, RemoteContent } from '../../parts/remote-content.js';
import { RelativeTime } from '../../parts/time.js';
import { Link } from '../../router.js';
import { call } from '../../server/call.js';
import { useAction, useAnswer } from '../../server/use-answer.js';
import { AddMember, ChangeRole, RemoveMember, RenameMember } from './member-dialogs.js';

type Question = { action: 'rename' | 'role' | 'remove'; member: MemberView } | { action: 'add' } | null;

/** Invites, renames and removes members, and changes their roles. */
export function MembersPage() {
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
      <PageHead
        title="Members"
        description={
          <>
            People who sign in with their own email address and password.{' '}
            <Link to="/audit">Audit log: who did what</Link>
          </>
        }
      >
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
      {question?.action === 'rename' && <RenameMember member={question.member} onClose={close} onDone={done} />}
      {question?.action === 'role' && <ChangeRole member={question.member} onClose={close} onDone={done} />}
      {question?.action === 'remove' && <RemoveMember member={question.member} onClose={close} onDone={done} />}
    </>
  );
}

/** Shows the link of an invitation, once. */
function InvitationPanel({ invited: { member, token }, onClose }: { invited: Invited; onClose: () => void }) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  const link = invitationLink(location.origin, token);
  return (
    <section class="panel fresh" aria-label="The invitation" ref={section} tabIndex={-1}>
      <div class="space-between">
        <h2>
          Send this link to <UntrustedText text={member.name} class="breaks" />. It is not shown again.
        </h2>
        <Button kind="quiet" label="Close: the link is not shown again" onClick={onClose}>
          ✕
        </Button>
      </div>
      <div class="copy-line">
        <code class="breaks">{link}</code>
        <CopyButton text={link}>Copy</CopyButton>
      </div>
      <p class="muted small">
        It works once, until <RelativeTime at={member.invited_until} />. The person who opens it chooses the password.
      </p>
    </section>
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
  return (
    <Table
      caption="Members"
      stacks
      allowOverflow
      head={
        <>
          <th>Name</th>
          <th>Email</th>
          <th>Role</th>
          <th>Last sign-in</th>
          <th>State</th>
          <th>
            <span class="visually-hidden">Change</span>
          </th>
        </>
      }
    >
      {members.map((member) => (
        <tr key={member.id}>
          <td class="breaks strong">
            <UntrustedText text={member.name} />
          </td>
          <td class="breaks" data-label="Email">
            <UntrustedText text={member.email} />
          </td>
          <td data-label="Role">{member.role}</td>
          <td class="tight" data-label="Last sign-in">
            <RelativeTime at={member.last_sign_in_at} />
          </td>
          <td class="tight">
            <span class={`badge ${states[member.state].tone}`}>{states[member.state].word}</span>
          </td>
          <td class="number">
            <Menu name={`Change ${member.name}`} label="⋯">
              <button type="button" onClick={() => onAsk({ action: 'rename', member })}>
                Rename…
              </button>
              <button type="button" onClick={() => onAsk({ action: 'role', member })}>
                Change role…
              </button>
              <button type="button" onClick={() => onInvite(member.id)}>
                {member.state === 'active' ? 'Reset password' : 'New invitation'}
              </button>
              <button type="button" class="text-invalid" onClick={() => onAsk({ action: 'remove', member })}>
                Remove…
              </button>
            </Menu>
          </td>
        </tr>
      ))}
    </Table>
  );
}
