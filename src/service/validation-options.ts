import type { EngineOptions } from '../engine/engine-options.js';
import type { EmailChunks } from '../model/service.js';

/** Options of the bundled engine. All have defaults. */
export interface ValidationOptions extends EngineOptions {
  planTier?: string;
  /** Called once if a list is too long to find all duplicates. */
  onTooManyToRemember?: () => void;
}

/** Addresses one by one, or in chunks of any size. */
export type AddressesToVet = EmailChunks | Iterable<string> | AsyncIterable<string>;
