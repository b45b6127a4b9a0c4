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
          ? { -readonly [Name in keyof Fields as Name extends Required ? Name : never]: TypeOf<Fields[Name]> } & {
              -readonly [Name in keyof Fields as Name extends Required ? never : Name]?: TypeOf<Fields[Name]>;
            }
          : S extends { additionalProperties: infer Value }
            ? Record<string, TypeOf<Value>>
            : S extends { type: readonly (infer Name extends keyof Types)[] }
              ? Types[Name]
              : S extends { type: infer Name extends keyof Types }
                ? Types[Name]
                : unknown;
