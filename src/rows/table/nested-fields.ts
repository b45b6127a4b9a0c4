/** Deeper objects are one field. */
const maxDepth = 8;

/** The field of that name, or in nested objects the one of that path (`contact.email`); null if there is none. */
export function findField(object: object, name: string): { keys: string[]; value: unknown } | null {
  if (Object.hasOwn(object, name)) return { keys: [name], value: (object as Record<string, unknown>)[name] };
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const head = name.slice(0, dot);
    const inner = Object.hasOwn(object, head) ? (object as Record<string, unknown>)[head] : undefined;
    const found = isObject(inner) ? findField(inner, name.slice(dot + 1)) : null;
    if (found !== null) return { keys: [head, ...found.keys], value: found.value };
  }
  return null;
}

/** The fields of an object and of the objects in it, by their paths. An array is one field. */
export function* nestedFields(object: object, prefix = '', depth = 1): Generator<[path: string, value: unknown]> {
  for (const [name, value] of Object.entries(object)) {
    const path = `${prefix}${name}`;
    if (isObject(value) && depth < maxDepth) yield* nestedFields(value, `${path}.`, depth + 1);
    else yield [path, value];
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
