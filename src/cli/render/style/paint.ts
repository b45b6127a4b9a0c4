import { Chalk, type ChalkInstance } from 'chalk';

/** Chalk with color or without, as the sink wants it. */
export function paint(color: boolean): ChalkInstance {
  return new Chalk({ level: color ? 1 : 0 });
}
