import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { pages, SessionView, SignedInUser } from '../wire/app.js';
import { call, creditChanges, hasSessionEnded, refusals } from './server/call.js';
import { type Remote, useAnswer } from './server/use-answer.js';

type SignedIn = Extract<SessionView, { state: 'signed_in' }>;

interface SessionControl {
  session: SignedIn;
  /** Sets the session, and notifies other tabs. */
  setSession(view: SessionView): void;
}

export const SessionContext = createContext<SessionControl | null>(null);

/** The signed-in user, for pages that need one. */
export function useSession(): SessionControl {
  const control = useContext(SessionContext);
  if (control === null) throw new Error('No user is signed in.');
  return control;
}

/** Whether a page is for the user. */
export function mayOpen({ kind }: SignedInUser, { may }: (typeof pages)[number]): boolean {
  return may === 'session' || kind === 'admin' || (may === 'member' && kind === 'member');
}

const channelName = 'mailvet-session';

const pollIntervalMs = 60_000;

/** The session, fetched each minute, after a 403 (the role may have changed) and when credits change; other tabs of this browser are followed. */
export function useSessionView(): Remote<SessionView> {
  const latest = useRef<SessionView | null>(null);
  const remote = useAnswer(
    'session',
    async (signal) => {
      const before = latest.current;
      const view = await call('session', { signal });
      // The user signed in or out meanwhile.
      if (latest.current !== before && latest.current !== null) return latest.current;
      if (before?.state !== 'signed_in' || view.state === 'signed_in') return view;
      // The page keeps what was typed.
      hasSessionEnded.set(true);
      return before;
    },
    () => pollIntervalMs,
  );
  const [channel] = useState(() => new BroadcastChannel(channelName));
  const { answer, refresh } = remote;
  latest.current = answer;
  useEffect(() => refusals.listen(refresh), [refresh]);
  useEffect(() => creditChanges.listen(refresh), [refresh]);
  useEffect(() => {
    channel.onmessage = async ({ data }: MessageEvent<'changed' | 'signed_out'>) => {
      const view = await call('session', {}).catch(() => null);
      if (view === null) return;
      // After a sign-out nothing stays on the screen; otherwise the page keeps what was typed until the next sign-in.
      const hasEnded = answer?.state === 'signed_in' && view.state !== 'signed_in';
      if (hasEnded && data !== 'signed_out') hasSessionEnded.set(true);
      else {
        remote.setAnswer(view);
        hasSessionEnded.set(false);
      }
    };
  }, [answer, channel, remote.setAnswer]);
  return {
    ...remote,
    setAnswer: (view) => {
      remote.setAnswer(view);
      hasSessionEnded.set(false);
      channel.postMessage(view.state === 'signed_in' ? 'changed' : 'signed_out');
    },
  };
}
