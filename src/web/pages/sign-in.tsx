import { useState } from 'preact/hooks';
import { UntrustedText } from '../../report/components/domain-name.js';
import type { SessionView } from '../../wire/app.js';
import { Button, Buttons } from '../parts/button.js';
import { Dialog, FormDialog } from '../parts/dialog.js';
import { Field, HiddenUser } from '../parts/field.js';
import { ActionForm } from '../parts/form.js';
import { useNewPassword } from '../parts/new-password.js';
import { LonePage } from '../parts/page-head.js';
import { call } from '../server/call.js';
import { useAction } from '../server/use-answer.js';
import { useSession } from '../session.js';

interface SignInProps {
  onSignedIn: (view: SessionView) => void;
}

type Method = 'email' | 'password' | 'key';

interface SignInPageProps extends SignInProps {
  view: Exclude<SessionView, { state: 'signed_in' }>;
}

/** A user that a proxy has signed in needs no form; one who is not a member can do nothing here. */
export function SignInPage({ view: { has_members, proxy_user: proxyUser }, onSignedIn }: SignInPageProps) {
  return (
    <LonePage title="Sign in">
      {proxyUser === null ? (
        <>
          <h1>Sign in</h1>
          <SignInForm first={has_members ? 'email' : 'password'} onSignedIn={onSignedIn} />
        </>
      ) : (
        <>
          <h1>You are not a member</h1>
          <p>
            You are signed in as <UntrustedText text={proxyUser} class="breaks strong" />, who is not a member of this
            server. Ask an administrator to invite this address.
          </p>
        </>
      )}
    </LonePage>
  );
}

/** A dialog over a page whose session has ended; the page keeps what was typed. */
export function SignInAgain({ onSignedIn }: SignInProps) {
  const { who } = useSession().session;
  const email = 'email' in who ? who.email : undefined;
  const first = who.kind === 'key' ? 'key' : email === undefined ? 'password' : 'email';
  return (
    <Dialog title="Your session has ended. Sign in to continue.">
      <p class="muted">The page behind this keeps what you typed.</p>
      <SignInForm first={first} email={email} onSignedIn={onSignedIn} />
    </Dialog>
  );
}

const methodTexts: Record<Method, { label: string; choose: string }> = {
  email: { label: 'Password', choose: 'Use an email address instead' },
  password: { label: 'Administrator password', choose: 'Use the administrator password instead' },
  key: { label: 'API key', choose: 'Use an API key instead' },
};

interface SignInFormProps extends SignInProps {
  first: Method;
  email?: string | undefined;
}

function SignInForm({ first, email: knownEmail = '', onSignedIn }: SignInFormProps) {
  const [method, setMethod] = useState(first);
  const [email, setEmail] = useState(knownEmail);
  const [secret, setSecret] = useState('');
  const signIn = useAction(async (signal) => {
    const body =
      method === 'key'
        ? { api_key: secret.trim() }
        : { password: secret, ...(method === 'email' && { email: email.trim() }) };
    onSignedIn(await call('signIn', { body, signal }));
  });
  return (
    // A new form for each method, since password managers inspect a form only once.
    <ActionForm
      key={method}
      action={signIn}
      button="Sign in"
      busyButton="Signing in…"
      others={(['email', 'password', 'key'] as const)
        .filter((other) => other !== method && (other !== 'email' || first === 'email'))
        .map((other) => (
          <Button
            key={other}
            kind="quiet"
            onClick={() => {
              setMethod(other);
              setSecret('');
              signIn.clearProblem();
            }}
          >
            {methodTexts[other].choose}
          </Button>
        ))}
    >
      {method === 'email' ? (
        <Field
          label="Email"
          name="email"
          value={email}
          onInput={setEmail}
          autoComplete="username"
          autoFocus={email === ''}
          required
        />
      ) : (
        <HiddenUser name={method === 'password' ? 'admin' : 'API key'} />
      )}
      <Field
        label={methodTexts[method].label}
        type="password"
        name={method === 'key' ? 'key' : 'password'}
        value={secret}
        onInput={setSecret}
        autoComplete={method === 'key' ? 'off' : 'current-password'}
        autoFocus={method !== 'email' || email !== ''}
        required
        {...(method === 'key' && { hint: 'You will see only the lists and the credits of this key.' })}
      />
    </ActionForm>
  );
}

/** Changes the password, which ends all other sessions. */
export function ChangePassword({ onClose }: { onClose: () => void }) {
  const { session } = useSession();
  const { password_source: source } = session.server;
  const [isDone, setIsDone] = useState(false);
  if (isDone || source !== null) {
    return (
      <Dialog title={isDone ? 'The password was changed' : 'The password is managed elsewhere'} onClose={onClose}>
        {isDone ? (
          <p role="status">All other sessions have ended. Use the new password from now on.</p>
        ) : (
          <p>
            The server sets it from <code>{source}</code> at each start. Change it there, then restart the server.
          </p>
        )}
        <Buttons>
          <Button kind="main" onClick={onClose} focused>
            Close
          </Button>
        </Buttons>
      </Dialog>
    );
  }
  return <ChangePasswordForm onDone={() => setIsDone(true)} onClose={onClose} />;
}

function ChangePasswordForm({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const { session, setSession } = useSession();
  const { who } = session;
  const email = 'email' in who ? who.email : undefined;
  const [oldPassword, setOldPassword] = useState('');
  const newPassword = useNewPassword({ label: 'New password', hint: 'All other sessions end.' });
  const change = useAction(async (signal) => {
    const password = newPassword.read();
    setSession(await call('changePassword', { body: { old_password: oldPassword, password }, signal }));
    onDone();
  });
  return (
    <FormDialog
      title={email === undefined ? 'Change the administrator password' : 'Change your password'}
      button="Change password"
      action={change}
      onClose={onClose}
    >
      <HiddenUser name={email ?? 'admin'} />
      <Field
        label="Current password"
        type="password"
        autoComplete="current-password"
        value={oldPassword}
        onInput={setOldPassword}
        autoFocus
        required
      />
      {newPassword.fields}
    </FormDialog>
  );
}
