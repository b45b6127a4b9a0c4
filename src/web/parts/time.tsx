import { renderAge, renderMoment } from '../../model/text/time.js';

/** A relative time, with the exact one as a tooltip. */
export function Ago({ at, never = 'never' }: { at: string | null | undefined; never?: string }) {
  const time = at == null ? Number.NaN : Date.parse(at);
  if (Number.isNaN(time)) return <span class="muted">{never}</span>;
  return (
    <time dateTime={new Date(time).toISOString()} title={exact(time)}>
      {agoText(time, Date.now())}
    </time>
  );
}

const day = 86_400_000;

/** `just now`, `6 min ago`, `yesterday`, and the date from two days on. */
export function agoText(time: number, now: number): string {
  const age = now - time;
  if (age < 0) return inTime(-age, time);
  if (age < day) {
    const words = renderAge(age);
    return words === 'just now' ? words : `${words} ago`;
  }
  return age < 2 * day ? 'yesterday' : dateText(time, now);
}

function inTime(ahead: number, time: number): string {
  if (ahead < 10_000) return 'now';
  return ahead < day ? `in ${renderAge(ahead)}` : dateText(time);
}

/** `3 Nov`, with the year if it is another one. */
export function dateText(time: number, now = Date.now()): string {
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  const format = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(!sameYear && { year: 'numeric' }),
  });
  return format.format(time);
}

function exact(time: number): string {
  return renderMoment(time, 0);
}
