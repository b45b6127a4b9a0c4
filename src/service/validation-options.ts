import type { EngineOptions } from '../engine/engine-options.js';
import type { EmailChunks } from '../model/service.js';

/** How the bundled engine validates. All of it has defaults. */
export interface ValidationOptions extends EngineOptions {
  /** What `metadata.plan_tier` says. */
  planTier?: string;
  /** Called once where a list is so long that not all of its duplicates can be told. */
  onTooManyToRemember?: () => void;
}

/** Addresses one by one, or in chunks of any size. */
export type AddressesToVet = EmailChunks | Iterable<string> | AsyncIterable<string>;
