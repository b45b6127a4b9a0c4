const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A duration: `12 ms`, `0.4 s`, `12 s`, `5 min 58 s`, `2 h 3 min`, `3 days`. */
export function renderDuration(ms: number): string {
  const positive = Math.max(0, ms);
  if (positive < 99.5) return `${Math.round(positive)} ms`;
  if (positive < 9.95 * second) return `${(positive / second).toFixed(1)} s`;
  const seconds = Math.round(positive / second);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return joinUnits(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(positive / minute);
  if (minutes < 24 * 60) return joinUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  return days(minutes * minute);
}

/** The time left, which is an estimate, in whole seconds: `7 s`, `1 min 19 s`. */
export function renderTimeLeft(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / second));
  return seconds < 60 ? `${seconds} s` : renderDuration(seconds * second);
}

/** A rough age: `just now`, `6 min`, `2 h`, `1 day`. */
export function renderAge(ms: number): string {
  if (ms < 10 * second) return 'just now';
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < day) return `${Math.floor(ms / hour)} h`;
  return days(ms);
}

/** How long ago something was: `just now`, `6 min ago`. */
export function renderAgo(ms: number): string {
  return ms < 10 * second ? renderAge(ms) : `${renderAge(ms)} ago`;
}

/** A local time with its zone, and with the date unless it is today: `14:06 CET`. */
export function renderMoment(at: number, now = Date.now()): string {
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });
  const isToday = localDate(now) === localDate(at);
  return isToday ? time.format(at) : `${localDate(at)} ${time.format(at)}`;
}

/** A time to wait for, as `renderMoment`, rounded up to the minute: before it would be too early. */
export function renderDueTime(at: number): string {
  return renderMoment(Math.ceil(at / minute) * minute);
}

/** The date in the local time zone: `2026-11-03`. */
export function localDate(at: number): string {
  const date = new Date(at);
  const twoDigits = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

function days(ms: number): string {
  const whole = Math.floor(ms / day);
  return whole === 1 ? '1 day' : `${whole} days`;
}
