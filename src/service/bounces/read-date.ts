const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Date.parse knows these zones (RFC 5322, section 4.3). A time without one is a local one. */
const time = String.raw`(?<clock>\d{1,2}:[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:\s?(?<half>[ap]m))?(?:\s*(?:[+-](?:0\d|1\d|2[0-3])(?::?[0-5]\d)?|z|utc?|gmt|[ecmp][sd]t))?)`;
const weekday = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\\s+)?';
const month =
  '(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const shape = (text: string): RegExp => new RegExp(`^${text}$`, 'i');

/** Dates that can be read in one way only. Without a year, it is a line of syslog (RFC 3164). */
const shapes = [
  // ISO 8601: 2026-11-18T10:11:12Z
  shape(String.raw`(?<year>\d{4})([-/.])(?<month>\d{1,2})\2(?<day>\d{1,2})(?:(?:t|,?\s+)${time})?`),
  // RFC 5322: Wed, 18 Nov 2026 10:11:12 +0100
  shape(String.raw`${weekday}(?<day>\d{1,2})[\s-]${month}[\s-](?<year>\d{4})(?:,?\s+${time})?`),
  // Nov 18, 2026 10:11 AM
  shape(String.raw`${weekday}${month}\s+(?<day>\d{1,2}),?\s+(?<year>\d{4})(?:,?\s+${time})?`),
  // asctime, and syslog: Nov 18 10:11:12
  shape(String.raw`${weekday}${month}\s+(?<day>\d{1,2})\s+${time}(?:\s+(?<year>\d{4}))?`),
];
/** 18.11.2026 has the day first. 05/11/2026 and 05-11-2026 depend on the country, and are not read. */
const numeric = shape(String.raw`(?<one>\d{1,2})(?<mark>[-/.])(?<two>\d{1,2})\k<mark>(?<year>\d{4})(?:,?\s+${time})?`);

/** The date in ISO 8601; empty if the text is not a date, or can be two, such as 05/11/2026. A time without a zone is a local one. */
export function readDate(text: string, now = Date.now()): string {
  if (text.length > maxLength) return '';
  // RFC 5322 allows a comment, such as the name of the zone.
  const value = text.replace(/\s*\([^()]*\)\s*$/, '').trim();
  const found = readUnixTime(value, now) ?? readParts(value, now);
  return found === null ? '' : new Date(found).toISOString();
}

const maxLength = 100;
const dayMs = 86_400_000;

/** Seconds with 10 digits, or milliseconds with 13. A later time is some other number. */
function readUnixTime(text: string, now: number): number | null {
  if (!/^(?:\d{10}(?:\.\d+)?|\d{13})$/.test(text)) return null;
  const time = /^\d{13}/.test(text) ? Number(text) : Math.round(Number(text) * 1000);
  return time <= now + dayMs ? time : null;
}

type Parts = Record<string, string | undefined>;

function readParts(text: string, now: number): number | null {
  const parts: Parts | undefined = shapes.map((each) => each.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts !== undefined) return parts['year'] === undefined ? withoutYear(parts, now) : timeOf(parts);
  const groups = numeric.exec(text)?.groups;
  if (groups === undefined) return null;
  const { one, two, mark } = groups;
  // A number over 12, and a dot, prove the order.
  if (mark !== '.' && Number(one) <= 12 && Number(two) <= 12 && Number(one) !== Number(two)) return null;
  const isMonthFirst = mark !== '.' && Number(two) > 12;
  return timeOf({ ...groups, ...(isMonthFirst ? { month: one, day: two } : { day: one, month: two }) });
}

/** The last time that the calendar had this date. Within the next day it may be one of another time zone: not read. */
function withoutYear(parts: Parts, now: number): number | null {
  const lastYear = new Date(now + dayMs).getUTCFullYear();
  // Eight years without a leap day are possible: 1897 to 1903.
  for (let year = lastYear; year > lastYear - 9; year--) {
    const time = timeOf({ ...parts, year: String(year) });
    if (time !== null && time <= now + dayMs) return time <= now ? time : null;
  }
  return null;
}

/** Null for a day or a time that does not exist. */
function timeOf({ year, month = '', day, clock, half }: Parts): number | null {
  const number = Number(month) || months.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const date = `${year}-${twoDigits(number)}-${twoDigits(day)}`;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // Date.parse reads February 30 as March 2.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return null;
  if (clock === undefined) return midnight;
  if (half !== undefined && /^0?0:/.test(clock)) return null;
  const time = Date.parse(
    `${day} ${months[number - 1]} ${year} ${clock.replace(',', '.').replace(/\s?([ap]m)/i, ' $1 ')}`,
  );
  return Number.isNaN(time) ? null : time;
}

function twoDigits(number: number | string | undefined): string {
  return String(number).padStart(2, '0');
}
