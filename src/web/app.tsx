import { useEffect, useState } from 'preact/hooks';
import { type PagePath, pages } from '../wire/app.js';
import { CheckPage } from './pages/check/check-page.js';
import { InvitationPage } from './pages/invitation.js';
import { ListsPage } from './pages/lists/lists-page.js';
import { SetUpPage } from './pages/set-up.js';
import { SignInAgain, SignInPage } from './pages/sign-in.js';
import { lazy } from './parts/lazy.js';
import { PageHead } from './parts/page-head.js';
import { ProblemNote } from './parts/remote-content.js';
import { Link, type PageProps, useLocation } from './router.js';
import type { Observable } from './server/call.js';
import { hasSessionEnded, isServerReachable } from './server/call.js';
import { mayOpen, SessionContext, useSession, useSessionView } from './session.js';
import { TopBar } from './top-bar.js';

const preloadMs = 100;

/** Loaded when one is opened, or soon after the first page. */
const OtherPage = lazy(() => import('./other-pages.js').then((each) => each.OtherPage));

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
        <SignInPage view={session} onSignedIn={view.setAnswer} />
      )}
      <Connection />
    </>
  );
}

function Pages() {
  const { path, query, state } = useLocation();
  const { who } = useSession().session;
  useEffect(() => {
    // After what this page needs; a page that is opened later tries again.
    const timer = window.setTimeout(() => document.hidden || OtherPage.preload().catch(() => {}), preloadMs);
    return () => window.clearTimeout(timer);
  }, []);
  const page = findPage(path);
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <TopBar path={path} />
      <main id="main">
        {page === null ? (
          <NoPage title="Page not found" />
        ) : mayOpen(who, page) ? (
          contentOf(page.path, { id: page.id, query, state })
        ) : (
          <NoPage title={page.may === 'member' ? 'Members and administrators only' : 'Administrators only'} />
        )}
      </main>
    </>
  );
}

function NoPage({ title }: { title: string }) {
  return <PageHead title={title} description={<Link to="/">Check an address</Link>} />;
}

/** The page of a path, and the variable part of it; null if there is none. */
function findPage(path: string) {
  const [, first = '', id = '', ...more] = path.split('/');
  const page = pages.find((page) => page.path === [`/${first}`, ...(id === '' ? [] : ['{id}']), ...more].join('/'));
  return page === undefined ? null : { ...page, id: decodePart(id) };
}

/** A malformed part stays unchanged and names no list. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function contentOf(page: PagePath, props: PageProps) {
  if (page === '/lists') return <ListsPage {...props} />;
  if (page === '/' || page === '/setup' || page === '/invitation') return <CheckPage {...props} />;
  return <OtherPage key={`${page} ${props.id}`} page={page} {...props} />;
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
