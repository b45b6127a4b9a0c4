/**
 * JSON Schema as data, from which types (`TypeOf`), checks of requests, limits of forms and the OpenAPI description
 * follow. The helpers return plain schemas.
 */
export type Schema = Readonly<Record<string, unknown>>;

/** A schema whose values have a type of the model. */
export function typed<Model>(schema: Schema) {
  return schema as Schema & { readonly '~model': Model };
}

type Fields = Readonly<Record<string, Schema>>;

/** An object: all fields are always present, except those in `sometimes`. */
export function object<const Always extends Fields, const Sometimes extends Fields = Record<never, Schema>>(
  always: Always,
  sometimes?: Sometimes,
) {
  const required = Object.keys(always) as (keyof Always)[];
  return { type: 'object', required, properties: { ...always, ...sometimes } as Always & Sometimes } as const;
}

export function list<const Item extends Schema>(items: Item) {
  return { type: 'array', items } as const;
}

export function oneOf<const Value>(...values: readonly Value[]) {
  return { type: 'string', enum: values } as const;
}

export function orNull<const S extends Schema>(schema: S) {
  return { anyOf: [schema, { type: 'null' }] } as const;
}

/** The limits of what users enter, for routes, forms and commands alike. */
export const limits = {
  name: { type: 'string', minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' },
  plan: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._\\-]+$' },
  /** Null: without limit. */
  credits: { type: ['integer', 'null'], minimum: 0, maximum: 1_000_000_000_000 },
  /** Null: never. */
  expiry: { type: ['string', 'null'], maxLength: 40 },
  /** The length of a new one is checked in characters, not in UTF-16 code units. */
  password: { type: 'string', maxLength: 4_000 },
  newPassword: { minLength: 12, maxLength: 1_000 },
  email: { type: 'string', minLength: 3, maxLength: 254 },
  /** What is checked may be anything. */
  address: { type: 'string', maxLength: 10_000 },
  /** An address that is searched in all cells. */
  mention: { type: 'string', minLength: 3, maxLength: 1_000, pattern: '@' },
  url: { type: 'string', maxLength: 2_000 },
  search: { type: 'string', maxLength: 255 },
  maxAgeDays: { type: 'integer', minimum: 0, maximum: 3_650 },
  keepDays: { type: ['integer', 'null'], minimum: 1, maximum: 36_500 },
} as const;

/** A page of a list that has `limit` entries by default. */
export function paged(limit: number, maxLimit: number) {
  return {
    skip: { type: 'integer', minimum: 0, maximum: 1_000_000_000, default: 0 },
    limit: { type: 'integer', minimum: 1, maximum: maxLimit, default: limit },
  } as const;
}
