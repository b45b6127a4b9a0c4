import { useEffect, useState } from 'preact/hooks';
import type { SessionView } from '../../wire/app.js';
import { Button } from '../parts/button.js';
import { Buttons, HiddenUser } from '../parts/field.js';
import { NewPasswordFields, requireSamePassword } from '../parts/new-password.js';
import { ProblemNote } from '../parts/remote-content.js';
import { navigate } from '../router.js';
import { call } from '../server/call.js';
import { useAction } from '../server/use-answer.js';

/** The first start: sets the password with the link that the server printed. */
export function SetUpPage({ onSignedIn }: { onSignedIn: (view: SessionView) => void }) {
  useEffect(() => {
    document.title = 'Set up · mailvet';
  }, []);
  const token = location.pathname === '/setup' ? location.hash.slice(1) : '';
  return (
    <main class="alone">
      <div class="panel">
        <p class="brand">mailvet</p>
        {token === '' ? <HowTo /> : <SetPassword token={token} onSignedIn={onSignedIn} />}
      </div>
    </main>
  );
}

function HowTo() {
  return (
    <div class="stack">
      <h1>Set a password first</h1>
      <p>This server has no administrator password yet. Set one in any of these ways:</p>
      <ul class="next-steps">
        <li>
          open the link that <code>mailvet serve</code> printed when it started, on its terminal or in its log;
        </li>
        <li>
          run <code>mailvet admin password</code> on the machine that it runs on;
        </li>
        <li>
          start it with the setting <code>serve.admin_password_file</code>, or with <code>MAILVET_ADMIN_PASSWORD</code>.
        </li>
      </ul>
      <p class="muted">Programs can use the API with their keys meanwhile.</p>
      <Buttons>
        <Button onClick={() => location.reload()}>I have set one</Button>
      </Buttons>
    </div>
  );
}

function SetPassword({ token, onSignedIn }: { token: string; onSignedIn: (view: SessionView) => void }) {
  const [password, setPassword] = useState('');
  const [repeatedPassword, setRepeatedPassword] = useState('');
  const setUp = useAction(async (signal) => {
    requireSamePassword(password, repeatedPassword);
    const view = await call('setUp', { body: { token, password }, signal });
    navigate('/', { replace: true });
    onSignedIn(view);
  });
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void setUp.start();
      }}
    >
      <h1>Set the administrator password</h1>
      <HiddenUser name="admin" />
      <NewPasswordFields
        label="Password"
        value={password}
        onInput={setPassword}
        repeated={repeatedPassword}
        onRepeat={setRepeatedPassword}
        autoFocus
      />
      <ProblemNote problem={setUp.problem} />
      <Buttons>
        <Button kind="main" type="submit" busy={setUp.busy}>
          {setUp.busy ? 'Setting it…' : 'Set password'}
        </Button>
        {setUp.problem?.status === 409 && <Button onClick={() => location.assign('/')}>Sign in</Button>}
      </Buttons>
    </form>
  );
}
