import { useEffect, useState } from 'preact/hooks';
import { UntrustedText } from '../../report/components/domain-name.js';
import type { SessionView } from '../../wire/app-server.js';
import { Button } from '../parts/button.js';
import { Buttons, HiddenUser } from '../parts/field.js';
import { NewPasswordFields, requireSamePassword } from '../parts/new-password.js';
import { ProblemNote, RemoteContent } from '../parts/remote-content.js';
import { navigate } from '../router.js';
import { call } from '../server/call.js';
import { useAction, useAnswer } from '../server/use-answer.js';

/** Accepts an invitation with the link that an administrator sent. */
export function InvitationPage({ onSignedIn }: { onSignedIn: (view: SessionView) => void }) {
  useEffect(() => {
    document.title = 'Invitation · mailvet';
  }, []);
  const [token] = useState(() => location.hash.slice(1));
  const invitation = useAnswer('invitation', (signal) => call('checkInvitation', { body: { token }, signal }));
  const { problem } = invitation;
  return (
    <main class="alone">
      <div class="panel">
        <p class="brand">mailvet</p>
        {problem !== null && problem.status === 401 ? (
          <div class="stack">
            <h1>Invitation</h1>
            <ProblemNote problem={problem} />
            <Buttons>
              <Button onClick={() => navigate('/', { replace: true })}>Sign in instead</Button>
            </Buttons>
          </div>
        ) : (
          <RemoteContent remote={invitation}>
            {({ name, email }) => <Accept token={token} name={name} email={email} onSignedIn={onSignedIn} />}
          </RemoteContent>
        )}
      </div>
    </main>
  );
}

interface AcceptProps {
  token: string;
  name: string;
  email: string;
  onSignedIn: (view: SessionView) => void;
}

function Accept({ token, name, email, onSignedIn }: AcceptProps) {
  const [password, setPassword] = useState('');
  const [repeatedPassword, setRepeatedPassword] = useState('');
  const accept = useAction(async (signal) => {
    requireSamePassword(password, repeatedPassword);
    const view = await call('acceptInvitation', { body: { token, password }, signal });
    navigate('/', { replace: true });
    onSignedIn(view);
  });
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void accept.start();
      }}
    >
      <h1>
        Welcome, <UntrustedText text={name} class="breaks" />
      </h1>
      <p>
        Choose a password. From now on you sign in with <UntrustedText text={email} class="breaks strong" /> and this
        password.
      </p>
      <HiddenUser name={email} />
      <NewPasswordFields
        label="Password"
        value={password}
        onInput={setPassword}
        repeated={repeatedPassword}
        onRepeat={setRepeatedPassword}
        autoFocus
      />
      <ProblemNote problem={accept.problem} />
      <Buttons>
        <Button kind="main" type="submit" busy={accept.busy}>
          {accept.busy ? 'Setting it…' : 'Set password and sign in'}
        </Button>
      </Buttons>
    </form>
  );
}
