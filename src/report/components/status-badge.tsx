import { signOf } from '../../model/text/status-sign.js';

/** A status as sign and word; `word` replaces its name. */
export function StatusBadge({ status, word = status }: { status: string; word?: string }) {
  const tone = ['valid', 'risky', 'invalid'].includes(status) ? status : 'unknown';
  return <Badge sign={signOf(status, true)} word={word} tone={tone} />;
}

export function Badge({ sign, word, tone }: { sign: string; word: string; tone: string }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign} </span>
      {word}
    </span>
  );
}
