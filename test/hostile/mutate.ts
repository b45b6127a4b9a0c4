import { hostilePieces } from './fuzz-inputs.js';

/** A whole number from 0 up to, not including, `limit`. */
export type RandomSource = (limit: number) => number;

/** Fast, and the same for the same seed (xorshift32). */
export function createRandomSource(seed: number): RandomSource {
  let state = seed | 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

/** The case with what is hostile in it (text, bytes, or the first part of a tuple) changed in a few places, and cut elsewhere. */
export function mutated<Case>(value: Case, roll: RandomSource): Case {
  return mutatedPart(value, roll) as Case;
}

function mutatedPart(value: unknown, roll: RandomSource): unknown {
  if (typeof value === 'string') return times(1 + roll(3), value, (text) => mutatedText(text, roll));
  if (Buffer.isBuffer(value)) return times(1 + roll(3), value, (bytes) => mutatedBytes(bytes, roll));
  if (!Array.isArray(value)) return value;
  if (value.every((item) => typeof item === 'number')) return value.map(() => roll(60));
  const [first, ...rest] = value;
  return [mutatedPart(first, roll), ...rest.map((part) => (isCuts(part) ? mutatedPart(part, roll) : part))];
}

function isCuts(part: unknown): boolean {
  return Array.isArray(part) && part.every((item) => typeof item === 'number');
}

function times<Value>(count: number, value: Value, change: (value: Value) => Value): Value {
  return count === 0 ? value : times(count - 1, change(value), change);
}

function mutatedText(text: string, roll: RandomSource): string {
  const at = roll(text.length + 1);
  const to = Math.min(text.length, at + roll(8));
  const piece = hostilePieces[roll(hostilePieces.length)] ?? '';
  switch (roll(6)) {
    case 0:
      return text.slice(0, at) + text.slice(to);
    case 1:
      return text.slice(0, at) + piece + text.slice(at);
    case 2:
      return text.slice(0, at) + piece + text.slice(to);
    case 3:
      return text.slice(0, to) + text.slice(at).slice(0, 400);
    case 4:
      return text.slice(0, at) + String.fromCharCode(roll(roll(2) === 0 ? 0x80 : 0x1_0000)) + text.slice(at + 1);
    default:
      return text.slice(0, at);
  }
}

function mutatedBytes(bytes: Buffer, roll: RandomSource): Buffer {
  const at = roll(bytes.length + 1);
  const to = Math.min(bytes.length, at + roll(8));
  switch (roll(5)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    case 1:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at, at + 400)]);
    case 2:
      return bytes.subarray(0, at);
    default: {
      const changed = Buffer.from(bytes);
      if (at < changed.length) changed[at] = roll(2) === 0 ? roll(256) : (changed[at] ?? 0) ^ (1 << roll(8));
      return changed;
    }
  }
}
