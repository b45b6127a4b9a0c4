import { InvalidArgumentError } from 'commander';
import { integer } from '../../settings/value-kinds.js';

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A length of time such as 90m, 12h, 30d or 2w in milliseconds; a bare number is days. */
export function parseAge(text: string): number {
  const match = /^(\d{1,6})(m|h|d|w)?$/.exec(text.trim().toLowerCase());
  if (match === null) throw new InvalidArgumentError('Allowed: a time such as 90m, 12h, 30d or 2w.');
  return Number(match[1]) * (unitMs[match[2] ?? 'd'] ?? 0);
}

/** The same for a time above zero. */
export function parseLifetime(text: string): number {
  const ms = parseAge(text);
  if (ms > 0) return ms;
  throw new InvalidArgumentError('Allowed: a time from 1m up, such as 12h or 30d.');
}

/** A parser of whole numbers within these bounds. */
export function parseCount(min: number, max = 999_999_999): (text: string) => number {
  const { parse, allowed } = integer(min, max);
  return (text) => {
    const value = parse(text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`Allowed: ${allowed}.`);
  };
}
