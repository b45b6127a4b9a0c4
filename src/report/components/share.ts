import { percent } from '../../model/amount.js';

/** A percentage for people: never "0%" for something, nor "100%" for less than all. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const share = part / whole;
  if (part > 0 && share < 0.005) return '< 1%';
  if (part < whole && share >= 0.995) return '> 99%';
  return percent(share);
}
