import { useState } from 'preact/hooks';
import { UntrustedText } from '../../report/components/domain-name.js';
import type { SessionView, SignedInUser } from '../../wire/app.js';
import type { AnswerOf } from '../../wire/routes.js';
import { Button, Buttons } from '../parts/button.js';
import { FirstPassword } from '../parts/new-password.js';
import { LonePage } from '../parts/page-head.js';
import { ProblemNote, RemoteContent } from '../parts/remote-content.js';
import { navigate } from '../router.js';
import { call } from '../server/call.js';
import { useAction, useAnswer } from '../server/use-answer.js';

type InvitationView = AnswerOf<'checkInvitation'>;

interface InvitationProps {
  /** The user that is signed in; null if there is none. */
  who: SignedInUser | null;
  /** Gets the session after a sign-in or a sign-out. */
  onSession: (view: SessionView) => void;
}

/** Accepts an invitation with the link that an administrator sent. */
export function InvitationPage({ who, onSession }: InvitationProps) {
  const [token] = useState(() => location.hash.slice(1));
  const invitation = useAnswer('invitation', (signal) => call('checkInvitation', { body: { token }, signal }));
  const { problem } = invitation;
  return (
    <LonePage title="Invitation">
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
          {(view) => <Invitation token={token} invitation={view} who={who} onSession={onSession} />}
        </RemoteContent>
      )}
    </LonePage>
  );
}

interface ValidInvitationProps extends InvitationProps {
  token: string;
  invitation: InvitationView;
}

/** A valid invitation. Accepting it ends the session of another user, so the page asks first. */
export function Invitation({ token, invitation, who, onSession }: ValidInvitationProps) {
  const isOtherUser = who !== null && !('email' in who && who.email === invitation.email);
  return isOtherUser ? (
    <OtherUser who={who} invitation={invitation} onSession={onSession} />
  ) : (
    <Accept token={token} invitation={invitation} onSession={onSession} />
  );
}

interface OtherUserProps {
  who: SignedInUser;
  invitation: InvitationView;
  onSession: (view: SessionView) => void;
}

function OtherUser({ who, invitation, onSession }: OtherUserProps) {
  const signOut = useAction(async (signal) => onSession(await call('signOut', { body: {}, signal })));
  return (
    <div class="stack">
      <h1>Invitation</h1>
      <p>
        This invitation is for <UntrustedText text={invitation.email} class="breaks strong" />, but this browser is
        signed in as{' '}
        <UntrustedText text={'email' in who ? `${who.name} (${who.email})` : who.name} class="breaks strong" />.
      </p>
      <ProblemNote problem={signOut.problem} />
      <Buttons>
        <Button kind="main" busy={signOut.busy} onClick={() => void signOut.start()}>
          Sign out and accept it
        </Button>
        <Button onClick={() => navigate('/', { replace: true })}>Stay signed in</Button>
      </Buttons>
    </div>
  );
}

function Accept({ token, invitation: { name, email }, onSession }: Omit<ValidInvitationProps, 'who'>) {
  return (
    <FirstPassword
      user={email}
      button="Set password and sign in"
      set={(password, signal) => call('acceptInvitation', { body: { token, password }, signal })}
      onSession={onSession}
    >
      <h1>
        Welcome, <UntrustedText text={name} class="breaks" />
      </h1>
      <p>
        Choose a password. From now on you sign in with <UntrustedText text={email} class="breaks strong" /> and this
        password.
      </p>
    </FirstPassword>
  );
}
