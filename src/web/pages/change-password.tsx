import { useState } from 'preact/hooks';
import { passwordLength } from '../../wire/app-session.js';
import { Field } from '../parts/field.js';
import { FormDialog } from '../parts/form-dialog.js';
import { HiddenUser } from '../parts/hidden-user.js';
import { call } from '../server/call.js';
import { useAction } from '../server/use-action.js';
import { useSession } from '../session.js';

/** Changes the password, which ends all other sessions. */
export function ChangePassword({ onClose }: { onClose: () => void }) {
  const { take } = useSession();
  const [old, setOld] = useState('');
  const [password, setPassword] = useState('');
  const change = useAction(async (signal) => {
    take(await call('changePassword', { body: { old_password: old, password }, signal }));
    onClose();
  });
  return (
    <FormDialog title="Change the administrator password" button="Change password" action={change} onClose={onClose}>
      <HiddenUser name="admin" />
      <Field
        label="Password until now"
        type="password"
        autoComplete="current-password"
        value={old}
        onInput={setOld}
        autoFocus
        required
      />
      <Field
        label="New password"
        type="password"
        autoComplete="new-password"
        value={password}
        onInput={setPassword}
        required
        minLength={passwordLength.min}
        maxLength={passwordLength.max}
        hint={`At least ${passwordLength.min} characters. Sessions elsewhere end.`}
      />
    </FormDialog>
  );
}
