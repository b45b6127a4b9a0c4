import { safeText } from '../../model/text/safe-text.js';
import type { Problem } from '../server/problem.js';

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
