import { useEffect, useState } from 'preact/hooks';
import { audienceOf, mayOpen } from './audience.js';
import { AccountPage } from './pages/account-page.js';
import { ApiPage } from './pages/api/api-page.js';
import { AuditPage } from './pages/audit-page.js';
import { CheckPage } from './pages/check/check-page.js';
import { InvitationPage } from './pages/invitation.js';
import { JobPage } from './pages/job/job-page.js';
import { JobsPage } from './pages/jobs-page.js';
import { KeysPage } from './pages/keys/keys-page.js';
import { ListsPage } from './pages/lists/lists-page.js';
import { MembersPage } from './pages/members/members-page.js';
import { SetUpPage } from './pages/set-up.js';
import { SignInAgain, SignInPage } from './pages/sign-in.js';
import { StatusPage } from './pages/status-page.js';
import { UsagePage } from './pages/usage-page.js';
import { WebhooksPage } from './pages/webhooks-page.js';
import { PageHead } from './parts/page-head.js';
import { ProblemNote } from './parts/remote-content.js';
import { Link, useLocation } from './router.js';
import type { Observable } from './server/call.js';
import { hasSessionEnded, isServerReachable } from './server/call.js';
import { SessionContext, useSession, useSessionView } from './session.js';
import { TopBar } from './top-bar.js';

/** The application for the signed-in user. */
export function App() {
  const view = useSessionView();
  const { path } = useLocation();
  const isSessionEnded = useObservable(hasSessionEnded);
  const { answer: session, problem } = view;
  return (
    <>
      {session === null ? (
        <main class="alone">
          {problem === null ? <p class="muted waiting">Loading…</p> : <ProblemNote problem={problem} />}
        </main>
      ) : path === '/invitation' && location.hash !== '' ? (
        <InvitationPage who={session.state === 'signed_in' ? session.who : null} onSession={view.setAnswer} />
      ) : session.state === 'signed_in' ? (
        <SessionContext.Provider value={{ session, setSession: view.setAnswer }}>
          <Pages key={'id' in session.who ? session.who.id : 'admin'} />
          {isSessionEnded && <SignInAgain onSignedIn={view.setAnswer} />}
        </SessionContext.Provider>
      ) : session.state === 'setup' ? (
        <SetUpPage onSignedIn={view.setAnswer} />
      ) : (
        <SignInPage hasMembers={session.has_members} onSignedIn={view.setAnswer} />
      )}
      <Connection />
    </>
  );
}

function Pages() {
  const { path, query, state } = useLocation();
  const { kind } = useSession().session.who;
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <TopBar path={path} />
      <main id="main">{mayOpen(kind, path) ? pageAt(path, query, state) : <NotForThisUser path={path} />}</main>
    </>
  );
}

function NotForThisUser({ path }: { path: string }) {
  const isForMembers = audienceOf(path)?.includes('member') === true;
  return (
    <PageHead
      title={isForMembers ? 'Members and administrators only' : 'Administrators only'}
      description={<Link to="/">Check an address</Link>}
    />
  );
}

/** A malformed part stays unchanged and names no job. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function pageAt(path: string, query: URLSearchParams, state: unknown) {
  const job = /^\/jobs\/([^/]+)$/.exec(path)?.[1];
  if (job !== undefined) return <JobPage key={job} id={decodePart(job)} query={query} />;
  switch (path) {
    case '/':
    case '/setup':
    case '/invitation':
      return <CheckPage state={state} />;
    case '/lists':
      return <ListsPage />;
    case '/jobs':
      return <JobsPage query={query} />;
    case '/keys':
      return <KeysPage />;
    case '/api-docs':
      return <ApiPage />;
    case '/webhooks':
      return <WebhooksPage />;
    case '/members':
      return <MembersPage />;
    case '/audit':
      return <AuditPage query={query} />;
    case '/account':
      return <AccountPage />;
    case '/usage':
      return <UsagePage />;
    case '/status':
      return <StatusPage />;
    default:
      return <PageHead title="Page not found" description={<Link to="/">Check an address</Link>} />;
  }
}

/** A banner at the bottom while the server does not respond. */
function Connection() {
  const isReachable = useObservable(isServerReachable);
  return (
    <div class={`connection${isReachable ? ' gone' : ''}`} role="status">
      {!isReachable && 'The server does not respond. Retrying…'}
    </div>
  );
}

function useObservable<Value>(observable: Observable<Value>): Value {
  const [value, setValue] = useState(observable.value);
  useEffect(() => observable.listen(setValue), [observable]);
  return value;
}
