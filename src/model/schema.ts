interface Types {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  null: null;
  object: Record<string, unknown>;
}

/** The type of the values of a JSON Schema, which is plain data. */
export type TypeOf<S> = S extends { readonly '~model': infer Model }
  ? Model
  : S extends { enum: readonly (infer Value)[] }
    ? Value
    : S extends { anyOf: readonly (infer Choice)[] }
      ? TypeOf<Choice>
      : S extends { items: infer Item }
        ? TypeOf<Item>[]
        : S extends { properties: infer Fields; required: readonly (infer Required)[] }
          ? FieldsOf<Pick<Fields, keyof Fields & Required>> & Partial<FieldsOf<Omit<Fields, keyof Fields & Required>>>
          : S extends { additionalProperties: infer Value }
            ? Record<string, TypeOf<Value>>
            : S extends { type: readonly (infer Name extends keyof Types)[] }
              ? Types[Name]
              : S extends { type: infer Name extends keyof Types }
                ? Types[Name]
                : unknown;

/** The type of an object whose fields have these schemas. */
export type FieldsOf<Fields> = { -readonly [Name in keyof Fields]: TypeOf<Fields[Name]> };

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const whole = { type: 'integer' } as const;
export const fraction = { type: 'number' } as const;
export const share = { type: 'number', minimum: 0, maximum: 1 } as const;
export const textOrNull = { type: ['string', 'null'] } as const;
export const wholeOrNull = { type: ['integer', 'null'] } as const;
export const time = { type: 'string', format: 'date-time' } as const;
export const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const;

/** A schema with a description, where a name does not say enough. */
export function says<const S extends object>(schema: S, description: string) {
  return { ...schema, description } as const;
}
