import { localDate, renderAge, renderMoment } from '../../model/text/time.js';

/** A relative time, with the exact one as a tooltip. */
export function RelativeTime({ at, never = 'never' }: { at: string | null | undefined; never?: string }) {
  const time = at == null ? Number.NaN : Date.parse(at);
  if (Number.isNaN(time)) return <span class="muted">{never}</span>;
  return (
    <time dateTime={new Date(time).toISOString()} title={exactText(time)}>
      {agoText(time, Date.now())}
    </time>
  );
}

const dayMs = 86_400_000;

/** `just now`, `6 min ago`, `yesterday`, then the date. */
export function agoText(time: number, now: number): string {
  const age = now - time;
  if (age < 0) return futureText(-age, time);
  if (age < dayMs) {
    const words = renderAge(age);
    return words === 'just now' ? words : `${words} ago`;
  }
  return localDate(time) === localDate(now - dayMs) ? 'yesterday' : localDate(time);
}

function futureText(ahead: number, time: number): string {
  if (ahead < 10_000) return 'now';
  return ahead < dayMs ? `in ${renderAge(ahead)}` : localDate(time);
}

function exactText(time: number): string {
  return renderMoment(time, 0);
}
