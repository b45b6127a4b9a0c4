import { Failure } from '../../../model/failure.js';
import { nearestName } from '../../../model/nearest-name.js';
import { nameRank } from '../email-column.js';

const maxListedKeys = 30;

/** Finds the address in the values of a JSON list: in the requested field, otherwise in the one whose name says that it is an address. */
export class EmailField {
  readonly #requested: string | undefined;
  /** The field where the last address was found. */
  #name: string | undefined;
  readonly #keys = new Set<string>();
  #objects = 0;
  #strings = 0;
  #found = 0;
  #hasNestedAddress = false;

  constructor(requested?: string) {
    this.#requested = requested;
    this.#name = requested;
  }

  /** The field that addresses were found in; undefined if there was none yet. */
  get name(): string | undefined {
    return this.#name;
  }

  /** A string itself, or the address in an object; null if there is none. */
  recordAddress(value: unknown): string | null {
    if (typeof value === 'string') {
      this.#strings++;
      return value;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    this.#objects++;
    if (this.#found === 0) this.#inspect(value);
    const field = this.#fieldOf(value);
    const email: unknown =
      field !== undefined && Object.hasOwn(value, field) ? (value as Record<string, unknown>)[field] : undefined;
    const text = textOf(email);
    if (text !== null) this.#found++;
    return text;
  }

  /** Throws if there were objects and none had an address, or none had the requested field. */
  assertFound(): void {
    // Strings among the objects are addresses too, but they do not make up for a requested field that is missing.
    const hasAddresses = this.#found > 0 || (this.#strings > 0 && this.#requested === undefined);
    if (this.#objects === 0 || hasAddresses) return;
    const keys = [...this.#keys];
    throw this.#requested === undefined
      ? noFieldFailure(keys, this.#hasNestedAddress)
      : noSuchFieldFailure(this.#requested, keys);
  }

  /** Collects what a failure lists. */
  #inspect(value: object): void {
    if (this.#keys.size < maxListedKeys) for (const key of Object.keys(value)) this.#keys.add(key);
    this.#hasNestedAddress ||= Object.entries(value).some(containsNestedAddress);
  }

  #fieldOf(object: object): string | undefined {
    if (this.#requested !== undefined) return this.#requested;
    if (this.#name !== undefined && Object.hasOwn(object, this.#name)) return this.#name;
    let best = 0;
    for (const key of Object.keys(object)) {
      const rank = nameRank(key);
      if (rank <= best) continue;
      best = rank;
      this.#name = key;
    }
    return best > 0 ? this.#name : undefined;
  }
}

/** An address, or several in an array. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isList && value.length > 0 ? value.join(', ') : null;
}

/** True if an address is nested deeper than a field, or is the name of one. */
function containsNestedAddress([name, value]: [string, unknown]): boolean {
  return name.includes('@') || (typeof value === 'object' && value !== null && JSON.stringify(value).includes('@'));
}

function noFieldFailure(keys: string[], isNested: boolean): Failure {
  const nested = 'The addresses do not stand in fields of their own: --input text takes them out, wherever they are.';
  return new Failure('bad_input', 'No field of the JSON objects looks like an email address.', {
    hint: isNested ? nested : `Name one with --column. The fields are: ${listed(keys)}.`,
  });
}

function noSuchFieldFailure(column: string, keys: string[]): Failure {
  const near = nearestName(column, keys);
  return new Failure('usage', `The JSON objects have no field ${JSON.stringify(column)} with a text in it.`, {
    hint: `${near === null ? '' : `Did you mean ${JSON.stringify(near)}? `}The fields are: ${listed(keys)}.`,
  });
}

function listed(keys: string[]): string {
  return keys
    .slice(0, maxListedKeys)
    .map((key) => JSON.stringify(key))
    .join(', ');
}
