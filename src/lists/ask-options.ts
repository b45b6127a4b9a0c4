import type { Caller } from '../async/caller.js';
import type { Clock } from '../async/clock.js';
import { Failure } from '../model/failure.js';
import type { RunProgress } from '../model/service.js';
import type { RunMemory } from './keeper.js';
import type { Asker, Item, Sink } from './pipeline.js';

/** How a list is asked. */
export interface AskOptions<Row extends Item> {
  asker: Asker;
  sink: Sink<Row>;
  caller: Caller;
  /** Null: nothing is kept. */
  memory?: RunMemory | null;
  /** Throws the Failure `network` if the network was down for most of the list. */
  needsNetwork?: boolean;
  onProgress?(progress: RunProgress): void;
  clock?: Clock;
  /** Its signal takes no more questions; those that are open may be answered for that long. */
  drain?: { signal: AbortSignal | undefined; ms: number };
  /** How many questions may be open at a time. */
  maxOpen?(): number;
  /** True when all that is left is to wait for hosts that said "try later"; false when that is over. */
  onWaiting?(isWaiting: boolean): void;
}

/** What a run found out beside its answers. */
export interface RunReport {
  /** Addresses that an earlier start of the run sent, and that were never answered. */
  inDoubt: number;
}

/** The failure of a run that was stopped. */
export function interrupted(cause: unknown): Failure {
  return new Failure('interrupted', 'Interrupted.', { cause });
}
