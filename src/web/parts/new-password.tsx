import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { SessionView } from '../../wire/app.js';
import { limits } from '../../wire/schema.js';
import { navigate } from '../router.js';
import { Problem } from '../server/call.js';
import { useAction } from '../server/use-answer.js';
import { Button } from './button.js';
import { Field, HiddenUser } from './field.js';
import { ActionForm } from './form.js';

/** The fields of a new password, typed twice. `read` throws a `Problem` for passwords that differ. */
export function useNewPassword({ label, hint = '', autoFocus = false }: NewPasswordOptions) {
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const read = (): string => {
    if (password === repeated) return password;
    throw new Problem(-1, 'The passwords do not match.', 'Type the same one twice.');
  };
  const fields = (
    <>
      <Field
        label={label}
        type="password"
        name="new-password"
        autoComplete="new-password"
        value={password}
        onInput={setPassword}
        required
        limits={limits.newPassword}
        hint={`At least ${limits.newPassword.minLength} characters. ${hint}`.trim()}
        {...(autoFocus && { autoFocus })}
      />
      <Field
        label={`Repeat the ${label.toLowerCase()}`}
        type="password"
        name="new-password-again"
        autoComplete="new-password"
        value={repeated}
        onInput={setRepeated}
        required
      />
    </>
  );
  return { fields, read };
}

interface NewPasswordOptions {
  label: string;
  hint?: string;
  autoFocus?: boolean;
}

interface FirstPasswordProps {
  user: string;
  button: string;
  set: (password: string, signal: AbortSignal) => Promise<SessionView>;
  onSession: (view: SessionView) => void;
  /** The heading, and what there is to say. */
  children: ComponentChildren;
}

/** The form of a user's first password, which signs in. */
export function FirstPassword({ user, button, set, onSession, children }: FirstPasswordProps) {
  const password = useNewPassword({ label: 'Password', autoFocus: true });
  const action = useAction(async (signal) => {
    const view = await set(password.read(), signal);
    navigate('/', { replace: true });
    onSession(view);
  });
  return (
    <ActionForm
      action={action}
      button={button}
      busyButton="Setting it…"
      others={action.problem?.status === 409 && <Button onClick={() => location.assign('/')}>Sign in</Button>}
    >
      {children}
      <HiddenUser name={user} />
      {password.fields}
    </ActionForm>
  );
}
