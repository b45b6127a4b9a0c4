import { useState } from 'preact/hooks';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { type Invited, type MemberRole, type MemberView, memberRoles } from '../../../wire/app.js';
import { limits } from '../../../wire/schema.js';
import { FormDialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { ConfirmDialog, type DialogState } from '../../parts/things.js';
import { call } from '../../server/call.js';
import { useAction } from '../../server/use-answer.js';

const roleTexts: Record<MemberRole, string> = {
  member: 'Member: own lists, checks and keys; sees the usage',
  administrator: 'Administrator: everything',
};

function RoleChoice({ role, onChange }: { role: MemberRole; onChange: (role: MemberRole) => void }) {
  return (
    <fieldset class="field">
      <legend>Role</legend>
      {[...memberRoles].reverse().map((each) => (
        <label key={each} class="choice">
          <input type="radio" name="role" checked={role === each} onChange={() => onChange(each)} />
          {roleTexts[each]}
        </label>
      ))}
    </fieldset>
  );
}

export function AddMember({ onClose, onAdded }: { onClose: () => void; onAdded: (invited: Invited) => void }) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<MemberRole>('member');
  const add = useAction(async (signal) =>
    onAdded(await call('addMember', { body: { name: name.trim(), email: email.trim(), role }, signal })),
  );
  return (
    <FormDialog title="Invite a member" button="Create invitation" action={add} onClose={onClose}>
      <Field label="Name" value={name} onInput={setName} autoFocus required limits={limits.name} />
      <Field
        label="Email"
        value={email}
        onInput={setEmail}
        required
        limits={limits.email}
        hint="They sign in with it. No mail is sent: you get a link to pass on."
      />
      <RoleChoice role={role} onChange={setRole} />
    </FormDialog>
  );
}

interface MemberDialogProps {
  member: MemberView;
  within: DialogState;
}

/** Name and role. */
export function EditMember({ member, within }: MemberDialogProps) {
  const [name, setName] = useState(member.name);
  const [role, setRole] = useState(member.role);
  const change = useAction(async (signal) => {
    const body = { ...(name !== member.name && { name: name.trim() }), ...(role !== member.role && { role }) };
    if (Object.keys(body).length > 0) await call('changeMember', { id: member.id, body, signal });
    within.done();
  });
  return (
    <FormDialog title="Edit member" button="Save" action={change} onClose={within.close}>
      <Field label="Name" value={name} onInput={setName} autoFocus required limits={limits.name} />
      <RoleChoice role={role} onChange={setRole} />
    </FormDialog>
  );
}

export function RemoveMember({ member: { id, name }, within }: MemberDialogProps) {
  const work = (signal: AbortSignal) => call('removeMember', { id, signal });
  return (
    <ConfirmDialog title="Remove this member?" button="Remove" cancel="Keep" {...{ work, within }}>
      <p>
        <UntrustedText text={name} class="breaks strong" /> is signed out, the keys of this member are revoked, and
        running lists are canceled. Finished lists stay, for administrators.
      </p>
    </ConfirmDialog>
  );
}
