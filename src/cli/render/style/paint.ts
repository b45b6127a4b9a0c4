import { Chalk, type ChalkInstance } from 'chalk';

/** Chalk with colour or without, as the sink wants it. */
export function paint(colour: boolean): ChalkInstance {
  return new Chalk({ level: colour ? 1 : 0 });
}
