import type { ComponentChildren } from 'preact';
import { safeText } from '../../model/text/safe-text.js';
import type { Problem } from '../server/call.js';
import type { Remote } from '../server/use-answer.js';

/** Shows a response, or a placeholder of its size until it is there. */
export function RemoteContent<Answer>({
  remote,
  children,
}: {
  remote: Remote<Answer>;
  children: (answer: Answer) => ComponentChildren;
}) {
  const { answer, problem } = remote;
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

/** An error message with its hint. */
export function ProblemNote({ problem }: { problem: Problem | null }) {
  if (problem === null) return null;
  return (
    <div class="problem" role="alert">
      <p>
        <span aria-hidden="true">✖ </span>
        {safeText(problem.message)}
      </p>
      {problem.hint !== null && <p class="muted">{safeText(problem.hint)}</p>}
    </div>
  );
}
