import type { ComponentChildren } from 'preact';
import type { Remote } from '../server/use-answer.js';
import { ProblemNote } from './problem-note.js';

/** Shows a response, or a placeholder of its size until it is there. */
export function Waiting<Answer>({
  of,
  children,
}: {
  of: Remote<Answer>;
  children: (answer: Answer) => ComponentChildren;
}) {
  const { answer, problem } = of;
  if (answer !== null) {
    return (
      <>
        {problem !== null && problem.status !== 0 && problem.status !== 401 && <ProblemNote problem={problem} />}
        {children(answer)}
      </>
    );
  }
  if (problem !== null && problem.status !== 401) return <ProblemNote problem={problem} />;
  return (
    <div class="panel waiting" role="status">
      <p class="muted">Loading…</p>
    </div>
  );
}
