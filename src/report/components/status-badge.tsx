import { signOf } from '../../model/words/status-sign.js';

/** A status as sign and word; `word` stands in for it where something else is to be said in its colour. */
export function StatusBadge({ status, word = status }: { status: string; word?: string }) {
  const known = ['valid', 'risky', 'invalid'].includes(status) ? status : 'unknown';
  return (
    <span class={`badge ${known}`}>
      <span aria-hidden="true">{signOf(status, true)} </span>
      {word}
    </span>
  );
}
