import { Failure } from '../../../model/failure.js';
import { nearestName } from '../../../model/nearest-name.js';
import { findField, nestedFields } from '../../table/nested-fields.js';
import { nameRank } from '../email-column.js';
import { containsAddress } from '../find-addresses.js';

const maxListedKeys = 30;

/** Finds the address in the values of a JSON list: in the requested field, otherwise in the one whose name says that it is an address. */
export class EmailField {
  readonly #requested: string | undefined;
  /** The field where the first address was found. An object without it may have its address in another one. */
  #name: string | undefined;
  readonly #keys = new Set<string>();
  /** The paths of addresses in nested objects. */
  readonly #paths = new Set<string>();
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
    const text = field === undefined ? null : textOf(findField(value, field)?.value);
    if (text !== null) this.#found++;
    return text;
  }

  /** Throws if there were objects and none had an address, or none had the requested field. */
  assertFound(): void {
    // Strings among the objects are addresses too, but they do not make up for a requested field that is missing.
    const hasAddresses = this.#found > 0 || (this.#strings > 0 && this.#requested === undefined);
    if (this.#objects === 0 || hasAddresses) return;
    const names = { keys: [...this.#keys], paths: [...this.#paths] };
    throw this.#requested === undefined
      ? noFieldFailure(names, this.#hasNestedAddress)
      : noSuchFieldFailure(this.#requested, names);
  }

  /** Collects what a failure lists. */
  #inspect(value: object): void {
    if (this.#keys.size < maxListedKeys) for (const key of Object.keys(value)) this.#keys.add(key);
    this.#hasNestedAddress ||= Object.entries(value).some(containsNestedAddress);
    for (const path of addressPathsIn(value)) if (this.#paths.size < maxListedKeys) this.#paths.add(path);
  }

  #fieldOf(object: object): string | undefined {
    if (this.#requested !== undefined) return this.#requested;
    if (this.#name !== undefined && findField(object, this.#name) !== null) return this.#name;
    const name = bestNamed(Object.keys(object)) ?? (this.#found === 0 ? bestNamed(addressPathsIn(object)) : undefined);
    if (name !== undefined && this.#found === 0) this.#name = name;
    return name;
  }
}

/** The name, or the path by its last name, that says most clearly that it is an address. */
function bestNamed(names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestRank = 0;
  for (const name of names) {
    const rank = nameRank(name.slice(name.lastIndexOf('.') + 1));
    if (rank <= bestRank) continue;
    best = name;
    bestRank = rank;
  }
  return best;
}

/** The paths of texts in nested objects that contain an address. */
function addressPathsIn(object: object): string[] {
  const fields = [...nestedFields(object)].filter(([path]) => !Object.hasOwn(object, path));
  return fields.flatMap(([path, value]) => (typeof value === 'string' && containsAddress(value) ? [path] : []));
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

interface FieldNames {
  keys: readonly string[];
  paths: readonly string[];
}

function noFieldFailure({ keys, paths }: FieldNames, isNested: boolean): Failure {
  const nested = 'The addresses do not stand in fields of their own: --input text takes them out, wherever they are.';
  const hint =
    paths.length > 0
      ? `Name one with --column. Addresses are in: ${listed(paths)}.`
      : isNested
        ? nested
        : `Name one with --column. The fields are: ${listed(keys)}.`;
  return new Failure('bad_input', 'No field of the JSON objects looks like an email address.', { hint });
}

function noSuchFieldFailure(column: string, { keys, paths }: FieldNames): Failure {
  const near = nearestName(column, [...keys, ...paths]);
  const suggestion = near === null ? '' : `Did you mean ${JSON.stringify(near)}? `;
  const inner = paths.length === 0 ? '' : ` Nested ones with addresses: ${listed(paths)}.`;
  return new Failure('usage', `The JSON objects have no field ${JSON.stringify(column)} with a text in it.`, {
    hint: `${suggestion}The fields are: ${listed(keys)}.${inner}`,
  });
}

function listed(names: readonly string[]): string {
  return names
    .slice(0, maxListedKeys)
    .map((name) => JSON.stringify(name))
    .join(', ');
}
