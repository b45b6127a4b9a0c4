import { seededRandom } from '../seeded-random.js';
import { hostilePieces } from './fuzz-inputs.js';

/** An integer from 0 to `limit`, exclusive. */
export type RandomSource = (limit: number) => number;

export function createRandomSource(seed: number): RandomSource {
  const random = seededRandom(seed);
  return (limit) => Math.floor(random() * limit);
}

/** Changes the hostile part of a case (text, bytes, or the first part of a tuple) in a few places, and cuts it elsewhere. */
export function mutated<Case>(value: Case, roll: RandomSource): Case {
  return mutatedPart(value, roll) as Case;
}

function mutatedPart(value: unknown, roll: RandomSource): unknown {
  if (typeof value === 'string') return times(1 + roll(3), value, (text) => mutatedText(text, roll));
  if (Buffer.isBuffer(value)) return times(1 + roll(3), value, (bytes) => mutatedBytes(bytes, roll));
  if (!Array.isArray(value)) return value;
  if (value.every((item) => typeof item === 'number')) return value.map(() => roll(60));
  const [first, ...rest] = value;
  return [mutatedPart(first, roll), ...rest.map((part) => (isCutList(part) ? mutatedPart(part, roll) : part))];
}

function isCutList(part: unknown): boolean {
  return Array.isArray(part) && part.every((item) => typeof item === 'number');
}

function times<Value>(count: number, value: Value, change: (value: Value) => Value): Value {
  return count === 0 ? value : times(count - 1, change(value), change);
}

function mutatedText(text: string, roll: RandomSource): string {
  const position = roll(text.length + 1);
  const to = Math.min(text.length, position + roll(8));
  const piece = hostilePieces[roll(hostilePieces.length)] ?? '';
  switch (roll(6)) {
    case 0:
      return text.slice(0, position) + text.slice(to);
    case 1:
      return text.slice(0, position) + piece + text.slice(position);
    case 2:
      return text.slice(0, position) + piece + text.slice(to);
    case 3:
      return text.slice(0, to) + text.slice(position).slice(0, 400);
    case 4:
      return (
        text.slice(0, position) + String.fromCharCode(roll(roll(2) === 0 ? 0x80 : 0x1_0000)) + text.slice(position + 1)
      );
    default:
      return text.slice(0, position);
  }
}

function mutatedBytes(bytes: Buffer, roll: RandomSource): Buffer {
  const position = roll(bytes.length + 1);
  const to = Math.min(bytes.length, position + roll(8));
  switch (roll(5)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, position), bytes.subarray(to)]);
    case 1:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(position, position + 400)]);
    case 2:
      return bytes.subarray(0, position);
    default: {
      const changed = Buffer.from(bytes);
      if (position < changed.length)
        changed[position] = roll(2) === 0 ? roll(256) : (changed[position] ?? 0) ^ (1 << roll(8));
      return changed;
    }
  }
}
