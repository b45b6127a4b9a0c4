import type { Kind } from './value-kinds.js';

/** One setting: its names, allowed values and default. */
export interface Definition<Value> {
  /** The name in the settings file and in `config`. The environment variable is `MAILVET_` and this name in capitals. */
  key: string;
  kind: Kind<NonNullable<Value>>;
  default: Value;
  /** What each back end uses if the setting is null. A kind of request may have another default. */
  usedDefault?: Record<'local' | 'remote', NonNullable<Value>>;
  description: string;
  /** The flag in commander's syntax, for what is not set once. */
  flag?: string;
  secret?: boolean;
}

export function define<Value>(definition: Definition<Value>): Definition<Value> {
  return definition;
}
