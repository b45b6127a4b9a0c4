import { signOf } from '../../model/text/status-sign.js';

/** A status as sign and word; `word` stands in for it where something else is to be said in its colour. */
export function StatusBadge({ status, word = status }: { status: string; word?: string }) {
  const tone = ['valid', 'risky', 'invalid'].includes(status) ? status : 'unknown';
  return <Badge sign={signOf(status, true)} word={word} tone={tone} />;
}

/** A sign and a word in the colour of a tone. */
export function Badge({ sign, word, tone }: { sign: string; word: string; tone: string }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign} </span>
      {word}
    </span>
  );
}
