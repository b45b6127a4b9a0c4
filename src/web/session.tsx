import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { SessionView } from '../wire/app-server.js';
import { call, hasSessionEnded } from './server/call.js';
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

const channelName = 'mailvet-session';

/** The session as last fetched; changes in other tabs of this browser are followed. */
export function useSessionView(): Remote<SessionView> {
  const remote = useAnswer('session', (signal) => call('session', { signal }));
  const [channel] = useState(() => new BroadcastChannel(channelName));
  const { answer } = remote;
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
