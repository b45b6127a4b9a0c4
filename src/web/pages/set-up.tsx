import type { SessionView } from '../../wire/app.js';
import { Button, Buttons } from '../parts/button.js';
import { FirstPassword } from '../parts/new-password.js';
import { LonePage } from '../parts/page-head.js';
import { call } from '../server/call.js';

/** The first start: sets the password with the link that the server printed. */
export function SetUpPage({ onSignedIn }: { onSignedIn: (view: SessionView) => void }) {
  const token = location.pathname === '/setup' ? location.hash.slice(1) : '';
  return (
    <LonePage title="Set up">
      {token === '' ? (
        <HowTo />
      ) : (
        <FirstPassword
          user="admin"
          button="Set password"
          set={(password, signal) => call('setUp', { body: { token, password }, signal })}
          onSession={onSignedIn}
        >
          <h1>Set the administrator password</h1>
        </FirstPassword>
      )}
    </LonePage>
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
