import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { SessionView } from '../wire/app-session.js';
import { call, sessionEnded } from './server/call.js';
import { type Remote, useAnswer } from './server/use-answer.js';

/** Somebody is signed in. */
type SignedIn = Extract<SessionView, { state: 'signed_in' }>;

interface SessionControl {
  session: SignedIn;
  /** Takes what the server said about who is signed in, and tells other tabs. */
  take(view: SessionView): void;
}

export const SessionContext = createContext<SessionControl | null>(null);

/** Who is signed in. Only within a page that needs somebody to be. */
export function useSession(): SessionControl {
  const control = useContext(SessionContext);
  if (control === null) throw new Error('Nobody is signed in here.');
  return control;
}

const channelName = 'mailvet-session';

/** Who is signed in, as far as the server was asked; other tabs of this browser are listened to. */
export function useSessionView(): Remote<SessionView> & { take(view: SessionView): void } {
  const remote = useAnswer('session', (signal) => call('session', { signal }));
  const [channel] = useState(() => new BroadcastChannel(channelName));
  const { answer } = remote;
  useEffect(() => {
    channel.onmessage = async () => {
      const view = await call('session', {}).catch(() => null);
      if (view === null) return;
      // What was typed stays on the page until somebody has signed in again.
      if (answer?.state === 'signed_in' && view.state !== 'signed_in') sessionEnded.set(true);
      else {
        remote.take(view);
        sessionEnded.set(false);
      }
    };
  }, [answer, channel, remote.take]);
  return {
    ...remote,
    take: (view) => {
      remote.take(view);
      sessionEnded.set(false);
      channel.postMessage('changed');
    },
  };
}
