import { useEffect, useState } from 'preact/hooks';
import { audienceOf, mayOpen } from './audience.js';
import { CheckPage } from './pages/check/check-page.js';
import { InvitationPage } from './pages/invitation.js';
import { ListsPage } from './pages/lists/lists-page.js';
import { SetUpPage } from './pages/set-up.js';
import { SignInAgain, SignInPage } from './pages/sign-in.js';
import { lazy } from './parts/lazy.js';
import { PageHead } from './parts/page-head.js';
import { ProblemNote } from './parts/remote-content.js';
import { Link, useLocation } from './router.js';
import type { Observable } from './server/call.js';
import { hasSessionEnded, isServerReachable } from './server/call.js';
import { SessionContext, useSession, useSessionView } from './session.js';
import { TopBar } from './top-bar.js';

const preloadMs = 100;

/** Loaded when they are opened, or soon after the first page. */
const ListPage = lazy(() => import('./pages/list/list-page.js').then((each) => each.ListPage));
const SeldomPage = lazy(() => import('./pages/seldom-page.js').then((each) => each.SeldomPage));

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
  useEffect(() => {
    // After what this page needs; a page that is opened later tries again.
    const timer = window.setTimeout(() => {
      if (document.hidden) return;
      for (const { preload } of [ListPage, SeldomPage]) preload().catch(() => {});
    }, preloadMs);
    return () => window.clearTimeout(timer);
  }, []);
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
  const list = /^\/lists\/([^/]+)$/.exec(path)?.[1];
  if (list !== undefined) return <ListPage key={list} id={decodePart(list)} query={query} />;
  if (path === '/lists') return <ListsPage query={query} />;
  if (['/', '/setup', '/invitation'].includes(path)) return <CheckPage state={state} />;
  return <SeldomPage path={path} query={query} />;
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
