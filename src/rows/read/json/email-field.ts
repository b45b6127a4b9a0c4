import { Failure } from '../../../model/failure.js';
import { nearestName } from '../../../model/nearest-name.js';
import { nameRank } from '../email-column.js';

/** Finds the address in the values of a JSON list. */
export interface EmailField {
  /** A string itself, or the address in an object; null where there is none. */
  of(value: unknown): string | null;
  /** The field that addresses were found in; undefined where there was none yet. */
  name(): string | undefined;
  /** Throws the Failure that fits where objects came by and none had an address, or none had the field that is asked for. */
  assertFound(): void;
}

const maxListedKeys = 30;

/** Reads the field that is asked for, or else the one whose name says that it is an address. */
export function createEmailField(column: string | undefined): EmailField {
  const keys = new Set<string>();
  let objects = 0;
  let strings = 0;
  let found = 0;
  let isNested = false;
  let usual: string | undefined = column;

  const fieldOf = (object: object): string | undefined => {
    if (usual !== undefined && (column !== undefined || Object.hasOwn(object, usual))) return usual;
    let best = 0;
    for (const key of Object.keys(object)) {
      const rank = nameRank(key);
      if (rank <= best) continue;
      best = rank;
      usual = key;
    }
    return best > 0 ? usual : undefined;
  };

  return {
    of(value) {
      if (typeof value === 'string') {
        strings++;
        return value;
      }
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
      objects++;
      if (found === 0 && keys.size < maxListedKeys) for (const key of Object.keys(value)) keys.add(key);
      if (found === 0 && !isNested) isNested = Object.entries(value).some(standsElsewhere);
      const field = fieldOf(value);
      const email: unknown =
        field !== undefined && Object.hasOwn(value, field) ? (value as Record<string, unknown>)[field] : undefined;
      const text = textOf(email);
      if (text === null) return null;
      found++;
      return text;
    },
    name: () => usual,
    assertFound() {
      // Strings beside objects are addresses, too, but do not excuse a field that nobody has.
      if (objects === 0 || found > 0 || (strings > 0 && column === undefined)) return;
      throw column === undefined ? noField([...keys], isNested) : noSuchField(column, [...keys]);
    },
  };
}

/** An address, or several in an array. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isList && value.length > 0 ? value.join(', ') : null;
}

/** Whether an address stands deeper than in a field of its own, or is the name of one. */
function standsElsewhere([name, value]: [string, unknown]): boolean {
  return name.includes('@') || (typeof value === 'object' && value !== null && JSON.stringify(value).includes('@'));
}

function noField(keys: string[], isNested: boolean): Failure {
  const deeper = 'The addresses do not stand in fields of their own: --input text takes them out, wherever they are.';
  return new Failure('bad_input', 'No field of the JSON objects looks like an email address.', {
    hint: isNested ? deeper : `Name one with --column. The fields are: ${listed(keys)}.`,
  });
}

function noSuchField(column: string, keys: string[]): Failure {
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
