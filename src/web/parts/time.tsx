import { renderAge, renderMoment } from '../../model/text/time.js';

/** A relative time, with the exact one as a tooltip. */
export function Ago({ at, never = 'never' }: { at: string | null | undefined; never?: string }) {
  const time = at == null ? Number.NaN : Date.parse(at);
  if (Number.isNaN(time)) return <span class="muted">{never}</span>;
  return (
    <time dateTime={new Date(time).toISOString()} title={exactText(time)}>
      {agoText(time, Date.now())}
    </time>
  );
}

const dayMs = 86_400_000;

/** `just now`, `6 min ago`, `yesterday`, and the date from two days on. */
export function agoText(time: number, now: number): string {
  const age = now - time;
  if (age < 0) return futureText(-age, time);
  if (age < dayMs) {
    const words = renderAge(age);
    return words === 'just now' ? words : `${words} ago`;
  }
  return age < 2 * dayMs ? 'yesterday' : dateText(time, now);
}

function futureText(ahead: number, time: number): string {
  if (ahead < 10_000) return 'now';
  return ahead < dayMs ? `in ${renderAge(ahead)}` : dateText(time);
}

/** `3 Nov`, with the year if it is another one. */
export function dateText(time: number, now = Date.now()): string {
  const isSameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  const format = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(!isSameYear && { year: 'numeric' }),
  });
  return format.format(time);
}

function exactText(time: number): string {
  return renderMoment(time, 0);
}
