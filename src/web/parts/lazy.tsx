import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isServerReachable } from '../server/call.js';

const retryMs = 3_000;

/**
 * A component whose code is a file of its own. `preload` fetches it before it is shown, so that the page opens while
 * the server is lost; a fetch that fails is tried again.
 */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | null = null;
  const preload = async (): Promise<void> => {
    loaded ??= await load();
  };
  const Lazy = (props: Props) => {
    const [Component, setComponent] = useState(() => loaded);
    const [attempt, setAttempt] = useState(0);
    useEffect(() => {
      if (Component !== null) return;
      let timer = 0;
      preload().then(
        () => setComponent(() => loaded),
        () => {
          isServerReachable.set(false);
          timer = window.setTimeout(() => setAttempt(attempt + 1), retryMs);
        },
      );
      return () => window.clearTimeout(timer);
    }, [Component, attempt]);
    return Component === null ? <h1 class="muted waiting">Loading…</h1> : <Component {...props} />;
  };
  return Object.assign(Lazy, { preload });
}
