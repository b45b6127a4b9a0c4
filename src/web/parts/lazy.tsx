import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asProblem, type Problem } from '../server/call.js';
import { ProblemNote } from './remote-content.js';

/** A component whose code is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return (props: Props) => {
    const [problem, setProblem] = useState<Problem | null>(null);
    const [Component, setComponent] = useState(() => loaded);
    useEffect(() => {
      if (Component !== null) return;
      load().then(
        (component) => {
          loaded = component;
          setComponent(() => component);
        },
        (thrown: unknown) => setProblem(asProblem(thrown)),
      );
    }, [Component]);
    if (Component !== null) return <Component {...props} />;
    return problem !== null ? <ProblemNote problem={problem} /> : <p class="muted waiting">Loading…</p>;
  };
}
